import type { JsonObject } from '../contract/json.js';
import type { Problem } from '../contract/problem.js';
import type { AttemptStore, AttemptOfTurn } from './attempts.js';
import type { Doorbell } from './doorbell.js';
import type { OpenHeartbeat } from './heartbeat.js';
import type { Inbox } from './inbox.js';
import type { PendingCalls } from './pending-calls.js';
import type { WorldTransfer } from './transfer.js';
import type { ComponentStore } from './components.js';
import type { WorldStore } from './worlds.js';
import type { OperatorActions } from './operator-actions.js';
import type { RecordReader } from './records.js';

/** The database as `doctor` and `migrate` see it. */
export interface Database {
  readonly description: string;
  /** False for one in memory, which nobody can read afterwards. */
  readonly is_kept: boolean;
  /** The names of the migrations that were applied now. */
  migrate(): Promise<readonly string[]>;
  /** The problem, where an error of the store is a fault of its surroundings: the database is lost, or full. */
  findFault(error: unknown): Problem | undefined;
  close(): Promise<void>;
}

/** A database as `doctor` sees it, unchanged. */
export interface DatabaseReport {
  readonly description: string;
  /** False for one that the first command will create. */
  readonly exists: boolean;
  /** Names of migrations. */
  readonly applied: readonly string[];
  readonly pending: readonly string[];
  readonly worlds: number;
  /** Whether the named world exists; true without a name. */
  readonly has_world: boolean;
  /** Whether every user of the server may create tables and operators beside ours; left out where not. */
  readonly is_open_to_all?: boolean;
  /** Attempts of the selected worlds that are open, although nobody drives them. */
  readonly undriven: readonly UndrivenAttempt[];
  /** The distinct `interface` objects of the selected sources. */
  readonly interfaces: readonly JsonObject[];
}

/** An attempt whose driver is gone; the next run of its world resumes it. */
export interface UndrivenAttempt extends AttemptOfTurn {
  readonly world_slug: string;
}

/** The functions of a database that several processes share. */
export interface SharedDatabase {
  /** Connects at the first listener. */
  openDoorbell(): Doorbell;
  startHeartbeat(settings: HeartbeatSettings): OpenHeartbeat;
}

export interface HeartbeatSettings {
  /** The compiled file of the heartbeat thread: threads run no TypeScript. */
  readonly program: string;
  readonly lease_ms: number;
  /** How long the main thread may be blocked before its leases are no longer renewed. */
  readonly hang_ms: number;
  /** How long the main thread may be blocked before the process is ended: longer than `hang_ms` and a lease. */
  readonly end_ms: number;
}

export interface Store {
  readonly database: Database;
  readonly components: ComponentStore;
  readonly worlds: WorldStore;
  readonly attempts: AttemptStore;
  readonly inbox: Inbox;
  readonly pending: PendingCalls;
  /** Absent for a database that belongs to this process alone. */
  readonly shared?: SharedDatabase;
  readonly records: RecordReader;
  readonly actions: OperatorActions;
  readonly transfer: WorldTransfer;
}
