import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

// Who is connected and asks for nothing is idle: it has sent nothing, half a head, or waits between two requests. An idle
// connection keeps nobody out. Where one connection more is too many, the idle one that has been so for longest makes
// room: of the same address first, else of any. So a flood of idle connections displaces itself, and neither health nor
// an operator has to wait for it. Where all are busy, the new one is refused.

/** How many may be connected. */
export interface ConnectionLimits {
  readonly all: number;
  readonly per_address: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = { all: 1_000, per_address: 200 };

/** How long a connection that has been given its last answer may take to read it. */
const LINGER_MS = 500;

/** The connections of a server. */
export interface Connections {
  /**
   * Ends all that are idle at once, and those that ask for something when they are answered, or when the time is over.
   * @param within_ms how long that may take; 0 for at once
   */
  end(within_ms: number): void;
}

interface Connection {
  readonly socket: Socket;
  readonly address: string;
  /** Requests that have been read and not been answered. */
  requests: number;
}

/** Limits the connections of a server, from its start on. */
export function limitConnections(server: Server, limits: ConnectionLimits): Connections {
  // In the order in which they became idle: a connection is put last whenever it does.
  const connections = new Map<Socket, Connection>();
  let is_ending = false;
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    if (is_ending || !makeRoom(connections, address, limits)) return void socket.destroy();
    connections.set(socket, { socket, address, requests: 0 });
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(socket);
    if (connection === undefined) return;
    connection.requests += 1;
    response.once('close', () => {
      connection.requests -= 1;
      if (connections.delete(socket) && !socket.destroyed) connections.set(socket, connection);
      if (is_ending && connection.requests === 0) endSoon(socket);
    });
  });
  return {
    end(within_ms) {
      is_ending = true;
      for (const { socket, requests } of connections.values()) if (requests === 0) socket.destroy();
      const timer = setTimeout(() => connections.forEach(({ socket }) => socket.destroy()), within_ms);
      timer.unref();
    },
  };
}

/** @returns false where there is none */
function makeRoom(connections: ReadonlyMap<Socket, Connection>, address: string, limits: ConnectionLimits): boolean {
  const all = [...connections.values()];
  const own = all.filter((connection) => connection.address === address);
  if (own.length >= limits.per_address) return displace(own);
  return all.length < limits.all || displace(own) || displace(all);
}

function displace(connections: readonly Connection[]): boolean {
  const idle = connections.find(({ requests }) => requests === 0);
  idle?.socket.destroy();
  return idle !== undefined;
}

/** Sends a last text to a connection and gives it up: a peer that keeps its half open is not waited for. */
export function endSoon(socket: Socket, text = ''): void {
  socket.end(text);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}
