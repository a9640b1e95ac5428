import type { JsonObject } from '../contract/json.js';
import type { Problem } from '../contract/problem.js';
import type { AttemptStore } from './attempts.js';
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
  /** False for one in memory: nothing of it can be looked at afterwards. */
  readonly is_kept: boolean;
  /** Names of the migrations that were applied now. */
  migrate(): Promise<readonly string[]>;
  /** The problem, where something that the store threw is the fault of the database's surroundings: it is gone, or full. */
  findFault(error: unknown): Problem | undefined;
  close(): Promise<void>;
}

/** A database as `doctor` sees it, without having changed it. */
export interface DatabaseReport {
  readonly description: string;
  /** False for one that the first command will make. */
  readonly exists: boolean;
  /** Names of migrations. */
  readonly applied: readonly string[];
  readonly pending: readonly string[];
  readonly worlds: number;
  /** Whether the world that was asked about exists; true where none was. */
  readonly has_world: boolean;
  /** The distinct `interface` objects of the sources that are asked about. */
  readonly interfaces: readonly JsonObject[];
}

/** What a database that other processes use as well offers for working with them. */
export interface SharedDatabase {
  /** Opens no connection before somebody listens. */
  openDoorbell(): Doorbell;
  startHeartbeat(settings: HeartbeatSettings): OpenHeartbeat;
}

export interface HeartbeatSettings {
  /** The file of the thread that beats, compiled: threads run no TypeScript. */
  readonly program: string;
  readonly lease_ms: number;
  /** How long the main thread may hang before its leases are kept no more. */
  readonly hang_ms: number;
  /** How long before the process is ended, which reacts to no signal either: longer than `hang_ms` and a lease. */
  readonly end_ms: number;
}

/** Everything that is stored. */
export interface Store {
  readonly database: Database;
  readonly components: ComponentStore;
  readonly worlds: WorldStore;
  readonly attempts: AttemptStore;
  readonly inbox: Inbox;
  readonly pending: PendingCalls;
  /** Left out for a database that this process has for itself. */
  readonly shared?: SharedDatabase;
  readonly records: RecordReader;
  readonly actions: OperatorActions;
  readonly transfer: WorldTransfer;
}
