import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import type { Problem } from '../../engine/contract/problem.js';
import type { Store } from '../../engine/store/open-store.js';
import { openInFolder } from '../../engine/store/embedded.js';
import { openStore } from '../../engine/store/open-store.js';
import { MIGRATIONS, openTestDatabase, templateFile, MIGRATION_NAMES } from '../support/databases.js';
import { begin, failing, makeWorld, playTurn, toyStart, startCall } from './record-fixtures.js';
import { argumentsOf } from '../support/program.js';
import { makeFolder } from '../support/folder.js';

const root = await makeFolder({ after });
let template_file = '';
const stores: Store[] = [];
const children: ChildProcess[] = [];

before(async () => {
  template_file = await templateFile();
});
afterEach(async () => {
  for (const store of stores.splice(0)) await store.database.close();
  for (const child of children.splice(0)) await kill(child);
});

interface Where {
  readonly data_dir: string;
  readonly url?: string;
  readonly migrations_dir?: string;
  readonly template_file?: string;
}

async function open(where: Where): Promise<Store> {
  const opened = await openStore({ migrations_dir: MIGRATIONS, template_file, ...where });
  if (!opened.ok) throw new Error(opened.problems[0]?.message);
  stores.push(opened.value);
  return opened.value;
}

async function refusal(where: Where): Promise<Problem> {
  const opened = await openStore({ migrations_dir: MIGRATIONS, template_file, ...where });
  if (opened.ok) stores.push(opened.value);
  const [problem] = opened.ok ? [] : opened.problems;
  if (!problem) throw new Error('the store opened');
  return problem;
}

