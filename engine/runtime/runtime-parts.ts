import type { Problem } from '../contract/problem.js';
import type { Limits } from '../core/protocol/amounts.js';
import type { Retry } from '../core/protocol/command.js';
import type { AttemptStore, Holder } from '../ports/attempts.js';
import type { BudgetStore } from '../ports/budgets.js';
import type { Clock } from '../ports/clock.js';
import type { Heartbeat } from '../ports/heartbeat.js';
import type { Inbox } from '../ports/inbox.js';
import type { CallSource, ReceiveReport } from '../ports/sources.js';
import type { Observe } from './progress.js';

export interface RuntimeParts {
  readonly attempts: AttemptStore;
  readonly callSource: CallSource;
  readonly receiveReport: ReceiveReport;
  readonly inbox: Pick<Inbox, 'messagesOf'>;
  readonly pending: {
    /** Notifies attempts of expired calls. @param inbox_ids fresh ids @returns how many were notified */
    expire(inbox_ids: readonly string[]): Promise<number>;
  };
  readonly clock: Clock;
  readonly holder: Holder;
  /** Whether a process that held a lease still runs; true where that cannot be known. */
  readonly isAlive: (holder: Holder) => boolean;
  /** The problem, where something that was thrown is the fault of the database's surroundings. */
  readonly findFault: (error: unknown) => Problem | undefined;
  /** Renews the leases; left out, each driver renews its own. */
  readonly heartbeat?: Heartbeat;
  /** How long to wait before a retry, in milliseconds; left out, at random within what the turn allows. */
  readonly chooseWait?: (retry: Retry) => number;
  /** Budgets that are kept in the database; left out where nothing is counted against any. */
  readonly budgets?: {
    readonly store: BudgetStore;
    /** The operator's budget of each day for all worlds; left out where there is none. */
    readonly of_day?: Limits;
    /** The tokens of the latest answers of each node, as this process has seen them. */
    readonly outputs: Map<string, readonly number[]>;
  };
  readonly plugin_versions: Readonly<Record<string, string>>;
  /** Observes every attempt; left out where nothing does. */
  readonly observe?: Observe;
}
