import type { Problem } from '../../contract/problem.js';
import type { Clock } from '../../ports/clock.js';
import type { Doorbell } from '../../ports/doorbell.js';
import type { Inbox } from '../../ports/inbox.js';
import type { AttemptEnd, AttemptRequest } from '../attempt-request.js';
import type { WorkerEvent } from './worker-event.js';

export interface WorkerParts {
  readonly inbox: Inbox;
  readonly doorbell: Doorbell;
  readonly clock: Clock;
  /** From 0 up to 1: spreads those who would otherwise try again at the same time. */
  readonly jitter: () => number;
  readonly drive: Drive;
  /** Notifies attempts whose calls have run out of time. @returns how many calls */
  readonly expireCalls: () => Promise<number>;
  /** The problem, where something that was thrown is the fault of the database's surroundings. */
  readonly findFault: (error: unknown) => Problem | undefined;
  readonly onEvent: (event: WorkerEvent) => void;
}

/** Drives one attempt of a world to wherever it ends. */
export type Drive = (
  request: Pick<
    AttemptRequest,
    'world_slug' | 'inbox_id' | 'waited_ms' | 'continues_only' | 'turn_retries' | 'leave' | 'goesOn' | 'onProgress'
  >,
) => Promise<DriveEnd>;

/** How a drive ended. `unfit`: this process cannot do it, or none ever can. */
export type DriveEnd = AttemptEnd | { readonly kind: 'unfit'; readonly reason: string; readonly is_final: boolean };

export interface WorkerSettings {
  /** How many attempts are driven at a time. */
  readonly concurrency: number;
  /** How long attempts may continue once the worker is to stop. */
  readonly grace_ms: number;
  /** These worlds only; left out for all. */
  readonly worlds?: readonly string[];
}
