import { originsOf, type SegmentOrigin } from '../prompt/message.js';
import { type Origins, ofSource, unionOf } from '../prompt/origins.js';

/** The sources whose answers a prompt of one node may hold, by label. */
export interface SeenSources {
  /** Read by ambient bindings. */
  readonly read: readonly string[];
  /** Of the node's tools. */
  readonly tools: readonly string[];
  /** Of all workflows of the scenario: what their answers said may stand in states, memories and narrations. */
  readonly world: readonly string[];
}

/** The origins that a segment of a prompt may have at the most, before any generation is recorded. */
export function assumeOrigins(origin: SegmentOrigin, { read, tools, world }: SeenSources): Origins {
  switch (origin) {
    case 'ambient.visible':
      return unionOf(read.map(ofSource));
    case 'tool_result':
      return unionOf(tools.map(ofSource));
    // The output of another model may repeat whatever that model was shown.
    case 'nodes':
    case 'world.projection':
    case 'world.recent_events':
    case 'subject.rendered':
    case 'subject.own_turns':
    case 'memory.retrieved':
      return unionOf([['scenario', 'world', 'model'], ...world.map(ofSource)]);
    default:
      return originsOf({ origin });
  }
}
