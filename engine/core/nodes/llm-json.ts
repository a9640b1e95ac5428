import type { ChatAnswer } from '../../contract/source.js';
import type { CallAnswered } from '../protocol/event.js';
import type { LlmJsonProgram } from '../protocol/program.js';
import { type Asked, type Complaint, type Lane, correct, openLane, spend, toRejection } from './generation.js';
import { listProblems } from './judge-output.js';
import { readModelText } from './model-text.js';
import { callFailed } from './node-failure.js';
import type { NodeScope, NodeStep, NodeType } from './node-type.js';

/** Waits for a generation. */
export interface LlmJsonState {
  readonly type: 'llm_json';
  readonly lane: Lane;
}

/** One structured answer of a declared schema; it is the node's output. */
export const llmJson: NodeType<LlmJsonProgram, LlmJsonState> = {
  start(node, scope) {
    return waitFor(openLane(node, scope, node.offered, () => []));
  },

  hear(node, state, event, scope) {
    if (event.kind !== 'call_answered') return { kind: 'failed', failure: callFailed(event) };
    return hearGeneration(node, state, event, scope);
  },
};

function hearGeneration(
  node: LlmJsonProgram,
  state: LlmJsonState,
  event: CallAnswered,
  scope: NodeScope,
): NodeStep<LlmJsonState> {
  const { text, finish_reason } = event.value as unknown as ChatAnswer;
  const { lane, overspent } = spend(node, state.lane, event);
  const read = readModelText({ text, finish_reason });
  const { key } = event;
  if (overspent !== undefined) {
    const failure = { failure_class: 'budget_exhausted' as const, message: overspent };
    return {
      kind: 'failed',
      failure: { ...failure, call_key: key },
      verdict: { key, failure, artifacts: [{ kind: 'error', value: failure }] },
    };
  }
  const complaint = read.ok ? findComplaint(node, read.value) : read.complaint;
  const parsed = read.ok ? [{ kind: 'parsed_output', value: read.value }] : [];
  if (read.ok && complaint === undefined) {
    const verdict = {
      key,
      model_output_kind: 'json_answer' as const,
      normalised_text: read.normalised,
      artifacts: parsed,
    };
    return { kind: 'done', output: read.value, verdict };
  }
  const rejected: Complaint = complaint ?? { detail: 'non_json', message: 'The response is not JSON.' };
  const asked = correct(node, scope, lane, { text, complaint: rejected, offered: node.offered, call_key: key });
  return {
    ...waitFor(asked),
    verdict: {
      key,
      model_output_kind: 'invalid',
      failure: { failure_class: 'model_content', detail: rejected.detail, message: rejected.message },
      normalised_text: read.normalised,
      artifacts: [...parsed, { kind: 'error', value: { detail: rejected.detail, message: rejected.message } }],
      rejection: toRejection(node, scope, lane, text, rejected),
    },
  };
}

function findComplaint(
  node: LlmJsonProgram,
  value: Parameters<LlmJsonProgram['result']['validate']>[0],
): Complaint | undefined {
  const problems = node.result.validate(value);
  return problems.length === 0
    ? undefined
    : { detail: 'schema_invalid', message: `It does not fit the schema: ${listProblems(problems)}` };
}

function waitFor(asked: Asked): NodeStep<LlmJsonState> {
  if (!asked.ok) return { kind: 'failed', failure: asked.failure };
  return { kind: 'waits', state: { type: 'llm_json', lane: asked.lane }, commands: [asked.command] };
}
