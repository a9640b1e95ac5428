import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import pg from 'pg';
import { openFrontendReader } from './frontend-messages.js';

/** A door to a database server that notes every round trip which passes. */
export interface CountingProxy {
  /** The address to give to a client. */
  readonly url: string;
  /** The statements since the last time, one a round trip, in order. */
  take(): readonly string[];
  close(): Promise<void>;
}

/** Opens a door on loopback to the server and database of an address. */
export async function openCountingProxy(url: string): Promise<CountingProxy> {
  let received: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const reader = openFrontendReader((statement) => received.push(statement));
    const upstream = connect(toTarget(url));
    client.on('data', (bytes) => reader.read(bytes));
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => sockets.delete(from));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: throughPort(url, (server.address() as AddressInfo).port),
    take: () => {
      const taken = received;
      received = [];
      return taken;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function toTarget(url: string): { readonly path: string } | { readonly host: string; readonly port: number } {
  const { host, port } = new pg.Client({ connectionString: url });
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
}

function throughPort(url: string, port: number): string {
  const address = new URL(url);
  address.hostname = '127.0.0.1';
  address.port = String(port);
  address.searchParams.delete('host');
  return address.href;
}
