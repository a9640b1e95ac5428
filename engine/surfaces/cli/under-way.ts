import type { WorkerEvent } from '../../operations/run-worker.js';

/** The attempts that a worker drives at this moment, by their worlds. */
export type UnderWay = ReadonlyMap<string, string>;

/** The next list after an event of the worker. */
export function afterEvent(under_way: UnderWay, event: WorkerEvent): UnderWay {
  if (!('world_slug' in event)) return under_way;
  const others = [...under_way].filter(([world_slug]) => world_slug !== event.world_slug);
  switch (event.kind) {
    case 'turn_began':
    case 'turn_continued':
      return new Map([...others, [event.world_slug, event.attempt_id]]);
    case 'turn_deferred':
    case 'turn_discarded':
      return under_way;
    default:
      return new Map(others);
  }
}
