import { agentTurnId } from '../core/agents/agent-turn.js';
import { toSpanId } from '../core/content/trace-id.js';
import { namedUuid } from '../core/content/uuid.js';
import type { Stretch } from './observed-call.js';

// The place of a span in the tree: attempt, agent turn, node, call. Each id follows from the attempt and from what the span
// is about, so that drivers which know nothing of each other give the same ones.

/** The span of an attempt. */
export function attemptSpanId(attempt_id: string): string {
  return toSpanId(attempt_id);
}

/** The span of an agent turn. */
export function agentSpanId(attempt_id: string, subject_id: string): string {
  return toSpanId(agentTurnId(attempt_id, subject_id));
}

/** The span of a node of a subject's workflow. */
export function nodeSpanId(attempt_id: string, subject_id: string, node_id: string): string {
  return toSpanId(namedUuid(attempt_id, subject_id, node_id));
}

/** The parent span of a call: that of its node, of its subject's agent turn, or of the attempt. */
export function parentSpanOf(
  attempt_id: string,
  { subject_id, node_id }: Pick<Stretch, 'subject_id' | 'node_id'>,
): string {
  if (subject_id === undefined) return attemptSpanId(attempt_id);
  return node_id === undefined ? agentSpanId(attempt_id, subject_id) : nodeSpanId(attempt_id, subject_id, node_id);
}
