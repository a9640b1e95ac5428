import type { Json } from '../../contract/json.js';
import type { ChatAnswer } from '../../contract/source.js';
import type { CallAnswered } from '../protocol/event.js';
import type { OfferedSchema } from '../protocol/program.js';
import type { ModelOutputKind, Verdict } from '../protocol/verdict.js';
import {
  type Asked,
  type Complaint,
  correct,
  type GenerationProgram,
  type Lane,
  spend,
  toRejection,
} from './generation.js';
import { type ReadText, readModelText } from './model-text.js';
import type { NodeFailure, NodeScope } from './node-type.js';

/** One answered generation, with all that its consequences need. */
export interface Answer<Node extends GenerationProgram> {
  readonly node: Node;
  readonly scope: NodeScope;
  readonly lane: Lane;
  readonly key: string;
  readonly text: string;
  readonly read: ReadText;
}

/** A node that has failed because of an answer, with the verdict on the call. */
export interface FailedByAnswer {
  readonly kind: 'failed';
  readonly failure: NodeFailure;
  readonly verdict: Verdict;
}

/** Counts what a generation used and reads its text. @returns the failure of a node that has used more than it may */
export function readAnswer<Node extends GenerationProgram>(
  node: Node,
  scope: NodeScope,
  before: Lane,
  event: CallAnswered,
): Answer<Node> | FailedByAnswer {
  const { text, finish_reason } = event.value as unknown as ChatAnswer;
  const { lane, overspent } = spend(node, before, event);
  const read = readModelText({ text, finish_reason });
  const { key } = event;
  if (overspent === undefined) return { node, scope, lane, key, text, read };
  const failure = { failure_class: 'budget_exhausted' as const, message: overspent };
  return {
    kind: 'failed',
    failure: { ...failure, call_key: key },
    verdict: { key, failure, normalised_text: read.normalised, artifacts: [{ kind: 'error', value: failure }] },
  };
}

/** The verdict on an answer that can be used. */
export function acceptAnswer<Node extends GenerationProgram>(
  { key, read }: Answer<Node>,
  kind: ModelOutputKind,
  artifacts: Verdict['artifacts'],
): Verdict {
  return { key, model_output_kind: kind, normalised_text: read.normalised, artifacts };
}

/** Returns an unusable answer to its model with the reason, and writes down both. */
export function rejectAnswer<Node extends GenerationProgram>(
  answer: Answer<Node>,
  complaint: Complaint,
  offered: OfferedSchema,
): { readonly asked: Asked; readonly verdict: Verdict } {
  const { node, scope, lane, key, text, read } = answer;
  const { detail, message } = complaint;
  const parsed: readonly { readonly kind: string; readonly value: Json }[] = read.ok
    ? [{ kind: 'parsed_output', value: read.value }]
    : [];
  return {
    asked: correct(node, scope, lane, { text, complaint, offered, call_key: key }),
    verdict: {
      key,
      model_output_kind: 'invalid',
      failure: { failure_class: 'model_content', detail, message },
      normalised_text: read.normalised,
      artifacts: [...parsed, { kind: 'error', value: { detail, message } }],
      rejection: toRejection(node, scope, lane, text, complaint),
    },
  };
}
