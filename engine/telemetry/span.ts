import { agentTurnId } from '../core/agents/agent-turn.js';
import { toSpanId } from '../core/content/trace-id.js';
import { namedUuid } from '../core/content/uuid.js';
import type { Invoke } from '../core/protocol/command.js';
import type { InstrumentName } from './names.js';

/** The attributes of a span or a measurement; members without a value are left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** A stretch of time in which something was done, as it is exported. */
export interface Span {
  /** 32 hex digits. */
  readonly trace_id: string;
  /** 16 hex digits. */
  readonly span_id: string;
  readonly parent_span_id?: string;
  readonly name: string;
  /** `client`: a wait for the outside. */
  readonly kind: 'internal' | 'client';
  /** Milliseconds since 1970. */
  readonly began_at: number;
  readonly ended_at: number;
  readonly attributes: Attributes;
  /** Present where it failed; its message only where contents are exported. */
  readonly error?: { readonly message?: string };
  /** Traces from which this span has taken something. */
  readonly links: readonly { readonly trace_id: string; readonly span_id: string }[];
}

/** One value of an instrument. */
export interface Measurement {
  readonly instrument: InstrumentName;
  readonly value: number;
  readonly attributes: Attributes;
}

export interface Signals {
  readonly spans: readonly Span[];
  readonly measurements: readonly Measurement[];
}

// The place of a span in the tree: attempt, agent turn, node, call. Each id derives from the attempt and from the
// subject of the span, so that drivers which know nothing of each other give the same ones.

export function attemptSpanId(attempt_id: string): string {
  return toSpanId(attempt_id);
}

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
  { subject_id, node_id }: Pick<Invoke, 'subject_id' | 'node_id'>,
): string {
  if (subject_id === undefined) return attemptSpanId(attempt_id);
  return node_id === undefined ? agentSpanId(attempt_id, subject_id) : nodeSpanId(attempt_id, subject_id, node_id);
}
