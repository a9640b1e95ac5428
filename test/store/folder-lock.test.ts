import assert from 'node:assert/strict';
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readlinkSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { lockFolder } from '../../engine/store/folder-lock.js';
import { acquireKernelLock } from '../../engine/store/kernel-lock.js';
import { waitUntil } from '../support/wait-until.js';
import { argumentsOf } from '../support/program.js';

const RIVALS = 6;
const ROUNDS = 60;
/** Long enough for every rival to have been told before it strikes. */
const NOTICE_MS = 8;

const LINUX = { skip: process.platform !== 'linux' && 'the kernel lock is for Linux' };

let root = '';
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'chukwa-lock-'));
});
after(() => rm(root, { recursive: true }));

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
      assert.equal(await ask(rival, { folder, at: 0 }), `DATABASE_LOCKED by ${process.pid}`);
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

/** Where processes have no namespaces that can be read. */
const NAMED = { skip: findNamespace() === undefined && 'this system names no process namespaces' };

test('a lock file that names a living process which has no kernel lock is taken over', NAMED, async (t) => {
  const folder = await mkdtemp(join(root, 'planted-'));
  const bystander = spawn('sleep', ['600'], { stdio: 'ignore' });
  t.after(() => bystander.kill());
  const planted = { host: hostname(), namespace: findNamespace(), pid: bystander.pid, started: null };
  await writeFile(lockOf(folder), JSON.stringify(planted));
  const lock = await lockFolder(folder);
  assert.ok(lock.ok);
  assert.equal((JSON.parse(await read(folder)) as { pid: number }).pid, process.pid);
  await lock.value.release();
});

test('a lock of another process namespace is not judged from this one', NAMED, async () => {
  const folder = await mkdtemp(join(root, 'namespace-'));
  const elsewhere = { host: hostname(), namespace: 'pid:[1]', pid: 2 ** 22 + 1, started: null };
  await writeFile(lockOf(folder), JSON.stringify(elsewhere));
  const lock = await lockFolder(folder);
  assert.ok(!lock.ok);
  assert.equal(lock.problems[0]?.code, 'DATABASE_LOCKED');
  assert.match(lock.problems[0]?.message ?? '', /in another container of this host/);
  assert.match(lock.problems[0]?.repair ?? '', /delete .*lock/);
});

function findNamespace(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return undefined;
  }
}

test('a lock names the process namespace of its holder', NAMED, async () => {
  const folder = await mkdtemp(join(root, 'named-'));
  const lock = await lockFolder(folder);
  assert.ok(lock.ok);
  assert.equal((JSON.parse(await read(folder)) as { namespace: string }).namespace, findNamespace());
  await lock.value.release();
});

test('a holder that has ended and that its parent has not asked for is gone', NAMED, async (t) => {
  const folder = await mkdtemp(join(root, 'unreaped-'));
  // The program in the shell's place knows nothing of its child.
  const parent = spawn('sh', ['-c', 'sleep 600 & echo $!; exec sleep 600'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [said] = (await once(parent.stdout, 'data')) as readonly Buffer[];
  const pid = Number(said);
  t.after(() => [pid, parent.pid ?? pid].forEach((each) => process.kill(each, 'SIGKILL')));
  const text = JSON.stringify({ host: hostname(), pid, started: null });
  await writeFile(lockOf(folder), text);
  const kernel = await acquireKernelLock(folder, text);
  assert.ok(kernel.kind === 'taken');
  assert.equal((await lockFolder(folder)).ok, false);
  kernel.release();
  process.kill(pid, 'SIGKILL');
  await waitUntil(async () => / Z /.test(await readFile(`/proc/${pid}/stat`, 'utf8')));
  const lock = await lockFolder(folder);
  assert.ok(lock.ok);
  await lock.value.release();
});

test('a lock with our own process id and start time is our own', NAMED, async () => {
  const folder = await mkdtemp(join(root, 'self-'));
  const lock = await lockFolder(folder);
  assert.ok(lock.ok);
  const text = await read(folder);
  await lock.value.release();
  await writeFile(lockOf(folder), text);
  const kernel = await acquireKernelLock(folder, text);
  assert.ok(kernel.kind === 'taken');
  const second = await lockFolder(folder);
  assert.ok(!second.ok);
  assert.equal(second.problems[0]?.details?.['pid'], process.pid);
  kernel.release();
});

test('releasing a lock that a person has given to another process leaves it there', async () => {
  const folder = await mkdtemp(join(root, 'given-'));
  const lock = await lockFolder(folder);
  assert.ok(lock.ok);
  await writeFile(lockOf(folder), staleLock(1));
  await lock.value.release();
  assert.equal(await read(folder), staleLock(1));
});
