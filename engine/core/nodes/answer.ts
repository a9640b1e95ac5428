import type { Json } from '../../contract/json.js';
import type { ChatAnswer } from '../../contract/source.js';
import type { CallAnswered } from '../protocol/event.js';
import type { Said } from '../prompt/items.js';
import type { OfferedSchema } from '../protocol/program.js';
import { countUsed, TOKENS_ESTIMATED } from '../protocol/token-counts.js';
import type { ModelOutputKind, Rejection, Verdict } from '../protocol/verdict.js';
import type { Complaint } from './complaint.js';
import { type Asked, correct, type GenerationProgram, type Lane } from './generation.js';
import { type ReadText, readModelText } from './model-text.js';
import { readNativeAnswer, writeSaid } from './native-calls.js';
import type { NodeFailure, NodeScope } from './node-type.js';

/** One answered generation, with all that its consequences need. */
export interface Answer<Node extends GenerationProgram> {
  readonly node: Node;
  readonly scope: NodeScope;
  readonly lane: Lane;
  readonly key: string;
  readonly said: Said;
  readonly read: ReadText;
  /** Notes on the answer for the record. They do not depend on whether the answer is accepted. */
  readonly noted: Verdict['artifacts'];
}

/** Counts what a generation used and reads its text. @returns the failure of a node that has used more than it may */
export function readAnswer<Node extends GenerationProgram>(
  node: Node,
  scope: NodeScope,
  before: Lane,
  event: CallAnswered,
): Answer<Node> | { readonly kind: 'failed'; readonly failure: NodeFailure; readonly verdict: Verdict } {
  const { key, value, duration_ms } = event;
  const answer = value as unknown as ChatAnswer;
  const { said, read } =
    before.is_native === true
      ? readNativeAnswer(answer, key)
      : { said: { text: answer.text }, read: readModelText(answer) };
  const { tokens, noted } = countTokens(event, before, writeSaid(said));
  const lane = { ...before, tokens: before.tokens + tokens, duration_ms: before.duration_ms + duration_ms };
  const { token_budget } = node.constraints;
  if (lane.tokens <= token_budget) return { node, scope, lane, key, said, read, noted };
  const estimated = noted.length === 0 ? '' : ', of which the last are estimated';
  const message = `node ${node.id} has used ${lane.tokens} tokens of its token_budget of ${token_budget}${estimated}`;
  const failure = { failure_class: 'budget_exhausted', message } as const;
  return {
    kind: 'failed',
    failure: { ...failure, call_key: key },
    verdict: {
      key,
      failure,
      normalised_text: read.normalised,
      artifacts: [...noted, { kind: 'error', value: failure }],
    },
  };
}

/** What a generation has used, and the note of an estimate. */
function countTokens(
  { usage }: CallAnswered,
  { messages }: Lane,
  text: string,
): { readonly tokens: number; readonly noted: Verdict['artifacts'] } {
  if (usage === 'paid_before') return { tokens: 0, noted: [] };
  const { counts, is_estimated } = countUsed(usage, messages, text);
  const { input_tokens, output_tokens } = counts;
  const noted = is_estimated ? [{ kind: TOKENS_ESTIMATED, value: { input_tokens, output_tokens } }] : [];
  return { tokens: input_tokens + output_tokens, noted };
}

/** The verdict on an answer that can be used. */
export function acceptAnswer<Node extends GenerationProgram>(
  { key, read, noted }: Answer<Node>,
  kind: ModelOutputKind,
  artifacts: Verdict['artifacts'],
): Verdict {
  return { key, model_output_kind: kind, normalised_text: read.normalised, artifacts: [...noted, ...artifacts] };
}

/** Returns an unusable answer to its model with the reason, and writes down both. */
export function rejectAnswer<Node extends GenerationProgram>(
  answer: Answer<Node>,
  complaint: Complaint,
  offered: OfferedSchema,
): { readonly asked: Asked; readonly verdict: Verdict } {
  const { node, scope, lane, key, said, read, noted } = answer;
  const { detail, message } = complaint;
  const parsed: readonly { readonly kind: string; readonly value: Json }[] = read.ok
    ? [{ kind: 'parsed_output', value: read.value }]
    : [];
  return {
    asked: correct(node, scope, lane, { said, complaint, offered, call_key: key }),
    verdict: {
      key,
      model_output_kind: 'invalid',
      failure: { failure_class: 'model_content', detail, message },
      normalised_text: read.normalised,
      artifacts: [...noted, ...parsed, { kind: 'error', value: { detail, message } }],
      rejection: toRejection(answer, message),
    },
  };
}

/** A rejected answer for the audit. */
export function toRejection(
  { node, scope, lane, said }: Pick<Answer<GenerationProgram>, 'node' | 'scope' | 'lane' | 'said'>,
  rejection: string,
): Rejection {
  const { subject_id, workflow_hash } = scope;
  const attempt_number = lane.generation_try;
  return { subject_id, node_id: node.id, workflow_hash, attempt_number, raw_response: writeSaid(said), rejection };
}
