import { present } from '../contract/present.js';
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

/** The stretch of a call that has ended. */
export function toStretch({ command, outcome }: Pick<EndedCall, 'command' | 'outcome'>): Stretch {
  return { ...placeOf(command), began_at: outcome.ended_at - outcome.duration_ms, ended_at: outcome.ended_at };
}

/** The stretch of a call that an earlier driver has made. */
export function toRecalledStretch({ command, call }: RecalledCall): Stretch {
  const duration_ms = call.fact === undefined || call.fact.status === 'pending' ? 0 : call.fact.duration_ms;
  return { ...placeOf(command), began_at: call.started_at, ended_at: call.started_at + duration_ms };
}

function placeOf({ subject_id, node_id }: Invoke): Pick<Stretch, 'subject_id' | 'node_id'> {
  return present({ subject_id, node_id });
}

/** Whether nobody saw how a call of an earlier driver ended. One that was adopted, or is answered later, is none. */
export function isInterrupted({ call }: RecalledCall): boolean {
  return call.fact === undefined && call.adopted_from === undefined;
}
