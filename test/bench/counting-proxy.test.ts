import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { openCountingProxy } from '../../tools/bench/wire/counting-proxy.js';
import { openFrontendReader } from '../../tools/bench/wire/frontend-messages.js';
import { startPostgres } from '../../tools/postgres-server.js';

test('the proxy counts what a client and a server really exchange, by name', async () => {
  const server = await startPostgres();
  const proxy = await openCountingProxy(server.url('postgres'));
  const client = new pg.Client({ connectionString: proxy.url });
  try {
    await client.connect();
    assert.deepEqual(proxy.take(), []);
    const named = { name: 'three', text: 'SELECT $1::int + 1 AS sum', values: [2] };
    assert.deepEqual((await client.query(named)).rows, [{ sum: 3 }]);
    await client.query(named);
    await client.query('BEGIN');
    await client.query('SELECT $1::text AS nameless', ['x'.repeat(100_000)]);
    await client.query('COMMIT');
    assert.deepEqual(proxy.take(), ['three', 'three', 'BEGIN', 'SELECT $1::text AS nameless', 'COMMIT']);
    assert.deepEqual(proxy.take(), []);
  } finally {
    await client.end();
    await proxy.close();
    await server.stop();
  }
});

test('messages are read however they are cut', () => {
  const text = (value: string): Buffer => Buffer.from(`${value}\0`);
  const message = (type: string, body: Buffer): Buffer => {
    const header = Buffer.alloc(5);
    header.write(type, 0);
    header.writeUInt32BE(body.length + 4, 1);
    return Buffer.concat([header, body]);
  };
  const start = message('-', Buffer.from([0, 3, 0, 0, 0])).subarray(1);
  const bytes = Buffer.concat([
    start,
    message('P', Buffer.concat([text('plan'), text('SELECT 1'), Buffer.from([0, 0])])),
    message('B', Buffer.concat([text(''), text('plan'), Buffer.alloc(6)])),
    message('S', Buffer.alloc(0)),
    message('Q', text('COMMIT')),
  ]);
  for (const size of [1, 3, 7, bytes.length]) {
    const received: string[] = [];
    const reader = openFrontendReader((statement) => received.push(statement));
    for (let at = 0; at < bytes.length; at += size) reader.read(bytes.subarray(at, at + size));
    assert.deepEqual(received, ['plan', 'COMMIT'], `pieces of ${size}`);
  }
});
