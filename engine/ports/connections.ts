import type { Outcome } from '../contract/problem.js';
import type { Connection } from '../generated/connection.js';

/** A connection that the operator has set, or why it cannot be used. */
export interface StoredConnection {
  readonly id: string;
  readonly store: 'environment' | 'file';
  readonly connection: Outcome<Connection>;
}

/** The operator's connections, as they are now. Their secrets go to the broker alone. */
export interface ConnectionStore {
  /** The environment precedes the file. @returns undefined where there is none of this id */
  find(id: string): Promise<Outcome<Connection | undefined>>;
  /** Those of the file are left out where it cannot be read, and `file` says why. */
  list(): Promise<{ readonly connections: readonly StoredConnection[]; readonly file: Outcome<unknown> }>;
}

/** What a service says of a connection: it accepts it, it refuses it for good, or it cannot be reached now. */
export interface TestedConnection {
  readonly outcome: 'works' | 'refused' | 'out_of_reach';
  /** A sentence, without secrets. */
  readonly said: string;
}

/** Makes one request to the origin of a connection, with its secret. @param path begins with a slash */
export type TestConnection = (id: string, path: string) => Promise<TestedConnection>;
