import assert from 'node:assert/strict';
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { lockFolder } from '../../engine/store/folder-lock.js';
import { argumentsOf } from '../support/program.js';
import { makeFolder } from '../support/folder.js';

const RIVALS = 6;
const ROUNDS = 60;
/** Long enough for every rival to have been told before it strikes. */
const NOTICE_MS = 8;

const LINUX = { skip: process.platform !== 'linux' && 'the kernel lock is for Linux' };

const root = await makeFolder({ after });

const lockOf = (folder: string): string => join(folder, 'lock');
const read = (folder: string): Promise<string> => readFile(lockOf(folder), 'utf8');

/** The lock of a process that is gone, each time another one. */
function staleLock(round: number): string {
  return JSON.stringify({ host: hostname(), pid: 2 ** 22 + 1, started: null, key: `round ${round}` });
}

function startRival(): ChildProcess {
  const [file = '', ...loaders] = argumentsOf(new URL('take-lock.js', import.meta.url)).toReversed();
  return fork(file, [], { execArgv: loaders.toReversed() });
}

async function ask(child: ChildProcess, order: object): Promise<unknown> {
  const answer = once(child, 'message');
  child.send(order);
  return ((await answer) as readonly unknown[])[0];
}

const STALE = {
  'of a process that is gone': { host: hostname(), pid: 2 ** 22 - 1, started: null },
  'of a predecessor with our own number': { host: hostname(), pid: process.pid, started: null },
  'of a process whose number another one has now': { host: hostname(), pid: process.ppid, started: null },
  'that is not readable': 'half a li',
};

for (const [name, lock] of Object.entries(STALE)) {
  const linuxOnly = name.includes('another one has now') && process.platform !== 'linux';
  test(`a lock ${name} is taken over, and nothing of it stays`, { skip: linuxOnly }, async () => {
    const folder = await mkdtemp(join(root, 'stale-'));
    await writeFile(lockOf(folder), typeof lock === 'string' ? lock : JSON.stringify(lock));
    const taken = await lockFolder(folder);
    assert.ok(taken.ok, 'the lock is not taken over');
    assert.deepEqual(await readdir(folder), ['lock']);
    assert.equal((JSON.parse(await read(folder)) as { pid: number }).pid, process.pid);
    await taken.value.release();
  });
}

