import { connectionVariable } from '../../contract/engine-variables.js';
import type { JsonObject } from '../../contract/json.js';
import { present } from '../../contract/present.js';
import { type Outcome, problem, type Problem, refuse, succeed } from '../../contract/problem.js';
import { SLUG } from '../../contract/slug.js';
import { among } from '../../core/content/nearest-name.js';
import type { Connection } from '../../generated/connection.js';
import type { StoredConnection, TestConnection, TestedConnection } from '../../ports/connections.js';
import type { OperatorConnections } from './store.js';

/** A connection without its secret. */
export interface ListedConnection {
  readonly id: string;
  readonly store: StoredConnection['store'];
  readonly kind?: Connection['kind'];
  readonly origin?: string;
  /** Why it cannot be used. */
  readonly problem?: string;
}

/** Lists the connections of this user on this machine, and what keeps some from being used. */
export async function listConnections({ list }: Pick<OperatorConnections, 'list'>): Promise<{
  readonly connections: readonly ListedConnection[];
  readonly problems: readonly Problem[];
}> {
  const { connections, file } = await list();
  return { connections: connections.map(withoutSecret), problems: file.ok ? [] : file.problems };
}

function withoutSecret({ id, store, connection }: StoredConnection): ListedConnection {
  if (!connection.ok) return { id, store, problem: connection.problems.map(({ message }) => message).join(' ') };
  const { kind, origin } = connection.value;
  return { id, store, kind, origin: new URL(origin).origin };
}

/** A connection that is to be added: its secret is apart, so that no argument holds it. */
export interface NewConnection {
  readonly id: string;
  readonly members: JsonObject;
  readonly secret: string;
  /** It may take the place of one of its id. */
  readonly replaces: boolean;
}

export interface AddedConnection extends ListedConnection {
  readonly is_replaced: boolean;
}

const IS_ID = new RegExp(`^${SLUG}$`);

/** Adds a connection to the file of this user. */
export async function addConnection(
  { add, lookUp }: Pick<OperatorConnections, 'add' | 'lookUp'>,
  { id, members, secret, replaces }: NewConnection,
): Promise<Outcome<AddedConnection>> {
  if (!IS_ID.test(id) || id.length > 64)
    return refuse(problem('CONNECTION_INVALID', { place: id, reason: 'its id is no lower-case name' }));
  if (lookUp(connectionVariable(id)) !== undefined)
    return refuse(problem('CONNECTION_INVALID', { place: id, reason: `${connectionVariable(id)} would hide it` }));
  const added = await add(id, { ...members, secret }, replaces);
  if (!added.ok) return added;
  const { connection, is_replaced } = added.value;
  return succeed({ ...withoutSecret({ id, store: 'file', connection: succeed(connection) }), is_replaced });
}

export interface RemovedConnection {
  readonly id: string;
  /** The variable that still sets one of this id. */
  readonly still_set_by?: string;
}

/** Takes a connection out of the file of this user. One of the environment is the operator's to unset. */
export async function removeConnection(
  { remove, list, lookUp }: Pick<OperatorConnections, 'remove' | 'list' | 'lookUp'>,
  id: string,
): Promise<Outcome<RemovedConnection>> {
  const removed = await remove(id);
  if (!removed.ok) return removed;
  const variable = connectionVariable(id);
  const still_set_by = lookUp(variable) === undefined ? undefined : variable;
  if (removed.value) return succeed({ id, ...present({ still_set_by }) });
  if (still_set_by !== undefined) return refuse(problem('CONNECTION_OF_ENVIRONMENT', { variable: still_set_by }));
  const known = (await list()).connections.map((connection) => connection.id);
  return refuse(problem('CONNECTION_UNKNOWN', { id, ...among(id, known) }));
}

export interface ConnectionTest extends TestedConnection {
  readonly id: string;
}

/** Makes one request with a connection. */
export async function tryConnection(
  { find, list }: Pick<OperatorConnections, 'find' | 'list'>,
  test: TestConnection,
  { id, path }: { readonly id: string; readonly path: string },
): Promise<Outcome<ConnectionTest>> {
  const found = await find(id);
  if (!found.ok) return found;
  if (found.value !== undefined) return succeed({ id, ...(await test(id, path)) });
  const known = (await list()).connections.map((connection) => connection.id);
  return refuse(problem('CONNECTION_UNKNOWN', { id, ...among(id, known) }));
}