/** Another process that holds the database of a folder. */
async function hold(data_dir: string): Promise<ChildProcess & { readonly pid: number }> {
  const program = argumentsOf(new URL('hold-database.js', import.meta.url));
  const child = spawn(process.execPath, [...program, data_dir, MIGRATIONS, template_file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [line] = (await once(child.stdout, 'data')) as readonly unknown[];
  assert.equal(String(line), 'open\n');
  if (child.pid === undefined) throw new Error('the process has no number');
  return Object.assign(child, { pid: child.pid });
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

test('a folder that is not there is made, for this user alone, and keeps what was stored', async () => {
  const data_dir = join(root, 'new', 'deep');
  const store = await open({ data_dir });
  await makeWorld(store, 'kept');
  assert.equal((await stat(data_dir)).mode & 0o777, 0o700);
  await store.database.close();
  stores.pop();
  const again = await open({ data_dir });
  assert.equal((await again.worlds.find('kept'))?.turn, 0);
  assert.deepEqual(await again.database.migrate(), []);
});

test('without a template a folder is still made, and the migrations are reported', async () => {
  const store = await open({ data_dir: join(root, 'plain'), template_file: join(root, 'no-such-file') });
  assert.deepEqual(await store.database.migrate(), MIGRATION_NAMES);
});

test('a template that is damaged is named, and its folder can be opened once it is whole', async () => {
  const damaged = join(root, 'damaged.tar.gz');
  await writeFile(damaged, (await readFile(template_file)).subarray(0, 100_000));
  const data_dir = join(root, 'of-damaged');
  for (const url of ['', 'memory:']) {
    const { code, message } = await refusal({ data_dir, url, template_file: damaged });
    assert.equal(code, 'DATABASE_TROUBLED');
    assert.ok(message.includes(`${damaged}, of which it is made, cannot be unpacked`), message);
  }
  assert.deepEqual(await (await open({ data_dir })).database.migrate(), []);
});

test('a process that a lost one left running is ended by the next opener of the folder, and reported once', async () => {
  const data_dir = join(root, 'left');
  const store = await open({ data_dir });
  for (const slug of ['left', 'other']) await makeWorld(store, slug);
  const { lease } = await begin(store, 'left');
  const start = toyStart('a', 1);
  await startCall(store, lease, start);
  await store.database.close();
  stores.pop();
  const again = await open({ data_dir });
  const left = await again.records.attempt(lease.attempt_id);
  assert.deepEqual([left?.status, left?.invocations[0]?.status], ['running', 'running']);
  assert.equal((await begin(again, 'other')).past, undefined);
  const next = await begin(again, 'left');
  assert.deepEqual([next.lease.attempt_id, next.past?.take_overs], [lease.attempt_id, 1]);
  await again.attempts.fail(next.lease, failing());
  assert.equal((await begin(again, 'left')).past, undefined);
});

test('a folder whose files are gone is said to be unreadable, and is not held', async () => {
  const data_dir = join(root, 'gutted');
  await (await open({ data_dir })).database.close();
  stores.pop();
  await rm(join(data_dir, 'pgdata', 'global'), { recursive: true });
  assert.equal((await refusal({ data_dir })).code, 'DATABASE_UNREADABLE');
  assert.deepEqual(await readdir(data_dir), ['pgdata']);
});

for (const [what, left] of [
  ['have lost the one by which they are known', []],
  ['are those of something else', ['notes.txt']],
] as const)
  test(`files that ${what} are said to be unreadable, and left as they are`, async () => {
    const data_dir = join(root, `unknown-${left.length}`);
    const place = join(data_dir, 'pgdata');
    if (left.length === 0) {
      await makeWorld(await open({ data_dir }), 'kept');
      await stores.pop()?.database.close();
      await rm(join(place, 'PG_VERSION'));
    } else await mkdir(place, { recursive: true });
    for (const file of left) await writeFile(join(place, file), 'mine');
    const before = await readdir(place, { recursive: true });
    const { code, message } = await refusal({ data_dir });
    assert.equal(code, 'DATABASE_UNREADABLE');
    assert.match(message, /PG_VERSION is missing/);
    assert.deepEqual(await readdir(place, { recursive: true }), before);
  });

test('files that PostgreSQL does not start from are not called damaged where the disk has no room', async () => {
  const data_dir = join(root, 'tight');
  await (await open({ data_dir })).database.close();
  stores.pop();
  await rm(join(data_dir, 'pgdata', 'global'), { recursive: true });
  const openWith = async (free_bytes: number): Promise<Problem | undefined> => {
    const opened = await openInFolder(data_dir, template_file, { findRoom: async () => free_bytes });
    return opened.ok ? undefined : opened.problems[0];
  };
  const tight = await openWith(307_200);
  assert.equal(tight?.code, 'DATABASE_FULL');
  assert.match(`${tight.message} ${tight.repair}`, /300 KiB are free on their disk\. Make room/);
  assert.equal((await openWith(1e9))?.code, 'DATABASE_UNREADABLE');
  assert.doesNotMatch(JSON.stringify([tight, await openWith(1e9)]), /ASSERTIONS/);
});

test('a folder whose making was cut short is made anew', async () => {
  const data_dir = join(root, 'half');
  await mkdir(join(data_dir, 'pgdata.new', 'global'), { recursive: true });
  await writeFile(join(data_dir, 'pgdata.new', 'PG_VERSION'), 'half');
  assert.deepEqual(await (await open({ data_dir })).worlds.list(), []);
});

test('a second opener in the same process is refused, and told which it is', async () => {
  const data_dir = join(root, 'twice');
  await open({ data_dir });
  const problem = await refusal({ data_dir });
  assert.equal(problem.code, 'DATABASE_LOCKED');
  assert.match(problem.message, new RegExp(`process ${process.pid}\\b`));
});

test('another process is named while it lives, and after kill -9 its folder opens with all that it stored', async () => {
  const data_dir = join(root, 'shared');
  const holder = await hold(data_dir);
  const problem = await refusal({ data_dir });
  assert.equal(problem.code, 'DATABASE_LOCKED');
  assert.match(problem.message, new RegExp(`process ${holder.pid}\\b`));
  assert.match(problem.repair ?? '', /CHUKWA_DATABASE_URL with PostgreSQL/);
  await kill(holder);
  const store = await open({ data_dir });
  assert.equal((await store.worlds.find('made-elsewhere'))?.turn, 0);
});

test('a place where no folder can be made is refused, and not waited for', async () => {
  const problem = await refusal({ data_dir: '/proc/chukwa/data' });
  assert.equal(problem.code, 'DATABASE_FOLDER_UNUSABLE');
});

test('a path that is a file, or leads through one, is no folder', async () => {
  const file = join(root, 'file');
  await writeFile(file, '');
  for (const data_dir of [file, join(file, 'below')]) {
    const problem = await refusal({ data_dir });
    assert.equal(problem.code, 'DATABASE_FOLDER_UNUSABLE');
    assert.ok(problem.message.includes(data_dir));
  }
});

test('a path that is too long, or goes in a circle, is no folder', async () => {
  const circle = join(root, 'circle');
  await symlink(circle, circle);
  for (const data_dir of [join(circle, 'below'), join(root, 'x'.repeat(300))])
    assert.equal((await refusal({ data_dir })).code, 'DATABASE_FOLDER_UNUSABLE');
});

test('a server that does not answer is named without its password', async () => {
  const problem = await refusal({ data_dir: root, url: 'postgres://me:hunter2@127.0.0.1:1/worlds' });
  assert.equal(problem.code, 'DATABASE_UNREACHABLE');
  assert.match(problem.message, /127\.0\.0\.1:1\/worlds/);
  assert.doesNotMatch(JSON.stringify(problem), /hunter2/);
});

test('an address that asks for encryption makes the driver print no warning', async () => {
  const warnings: string[] = [];
  const listen = (warning: Error): void => void warnings.push(warning.message);
  process.on('warning', listen);
  for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full']) {
    const url = `postgres://somebody@127.0.0.1:1/nowhere?sslmode=${mode}&connect_timeout=5`;
    assert.equal((await refusal({ data_dir: root, url })).code, 'DATABASE_UNREACHABLE');
  }
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', listen);
  assert.deepEqual(warnings, []);
});

test('a text that is no address of a database is said to be none, and not repeated', async () => {
  for (const url of ['mysql://me:hunter2@host/db', 'hunter2', 'postgres://[hunter2']) {
    const problem = await refusal({ data_dir: root, url });
    assert.equal(problem.code, 'DATABASE_URL_INVALID');
    assert.doesNotMatch(JSON.stringify(problem), /hunter2/);
  }
});

test('a database in memory is a new one each time', async () => {
  await makeWorld(await open({ data_dir: root, url: 'memory:' }), 'brief');
  assert.deepEqual(await (await open({ data_dir: root, url: 'memory:' })).worlds.list(), []);
});

test('a PostgreSQL database that cannot hold every text is refused', async () => {
  const { outside, url, close } = await openTestDatabase('PostgreSQL');
  const name = `latin_${process.pid}`;
  try {
    await outside.query(`CREATE DATABASE ${name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
    const address = new URL(url ?? '');
    address.pathname = `/${name}`;
    const problem = await refusal({ data_dir: root, url: address.href });
    assert.equal(problem.code, 'DATABASE_NOT_UTF8', problem.message);
    assert.match(problem.message, /LATIN1/);
    await outside.query(`DROP DATABASE ${name}`);
  } finally {
    await close();
  }
});

test('a PostgreSQL database that two programs open at once is migrated once', async () => {
  const { outside, url, close } = await openTestDatabase('PostgreSQL');
  try {
    await outside.query('DROP SCHEMA public CASCADE');
    await outside.query('CREATE SCHEMA public');
    const where = { data_dir: root, ...(url === undefined ? {} : { url }) };
    const both = await Promise.all([open(where), open(where)]);
    const applied = await Promise.all(both.map((store) => store.database.migrate()));
    assert.deepEqual(applied.flat().toSorted(), MIGRATION_NAMES);
    assert.deepEqual(await (await open(where)).database.migrate(), []);
    for (const store of stores.splice(0)) await store.database.close();
  } finally {
    await close();
  }
});

test('a database that a newer program has migrated is left alone', async () => {
  const data_dir = join(root, 'newer');
  await (await open({ data_dir })).database.close();
  stores.pop();
  const migrations_dir = await mkdtemp(join(root, 'older-'));
  const problem = await refusal({ data_dir, migrations_dir });
  assert.equal(problem.code, 'DATABASE_TOO_NEW');
  assert.match(problem.message, /0001_baseline/);
  await writeFile(join(migrations_dir, '0001_baseline.sql'), '-- edited');
  assert.equal((await refusal({ data_dir, migrations_dir })).code, 'DATABASE_MIGRATION_CHANGED');
});

test('a copy of the folder of an embedded database is a back-up, and both can be used at once', async () => {
  const [data_dir, copy] = [join(root, 'original'), join(root, 'copy')];
  const first = await open({ data_dir });
  await makeWorld(first, 'kept');
  await playTurn(first, 'kept', { before: 'rested', after: 'tired' });
  await first.database.close();
  stores.pop();
  await cp(data_dir, copy, { recursive: true });
  const [original, restored] = [await open({ data_dir }), await open({ data_dir: copy })];
  assert.deepEqual(await restored.worlds.snapshot('kept', 1), await original.worlds.snapshot('kept', 1));
  await playTurn(restored, 'kept', { before: 'tired', after: 'awake' });
  assert.equal((await original.worlds.find('kept'))?.turn, 1);
});
