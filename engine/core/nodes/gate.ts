import { unreachable } from '../../contract/unreachable.js';
import type { GateVerdict } from '../../generated/gate-verdict.js';
import { originsSeen } from '../policy/provenance.js';
import { quoteText } from '../prompt/quote.js';
import type { Said } from '../prompt/items.js';
import type { CallEvent } from '../protocol/event.js';
import type { OfferedSchema } from '../protocol/program.js';
import { type Answer, acceptAnswer, readAnswer, rejectAnswer, toRejection } from './answer.js';
import { correct, type GateProgram, type GenerationProgram, type Lane, openLane, waitFor } from './generation.js';
import { findMisfit } from './judge-output.js';
import { callFailed } from './node-failure.js';
import type { NodeScope, NodeStep } from './node-type.js';

// A gate is a second model, with a conversation of its own about each answer that it judges. An answer counts after `pass`
// alone. A verdict that cannot be used is corrected in that conversation, as often as an answer of the node is. After
// `retry`, the node's model takes its next try.

/** A valid answer, which its gate judges. */
export interface Judging {
  readonly gate_lane: Lane;
  /** The answer as its model wrote it. */
  readonly said: Said;
  /** The end of the node after `pass`. */
  readonly done: Done;
}

type Done = Extract<NodeStep<never>, { readonly kind: 'done' }>;

/** What a node waits for: an answer of its own model, or a verdict on one. */
export interface Waits {
  readonly lane: Lane;
  readonly judging?: Judging;
}

export const PASSES = { decision: 'pass', reason: '...' } as const satisfies GateVerdict;

/** Asks the gate about an answer that is valid; a node without a gate is done. */
export function askGate<State extends object>(
  { node, scope, lane, key, said }: Answer<GenerationProgram>,
  done: Done,
  toState: (waits: Waits) => State,
): NodeStep<State> {
  const { gate } = node;
  if (gate === undefined) return done;
  const judged = { answer: done.output, key, lane };
  const asked = openLane(toJudge(node, gate), scope, gate.offered, { judged });
  const { verdict, ...after } = done;
  const step = waitFor(asked, (gate_lane) => toState({ lane, judging: { gate_lane, said, done: after } }));
  return verdict === undefined ? step : { ...step, verdict };
}

/** The judge as a model of the node, with the node's limits. */
function toJudge(
  node: GenerationProgram,
  { call, prompt, schema_delivery, tool_calling }: GateProgram,
): GenerationProgram {
  return { ...node, call, prompt, schema_delivery, tool_calling };
}

interface GateCall extends Required<Waits> {
  /** The end of the call for which the node waits; no retry follows. */
  readonly event: CallEvent;
  /** The schema that the node's own model is offered. */
  readonly offered: OfferedSchema;
}

/** Does as the gate decides. */
export function handleVerdict<State extends object>(
  node: GenerationProgram,
  scope: NodeScope,
  { lane, judging, event, offered }: GateCall,
  toState: (waits: Waits) => State,
): NodeStep<State> {
  const { gate } = node;
  if (gate === undefined) throw new Error(`node ${node.id} has no gate`);
  if (event.kind !== 'call_answered') return { kind: 'failed', failure: callFailed(event) };
  const { said, done } = judging;
  const answer = readAnswer(toJudge(node, gate), scope, judging.gate_lane, event);
  if ('kind' in answer) return answer;
  const { read } = answer;
  const complaint = read.ok ? findMisfit(gate.verdict, read.value) : read.complaint;
  if (complaint !== undefined) {
    const { asked, verdict } = rejectAnswer(answer, complaint, gate.offered);
    return { ...waitFor(asked, (gate_lane) => toState({ lane, judging: { ...judging, gate_lane } })), verdict };
  }
  const value = read.ok ? read.value : null;
  const { decision, reason } = value as unknown as GateVerdict;
  const verdict = acceptAnswer(answer, `gate_${decision}`, [{ kind: 'parsed_output', value }]);
  switch (decision) {
    case 'pass':
      return { ...done, verdict };
    case 'escalate': {
      const message = `the gate of node ${node.id} escalates: ${quoteText(reason)}`;
      return { kind: 'failed', failure: { failure_class: 'escalated', message, call_key: event.key }, verdict };
    }
    case 'retry': {
      const { tokens, duration_ms, generations } = answer.lane;
      const message = `The quality gate asks for another answer: ${quoteText(reason)}`;
      const complaint = { detail: 'gate_retry', message, origins: originsSeen(answer.lane.messages) } as const;
      const given = { said, complaint, offered, call_key: event.key };
      const asked = correct(node, scope, { ...lane, tokens, duration_ms, generations }, given);
      const rejection = toRejection({ node, scope, lane, said }, message);
      return { ...waitFor(asked, (next) => toState({ lane: next })), verdict: { ...verdict, rejection } };
    }
    default:
      return unreachable(decision);
  }
}
