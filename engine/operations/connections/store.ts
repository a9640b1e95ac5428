import { connectionIn, connectionVariable } from '../../contract/engine-variables.js';
import type { Json } from '../../contract/json.js';
import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import type { Validate } from '../../core/protocol/program.js';
import type { Connection } from '../../generated/connection.js';
import type { ConnectionStore } from '../../ports/connections.js';
import { parseConnection } from './parse.js';
import { readSealed, type SealedPlace, writeSealed } from './sealed-file.js';

/** The operator's connections, for commands that change some. */
export interface OperatorConnections extends ConnectionStore {
  /**
   * Adds one to the file.
   * @param replaces whether one of its id gives way to it; else that is refused, because the earlier secret would be lost
   */
  add(id: string, connection: Json, replaces: boolean): Promise<Outcome<AddedToFile>>;
  /** Takes one out of the file. @returns whether it was there */
  remove(id: string): Promise<Outcome<boolean>>;
  /** A variable of the environment. */
  lookUp(variable: string): string | undefined;
}

interface AddedToFile {
  readonly connection: Connection;
  /** There was another of its id. */
  readonly is_replaced: boolean;
}

interface StoreParts extends SealedPlace {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly validate: Validate;
}

/** The connections of the environment, and those of the file. Nothing is kept in memory between two questions. */
export function openConnections(parts: StoreParts): OperatorConnections {
  const { variables, validate } = parts;
  const inEnvironment = (variable: string): Outcome<Connection | undefined> => {
    const value = variables[variable];
    if (!value) return succeed(undefined);
    try {
      return parseConnection(variable, JSON.parse(value) as Json, validate);
    } catch {
      // The parser's words quote the value.
      return refuse(problem('CONNECTION_INVALID', { place: variable, reason: 'it is no JSON' }));
    }
  };
  return {
    lookUp: (variable) => variables[variable] || undefined,
    async find(id) {
      const own = inEnvironment(connectionVariable(id));
      if (!own.ok || own.value !== undefined) return own;
      const file = await readSealed(parts);
      if (!file.ok) return file;
      const kept = Object.hasOwn(file.value, id) ? file.value[id] : undefined;
      return kept === undefined ? succeed(undefined) : parseConnection(id, kept, validate);
    },
    async list() {
      const set = Object.keys(variables).flatMap((variable) => {
        const id = variables[variable] ? connectionIn(variable) : undefined;
        const connection = id === undefined ? undefined : (inEnvironment(variable) as Outcome<Connection>);
        return id === undefined || connection === undefined ? [] : [{ id, store: 'environment' as const, connection }];
      });
      const file = await readSealed(parts);
      const kept = Object.entries(file.ok ? file.value : {})
        .filter(([id]) => !variables[connectionVariable(id)])
        .map(([id, value]) => ({ id, store: 'file' as const, connection: parseConnection(id, value, validate) }));
      const connections = [...set, ...kept].toSorted((one, other) => (one.id < other.id ? -1 : 1));
      return { connections, file };
    },
    async add(id, given, replaces) {
      const connection = parseConnection(id, given, validate);
      if (!connection.ok) return connection;
      const file = await readSealed(parts);
      if (!file.ok) return file;
      const is_replaced = Object.hasOwn(file.value, id);
      if (is_replaced && !replaces) return refuse(problem('CONNECTION_EXISTS', { id }));
      const written = await writeSealed(parts, { ...file.value, [id]: given });
      return written.ok ? succeed({ connection: connection.value, is_replaced }) : written;
    },
    async remove(id) {
      const file = await readSealed(parts);
      if (!file.ok) return file;
      const { [id]: removed, ...kept } = file.value;
      if (removed === undefined) return succeed(false);
      const written = await writeSealed(parts, kept);
      return written.ok ? succeed(true) : written;
    },
  };
}