test('a holder without a file descriptor does not take its lock for stolen', LINUX, async () => {
  const folder = await mkdtemp(join(root, 'crowded-'));
  const words = argumentsOf(new URL('crowded-holder.js', import.meta.url));
  const limited = ['-c', 'ulimit -n 128; exec "$0" "$@"', process.execPath, ...words, folder];
  const holder = spawn('sh', limited, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  assert.deepEqual(((await once(holder, 'message')) as readonly unknown[])[0], [true, 'EMFILE']);
});

test('the lock of another host stays until a person removes it', async () => {
  const folder = await mkdtemp(join(root, 'elsewhere-'));
  await writeFile(lockOf(folder), JSON.stringify({ host: 'far-away', pid: 7, started: null }));
  const refused = await lockFolder(folder);
  assert.ok(!refused.ok);
  const [problem] = refused.problems;
  assert.equal(problem?.code, 'DATABASE_LOCKED');
  assert.match(problem.message, /process 7 on host far-away/);
  assert.match(problem.repair ?? '', /delete .*lock/);
});

test('of many processes that find a stale lock at one instant, one takes it, time and again', async () => {
  const folder = await mkdtemp(join(root, 'rivals-'));
  const rivals = Array.from({ length: RIVALS }, startRival);
  try {
    await Promise.all(rivals.map((rival) => once(rival, 'message')));
    for (let round = 1; round <= ROUNDS; round++) {
      await writeFile(lockOf(folder), staleLock(round));
      const at = Date.now() + NOTICE_MS;
      const answers = await Promise.all(rivals.map((rival) => ask(rival, { folder, at })));
      const outcomes = answers.map((answer) => String(answer).replace(/ by .*/, '')).toSorted();
      const others = Array.from({ length: RIVALS - 1 }, () => 'DATABASE_LOCKED');
      assert.deepEqual(outcomes, [...others, 'holds'], `round ${round}`);
      assert.deepEqual(await readdir(folder), ['lock']);
      await Promise.all(rivals.map((rival) => ask(rival, { folder })));
    }
  } finally {
    for (const rival of rivals) rival.kill('SIGKILL');
  }
});

const TAMPERED: Readonly<Record<string, (file: string) => Promise<unknown>>> = {
  deleted: (file) => rm(file),
  emptied: (file) => writeFile(file, ''),
  'replaced by a stale one': (file) => writeFile(file, staleLock(1)),
};

for (const [how, tamper] of Object.entries(TAMPERED)) {
  test(`a folder whose lock file is ${how} stays its living holder's, who knows of it`, LINUX, async () => {
    const folder = await mkdtemp(join(root, 'tampered-'));
    const rival = startRival();
    try {
      await once(rival, 'message');
      const lock = await lockFolder(folder);
      assert.ok(lock.ok);
      assert.equal(lock.value.isHeld(), true);
      await tamper(lockOf(folder));
      assert.equal(lock.value.isHeld(), false);
      assert.match(String(await ask(rival, { folder, at: 0 })), /^DATABASE_LOCKED/);
      await lock.value.release();
      assert.equal(await ask(rival, { folder, at: 0 }), 'holds');
    } finally {
      rival.kill('SIGKILL');
    }
  });
}

test('a folder whose holder was killed is free at once', LINUX, async () => {
  const folder = await mkdtemp(join(root, 'killed-'));
  const holder = startRival();
  await once(holder, 'message');
  assert.equal(await ask(holder, { folder, at: 0 }), 'holds');
  const gone = once(holder, 'exit');
  holder.kill('SIGKILL');
  await gone;
  const lock = await lockFolder(folder);
  assert.ok(lock.ok);
  await lock.value.release();
  assert.deepEqual(await readdir(folder), []);
});

test('a lock file that names a living process which has no kernel lock is taken over', LINUX, async (t) => {
  const folder = await mkdtemp(join(root, 'planted-'));
  const bystander = spawn('sleep', ['600'], { stdio: 'ignore' });
  t.after(() => bystander.kill());
  await writeFile(lockOf(folder), JSON.stringify({ host: hostname(), pid: bystander.pid }));
  const lock = await lockFolder(folder);
  assert.ok(lock.ok);
  assert.equal((JSON.parse(await read(folder)) as { pid: number }).pid, process.pid);
  await lock.value.release();
});

test('the lock of a container of this host is known to be free once the container is gone', LINUX, async () => {
  const folder = await mkdtemp(join(root, 'container-'));
  const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  await writeFile(lockOf(folder), JSON.stringify({ host: 'a-container', pid: 1, boot }));
  const lock = await lockFolder(folder);
  assert.ok(lock.ok);
  const second = await lockFolder(folder);
  assert.equal(second.ok ? undefined : second.problems[0]?.details?.['pid'], process.pid);
  await lock.value.release();
});

test('the kernel lock has no name that another user could take', LINUX, async () => {
  const folder = await mkdtemp(join(root, 'named-'));
  const names = async (): Promise<readonly string[]> =>
    (await readFile('/proc/net/unix', 'utf8')).split('\n').filter((line) => line.includes('@chukwa'));
  const before = await names();
  const lock = await lockFolder(folder);
  assert.ok(lock.ok);
  assert.deepEqual(await names(), before);
  await lock.value.release();
});

test('a lock file that is larger than any is refused, and not read', async () => {
  const folder = await mkdtemp(join(root, 'large-'));
  await writeFile(lockOf(folder), '');
  await truncate(lockOf(folder), 1_073_741_824);
  const refused = await lockFolder(folder);
  assert.equal(refused.ok ? undefined : refused.problems[0]?.code, 'DATABASE_LOCK_UNUSABLE');
  await rm(lockOf(folder));
  const lock = await lockFolder(folder);
  assert.ok(lock.ok);
  await truncate(lockOf(folder), 1_073_741_824);
  assert.equal(lock.value.isHeld(), false);
  await lock.value.release();
});

test('releasing a lock that a person has given to another process leaves it there', async () => {
  const folder = await mkdtemp(join(root, 'given-'));
  const lock = await lockFolder(folder);
  assert.ok(lock.ok);
  await writeFile(lockOf(folder), staleLock(1));
  await lock.value.release();
  assert.equal(await read(folder), staleLock(1));
});
