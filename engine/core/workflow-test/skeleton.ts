import type { Json } from '../../contract/json.js';
import { nodeTypeOf } from '../nodes/index.js';
import type { Program } from '../protocol/program.js';
import { smallestAnswer } from '../typing/smallest-value.js';
import { findCaller } from './command-key.js';

/** A call that nothing answers yet. */
export interface UnansweredCall {
  readonly key: string;
  readonly source_label: string;
}

/** A small answer for a call, by the schema that it is checked against; an author writes a better one in its place. */
export function skeletonOf(program: Program, { key, source_label }: UnansweredCall): Json {
  const caller = findCaller(program, key);
  if (caller !== undefined) return nodeTypeOf(caller.node).skeletonOf(caller.node, { ...caller, source_label });
  const [subject, , id] = key.split('/');
  const own = program.subjects.find(({ subject_id }) => subject_id === subject)?.workflow.subject_ambients ?? [];
  const binding =
    program.turn_ambients.find((ambient) => ambient.key === key) ?? own.find((ambient) => ambient.id === id);
  return smallestAnswer(binding?.call ?? {});
}
