import { advance } from '../../../engine/core/turn/advance.js';
import type { Authoring } from '../../../engine/operations/engine.js';
import { type Row, toRow } from '../row.js';
import { median } from '../statistics.js';
import { listCases, type ReducerCase } from './cases.js';
import { openScene, type Scene } from './scene.js';

const ENTITY_COUNT = 100;
const BATCHES = 60;
const BATCH_MS = 3;
const WARM_UP_MS = 100;

/** The reducer's CPU time for one event, at a hundred entities: the slowest kind of event of each of the two sorts. */
export function measureReducer(authoring: Authoring): readonly Row[] {
  const scene = openScene(authoring, ENTITY_COUNT);
  const timed = listCases(scene).map((reducerCase) => ({ ...reducerCase, us: timeOf(scene, reducerCase) }));
  const quiet = slowest(timed.filter(({ renders }) => !renders));
  const rendering = slowest(timed.filter(({ renders }) => renders));
  return [
    toRow({
      id: 'reducer_event',
      what: 'reducer, an event that renders nothing',
      value: quiet.us,
      unit: 'µs',
      goal: { kind: 'at_most', value: 50 },
      note: `${ENTITY_COUNT} entities; the slowest kind: ${quiet.name}`,
    }),
    toRow({
      id: 'reducer_prompt',
      what: 'reducer, an event that renders a prompt',
      value: rendering.us / 1000,
      unit: 'ms',
      goal: { kind: 'at_most', value: 2 },
      note: `${ENTITY_COUNT} entities; the slowest kind: ${rendering.name}`,
    }),
  ];
}

interface Timed extends ReducerCase {
  readonly us: number;
}

function slowest(timed: readonly Timed[]): Timed {
  const [first] = timed.toSorted((one, other) => other.us - one.us);
  if (first === undefined) throw new Error('there is no such event');
  return first;
}

/** CPU time of this process; the median over batches, each long enough for the clock. */
function timeOf({ program }: Scene, { state, event }: ReducerCase): number {
  const repeat = (times: number): number => {
    const begun = process.cpuUsage();
    for (let time = 0; time < times; time += 1) advance(program, state, event);
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1000;
  };
  let perBatch = 1;
  for (let warm_ms = 0; warm_ms < WARM_UP_MS; ) {
    const ms = repeat(perBatch);
    warm_ms += ms;
    if (ms < BATCH_MS) perBatch *= 2;
  }
  return (median(Array.from({ length: BATCHES }, () => repeat(perBatch))) / perBatch) * 1000;
}
