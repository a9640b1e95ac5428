import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { test } from 'node:test';
import { findFault } from '../../engine/store/database-fault.js';
import { openServer } from '../../engine/store/server.js';
import { openTestDatabase } from '../support/databases.js';

const ANSWER_MS = 300;

/** A wire between a client and its server, which can stop carrying bytes. */
interface Wire {
  readonly url: string;
  freeze(): void;
  close(): void;
}

async function openWire(url: string): Promise<Wire> {
  const address = new URL(url);
  const folder = address.searchParams.get('host');
  const sockets: Socket[] = [];
  const server: Server = createServer((near) => {
    const far = folder
      ? connect(`${folder}/.s.PGSQL.5432`)
      : connect(Number(address.port === '' ? 5432 : address.port), address.hostname);
    for (const socket of [near, far]) sockets.push(socket.on('error', () => {}));
    near.pipe(far).pipe(near);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  address.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  address.searchParams.delete('host');
  return {
    url: address.href,
    freeze: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

test('a server that falls silent is taken for lost, and closing does not wait for it', async () => {
  const real = await openTestDatabase('PostgreSQL');
  const wire = await openWire(real.url ?? '');
  try {
    const opened = await openServer(wire.url, ANSWER_MS);
    assert.ok(opened.ok);
    const database = opened.value;
    assert.equal((await database.query('SELECT 1')).rowCount, 1);
    wire.freeze();
    await assert.rejects(database.query('SELECT 1'), (error) => findFault(error)?.kind === 'lost');
    await database.close();
  } finally {
    wire.close();
    await real.close();
  }
});
