import { findAt } from '../content/json-pointer.js';
import type { AnsweredPatch } from '../nodes/node-type.js';
import { originsWithin } from '../policy/answer-origins.js';
import { unionOf } from '../prompt/origins.js';
import type { SubjectProgram } from '../protocol/program.js';
import { isBlank } from '../world/blank-text.js';
import { rememberText } from '../world/patch-operations.js';
import type { SubjectRun } from './subject-run.js';

// What an author has a subject remember is a patch of its own, without a narration: nobody perceives it. So each memory
// has the call and the origins of the node that wrote it, and not those of the subject's own patch.

/** Memories that one node gives its subject. */
export interface RememberedPatch extends AnsweredPatch {
  readonly node_id: string;
  /** The ids of the memories that the node was shown. */
  readonly sources: readonly string[];
}

/** The texts that a finished run remembers, a patch for each node that says some of them. */
export function listRemembered(
  { subject_id, workflow }: SubjectProgram,
  { outputs, answered_by }: Pick<SubjectRun, 'outputs' | 'answered_by'>,
): readonly RememberedPatch[] {
  const nodes = [...new Set(workflow.remember.map(({ node_id }) => node_id))];
  return nodes.flatMap((node_id) => {
    const output = outputs.get(node_id);
    const by = answered_by.get(node_id);
    if (output === undefined || by === undefined) return [];
    const said = workflow.remember.flatMap(({ node_id: id, tokens }) => {
      const content = id === node_id ? findAt(output.value, tokens) : undefined;
      if (typeof content !== 'string' || isBlank(content)) return [];
      return [{ content, origins: originsWithin(output, tokens) }];
    });
    if (said.length === 0) return [];
    const effects = said.map(({ content }) => rememberText(subject_id, content));
    const origins = unionOf(said.map((one) => one.origins));
    return [{ node_id, call_key: by.call_key, patch: { narration: '', effects }, origins, sources: by.memories }];
  });
}
