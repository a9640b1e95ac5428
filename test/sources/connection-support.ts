import { succeed } from '../../engine/contract/problem.js';
import type { Invoke } from '../../engine/core/protocol/command.js';
import type { Connection } from '../../engine/generated/connection.js';
import type { ConnectionStore } from '../../engine/ports/connections.js';

/** A store of these connections, which a test may change; it remembers which of them were read. */
export function storeOf(
  connections: Record<string, Connection>,
): ConnectionStore & { readonly connections: Record<string, Connection>; readonly read: string[] } {
  const read: string[] = [];
  return {
    connections,
    read,
    find: async (id) => {
      read.push(id);
      return succeed(connections[id]);
    },
    list: async () => ({ connections: [], file: succeed({}) }),
  };
}

/** The same call, with a connection. */
export function over(connection: string, command: Invoke, granted_connections?: readonly string[]): Invoke {
  const source = { ...command.call.source, connection };
  return { ...command, call: { ...command.call, source, ...(granted_connections && { granted_connections }) } };
}
