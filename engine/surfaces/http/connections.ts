import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

// A connection is busy while an authorised request that has been read whole waits for its answer. Every other
// connection is idle: it has sent nothing, half a request, or an unauthorised one. Where the limit is exceeded, the
// connection that has been idle for longest is closed: of the same address first, else of any. So a flood of strangers
// displaces itself, and neither health checks nor an operator wait for it. Where all are busy, one that is busy for a
// consumer is closed, so that consumers keep no operator out. Where all are busy for operators, the new one is refused.

interface ConnectionLimits {
  readonly all: number;
  readonly per_address: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = { all: 1_000, per_address: 200 };

/** How many requests may be sent over a connection before the first is answered (pipelining). */
const UNANSWERED_MAX = 16;

/** How long a connection that has been given its last answer may take to read it. */
const LINGER_MS = 500;

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export type Connections = ReturnType<typeof openConnections>;

interface Connection {
  readonly socket: Socket;
  readonly address: string;
  /** Requests whose heads have been read, and that have no answer yet. */
  requests: number;
  /** As many of them as make it busy, and those of them that are an operator's. */
  kept: number;
  of_operator: number;
}

/** Connections within limits, none of which is open yet. */
export function openConnections(limits: ConnectionLimits) {
  // Ordered by the moment of becoming idle: a connection moves to the end whenever it does.
  const connections = new Map<Socket, Connection>();
  let is_ending = false;
  const open = (socket: Socket): void => {
    const address = socket.remoteAddress ?? '';
    if (is_ending || !makeRoom(connections, address, limits)) return void socket.destroy();
    connections.set(socket, { socket, address, requests: 0, kept: 0, of_operator: 0 });
    socket.once('close', () => connections.delete(socket));
  };
  /** @returns false where the request is to be dropped */
  const count = (socket: Socket, response: ServerResponse): boolean => {
    const connection = connections.get(socket);
    // Node hands over every request of one read, also after the first has closed the connection.
    if (connection === undefined || socket.destroyed) return false;
    connection.requests += 1;
    if (connection.requests > UNANSWERED_MAX) return socket.destroy(), false;
    response.once('close', () => {
      connection.requests -= 1;
      if (connections.delete(socket) && !socket.destroyed) connections.set(socket, connection);
      if (is_ending && connection.requests === 0) endSoon(socket);
    });
    return true;
  };
  return {
    /** Counts those of a server, and has its requests answered. @returns the server */
    limit(server: Server, answer: Answer): Server {
      const handle: Answer = (request, response) => {
        if (count(request.socket, response)) answer(request, response);
      };
      return server.on('connection', open).on('request', handle);
    },
    /** Makes a connection busy until this answer is sent: its request is authorised and has been read whole. */
    keep(response: ServerResponse, { is_of_operator }: { readonly is_of_operator: boolean }): void {
      const connection = connections.get(response.req.socket);
      if (connection === undefined) return;
      const weight = is_of_operator ? 1 : 0;
      connection.kept += 1;
      connection.of_operator += weight;
      response.once('close', () => {
        connection.kept -= 1;
        connection.of_operator -= weight;
      });
    },
    /**
     * Closes idle connections at once, and others when they are answered, or at the deadline.
     * @param within_ms the deadline; 0 for at once
     */
    end(within_ms: number): void {
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
  const found = connections.find(({ kept }) => kept === 0) ?? connections.find((one) => one.of_operator === 0);
  found?.socket.destroy();
  return found !== undefined;
}

/** Closes a connection, without waiting for a peer that keeps its half open. */
function endSoon(socket: Socket): void {
  socket.end();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}
