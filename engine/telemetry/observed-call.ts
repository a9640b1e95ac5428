import { present } from '../contract/present.js';
import { pairCalls } from '../core/facts/call.js';
import type { Fact } from '../core/facts/fact.js';
import type { Invoke } from '../core/protocol/command.js';
import type { Verdict } from '../core/protocol/verdict.js';
import type { RecalledCall } from '../runtime/progress.js';
import type { CallOutcome, ResolvedSource } from '../ports/sources.js';

/** A call that has ended, as its driver saw it. */
export interface EndedCall {
  readonly source_invocation_id: string;
  readonly command: Invoke;
  readonly outcome: CallOutcome;
  readonly verdict?: Verdict;
  /** The model and its origin, as far as this driver has made the call itself. */
  readonly resolved?: ResolvedSource;
}

/** A time of work, and its subject and node: spans of nodes and agents are made of these. */
export interface Stretch {
  readonly subject_id?: string;
  readonly node_id?: string;
  readonly began_at: number;
  readonly ended_at: number;
}

/** The stretches of the calls that an attempt has made itself; that of a call which nobody saw end has no length. */
export function stretchesOf(facts: readonly Fact[]): readonly Stretch[] {
  const own = pairCalls(facts).filter(({ start }) => start.adopted_from === null);
  return own.map(({ start, end }) => {
    const duration_ms = end?.duration_ms ?? null;
    const ended_at = Date.parse(end === undefined || duration_ms === null ? start.at : end.at);
    const place = present({ subject_id: start.subject_id ?? undefined, node_id: start.node_id ?? undefined });
    return { ...place, began_at: ended_at - (duration_ms ?? 0), ended_at };
  });
}

/** Whether nobody saw how a call of an earlier driver ended. One that was adopted, or is answered later, is none. */
export function isInterrupted({ call }: RecalledCall): boolean {
  return call.fact === undefined && call.adopted_from === undefined;
}
