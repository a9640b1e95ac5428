import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { Problem } from '../../engine/contract/problem.js';
import { findServer } from '../../engine/store/doorbell/server-doorbell.js';
import { openServer } from '../../engine/store/server.js';
import { openTestDatabase } from '../support/databases.js';
import { makeFolder } from '../support/folder.js';

const PASSWORD = 'hunter2-of-nobody';

/** How a server answers: to the wish for TLS, and then to whoever comes in. */
interface Manner {
  readonly code?: string;
  readonly said?: string;
  readonly speaksTls?: (socket: Socket) => unknown;
}

/** Something that begins as a PostgreSQL server does, until the test ends; gives host and port. */
async function beginAsServer(t: TestContext, { code = '', said = '', speaksTls }: Manner): Promise<string> {
  const sockets = new Set<Socket>();
  const refuse = (socket: Socket): void => {
    const fields = Buffer.from(`SFATAL\0C${code}\0M${said}\0\0`);
    const length = Buffer.alloc(4);
    length.writeInt32BE(fields.length + 4);
    socket.end(Buffer.concat([Buffer.from('E'), length, fields]));
  };
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.once('data', (first) => {
      const wantsTls = first.length === 8 && first.readInt32BE(4) === 80_877_103;
      if (!wantsTls) return refuse(socket);
      if (speaksTls) return void speaksTls(socket);
      socket.write('N');
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function refusalOf(place: string, words = ''): Promise<Problem> {
  const opened = await openServer(`postgres://me:${PASSWORD}@${place}/worlds${words}`);
  if (opened.ok) {
    await opened.value.close();
    throw new Error('it was opened');
  }
  const [problem] = opened.problems;
  assert.ok(problem);
  assert.doesNotMatch(JSON.stringify(problem), new RegExp(PASSWORD));
  return problem;
}

const ENTRY = 'no pg_hba.conf entry for host "1.2.3.4", user "me", database "worlds"';

const REFUSALS: readonly (readonly [what: string, manner: Manner, words: string, repair: RegExp])[] = [
  ['no such database', { code: '3D000', said: 'database "worlds" does not exist' }, '', /createdb/],
  ['a wrong password', { code: '28P01', said: 'password authentication failed' }, '', /Correct user and password.*%40/],
  ['an unknown role', { code: '28000', said: 'role "me" does not exist' }, '', /Correct user and password/],
  ['no entry without TLS', { code: '28000', said: `${ENTRY}, no encryption` }, '', /\?sslmode=require/],
  ['no entry at all', { code: '28000', said: `${ENTRY}, SSL encryption` }, '', /^Let the server's pg_hba\.conf admit/],
  ['too many clients', { code: '53300', said: 'sorry, too many clients already' }, '', /max_connections/],
  ['a server that starts', { code: '57P03', said: 'the database system is starting up' }, '', /Wait until/],
  ['a server without TLS', {}, '?sslmode=require', /sslmode=disable/],
];

for (const [what, manner, words, repair] of REFUSALS)
  test(`a PostgreSQL server that refuses by ${what} is met with a repair of that`, async (t) => {
    const problem = await refusalOf(await beginAsServer(t, manner), words);
    assert.equal(problem.code, 'DATABASE_UNREACHABLE');
    assert.match(problem.repair ?? '', repair);
  });

test('a host that is not known, and one where nobody listens, are met with their repairs', async () => {
  assert.match((await refusalOf('no-such-host.invalid')).repair ?? '', /nobody here knows this name/);
  assert.match((await refusalOf('127.0.0.1:1')).repair ?? '', /^Start the server/);
});

test('a database that a real server does not have is met with its repair', async () => {
  const { url = '', close } = await openTestDatabase('PostgreSQL');
  try {
    const other = new URL(url);
    other.pathname = '/no_such_database';
    const opened = await openServer(other.href);
    assert.match((opened.ok ? undefined : opened.problems[0]?.repair) ?? '', /createdb/);
  } finally {
    await close();
  }
});

test('a certificate of an authority of its own is met with the ways to name that', async (t) => {
  const folder = await makeFolder(t);
  const [key, cert] = [join(folder, 'a.key'), join(folder, 'a.crt')];
  const words = `req -new -x509 -days 2 -nodes -out ${cert} -keyout ${key} -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1`;
  execFileSync('openssl', words.split(' '), { stdio: 'ignore' });
  const secureContext = createSecureContext({ key: readFileSync(key), cert: readFileSync(cert) });
  const place = await beginAsServer(t, {
    speaksTls: (socket) => {
      socket.write('S');
      new TLSSocket(socket, { isServer: true, secureContext }).on('error', () => {}).once('data', () => socket.end());
    },
  });
  const problem = await refusalOf(place, '?sslmode=require');
  assert.match(problem.repair ?? '', /sslrootcert=FILE.*NODE_EXTRA_CA_CERTS.*sslmode=no-verify/);
  assert.equal(problem.details?.['may_pass'], false);
  const known = await refusalOf(place, `?sslmode=verify-full&sslrootcert=${cert}`);
  assert.doesNotMatch(known.repair ?? '', /NODE_EXTRA_CA_CERTS/, 'its authority is known then');
});

test('of a password that is not percent-encoded no message shows a part', async () => {
  for (const sign of ['/', '#', '?']) {
    const url = `postgres://keeper:123${sign}canary@127.0.0.1:1/worlds`;
    const opened = await openServer(url);
    assert.ok(!opened.ok);
    assert.equal(opened.problems[0]?.code, 'DATABASE_URL_INVALID');
    assert.match(opened.problems[0]?.repair ?? '', /^Percent-encode the password/);
    assert.doesNotMatch(JSON.stringify(opened), /canary|keeper|123/);
    assert.equal(findServer(url), undefined);
  }
});

const ADDRESSES: readonly (readonly [hosts: string, words: string, code: string, message: RegExp])[] = [
  ['127.0.0.1:1', '?sslmode=verify-full&sslrootcert=system', 'DATABASE_UNREACHABLE', /127\.0\.0\.1:1\/worlds/],
  ['127.0.0.1:1', '?sslrootcert=system', 'DATABASE_UNREACHABLE', /127\.0\.0\.1:1\/worlds/],
  ['127.0.0.1:1', '?sslrootcert=system&connect_timeout=5', 'DATABASE_UNREACHABLE', /127\.0\.0\.1:1\/worlds/],
  ['127.0.0.1:1', '?sslrootcert=/no/such.crt', 'DATABASE_URL_INVALID', /names \/no\/such\.crt in sslrootcert.*ENOENT/],
  ['127.0.0.1:1', '?sslkey=/no/such.key', 'DATABASE_URL_INVALID', /names \/no\/such\.key .*sslkey/],
  ['a:1,b:2', '', 'DATABASE_URL_INVALID', /several hosts/],
  ['', '?host=a,b', 'DATABASE_URL_INVALID', /several hosts/],
];

for (const [hosts, words, code, message] of ADDRESSES)
  test(`an address of ${hosts || 'no host'} with ${words || 'no more words'} is ${code}, and no fault of the program`, async () => {
    const problem = await refusalOf(hosts, words);
    assert.equal(problem.code, code);
    assert.match(problem.message, message);
    const bell = findServer(`postgres://me@${hosts}/worlds${words}`);
    assert.equal(bell === undefined, code === 'DATABASE_URL_INVALID');
  });
