import type { SegmentOrigin } from '../prompt/message.js';

/**
 * Where a value comes from. `world`: some patch wrote it, so that it may hold anything that any agent was ever shown.
 * `source:<label>`: a service answered with it.
 */
export type Origin = 'author' | 'person' | 'scenario' | 'world' | 'model' | `source:${string}`;

const TRUSTED: readonly Origin[] = ['author', 'person', 'scenario'];

/** Whether an author, a person or the scenario wrote a value, and nobody else. */
export function isTrusted(origins: Iterable<Origin>): boolean {
  return [...origins].every((origin) => TRUSTED.includes(origin));
}

/** The sources whose answers a prompt of one node may hold, by label. */
export interface SeenSources {
  /** Read by ambient bindings. */
  readonly read: readonly string[];
  /** Of the node's tools. */
  readonly tools: readonly string[];
  /** Of all workflows of the scenario: what their answers said may stand in states, memories and narrations. */
  readonly world: readonly string[];
}

/** The origins of a segment of a prompt, at the most: no record says yet which of them it really has. */
export function originsOfSegment(origin: SegmentOrigin, sources: SeenSources): readonly Origin[] {
  return SEGMENTS[origin](sources);
}

const written = (): readonly Origin[] => ['author'];
const ofWorld = ({ world }: SeenSources): readonly Origin[] => ['scenario', 'world', 'model', ...toOrigins(world)];

/** What each kind of segment may hold. A correction quotes what the model has said. */
const SEGMENTS: Readonly<Record<SegmentOrigin, (sources: SeenSources) => readonly Origin[]>> = {
  author: written,
  schema: written,
  last_lap: written,
  'tools.available': written,
  world: () => ['scenario'],
  subject: () => ['scenario'],
  'world.projection': ofWorld,
  'world.recent_events': ofWorld,
  'subject.rendered': ofWorld,
  'subject.own_turns': ofWorld,
  'memory.pinned': () => ['scenario'],
  'memory.retrieved': ofWorld,
  'ambient.visible': ({ read }) => toOrigins(read),
  // The output of another model may repeat whatever that model was shown.
  nodes: ofWorld,
  tool_result: ({ tools }) => toOrigins(tools),
  model: () => ['model'],
  reasoning: () => ['model'],
  function_call: () => ['model'],
  call_id: () => ['model'],
  correction: () => ['author', 'model'],
};

function toOrigins(labels: readonly string[]): readonly Origin[] {
  return labels.map((label): Origin => `source:${label}`);
}
