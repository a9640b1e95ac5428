import type { Json } from '../../contract/json.js';
import { nodeTypeOf } from '../nodes/index.js';
import type { Program } from '../protocol/program.js';
import { smallestAnswer } from '../typing/smallest-value.js';

/** A call that nothing answers yet. */
export interface UnansweredCall {
  readonly key: string;
  readonly source_label: string;
}

/** A small answer for a call, by the schema that it is checked against; an author writes a better one in its place. */
export function skeletonOf(program: Program, { key, source_label }: UnansweredCall): Json {
  const [first = '', second = '', ...more] = key.split('/');
  const rest = more.join('/');
  const workflow = program.subjects.find(({ subject_id }) => subject_id === first)?.workflow;
  const node = workflow?.nodes.find(({ id }) => id === second);
  if (node !== undefined) return nodeTypeOf(node).skeletonOf(node, { rest, source_label });
  const binding =
    program.turn_ambients.find((ambient) => ambient.key === key) ??
    workflow?.subject_ambients.find(({ id }) => second === 'ambient' && id === rest);
  return smallestAnswer(binding?.call ?? {});
}
