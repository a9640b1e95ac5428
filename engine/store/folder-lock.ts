import { link, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { readFileSync, readlinkSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Outcome } from '../contract/problem.js';
import { sha256 } from '../core/content/sha256.js';
import { databaseLocked } from './problems.js';

// A folder is held by the process that its file `lock` names. Files appear whole (a hard link to a finished one), so two
// openers cannot both make one, and no two ever hold the same text.
//
// A lock is stale when its process is gone, though nobody may have asked yet how it ended, or is another one that got the
// same number: the kernel's start time tells.
// Of other hosts, and of other process namespaces of this one, nothing can be known, so their locks stand until a
// person removes them.
//
// Whoever finds a stale lock links a claim, named after the text that it succeeds: one claim for each text, so one
// successor. If the lock still says what it said before the claim, the claim is good and takes the lock's place.
// A claimant that dies in between is itself succeeded, by a claim named after its text.

/** A folder that this process has for itself. */
export interface FolderLock {
  release(): Promise<void>;
}

interface LockHolder {
  readonly host: string;
  /** The process namespace in which the number counts; null where the platform has none. */
  readonly namespace: string | null;
  readonly pid: number;
  /** When the process began, in the kernel's ticks; null where the platform does not tell. */
  readonly started: string | null;
}

const held = new Set<string>();

/**
 * Takes a folder for this process.
 * @returns the lock, or a problem that names the process that has it
 */
export async function lockFolder(folder: string): Promise<Outcome<FolderLock>> {
  const place = await realpath(folder);
  const lockFile = join(place, 'lock');
  const self = toHolder();
  if (held.has(place)) return { ok: false, problems: [toProblem(place, lockFile, self)] };
  held.add(place);
  try {
    const text = JSON.stringify({ ...self, key: randomUUID() });
    const holder = await takeFile(lockFile, self, text);
    if (holder) {
      held.delete(place);
      return { ok: false, problems: [toProblem(place, lockFile, holder)] };
    }
    return { ok: true, value: { release: () => release(place, lockFile, text) } };
  } catch (error) {
    held.delete(place);
    throw error;
  }
}

async function release(place: string, lockFile: string, text: string): Promise<void> {
  if ((await readLock(lockFile)) === text) await rm(lockFile, { force: true });
  held.delete(place);
}

function toHolder(): LockHolder {
  return {
    host: hostname(),
    namespace: findNamespace(),
    pid: process.pid,
    started: findProcess(process.pid)?.started ?? null,
  };
}

function toProblem(folder: string, lockFile: string, { host, namespace, pid }: LockHolder) {
  const elsewhere =
    host !== hostname()
      ? { where: `on host ${host}`, gone: 'that host' }
      : isForeign(namespace, findNamespace())
        ? { where: 'in another container of this host', gone: 'that container' }
        : undefined;
  return databaseLocked(folder, {
    host,
    pid,
    lock_file: lockFile,
    ...(elsewhere === undefined ? {} : { elsewhere }),
  });
}

/** @returns who has the file, where it could not be taken */
async function takeFile(lockFile: string, self: LockHolder, text: string): Promise<LockHolder | undefined> {
  const draft = `${lockFile}.draft.${randomUUID()}`;
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
    for (;;) {
      if (await linkOnce(draft, lockFile)) break;
      const chain = await readChain(lockFile);
      if (chain === undefined) continue;
      const holder = parseHolder(chain.last);
      if (holder && isAlive(holder, self)) return holder;
      if (await succeed(lockFile, draft, chain)) break;
    }
    await sweepClaims(lockFile);
    return undefined;
  } finally {
    await rm(draft, { force: true });
  }
}

/** What the lock says, and the last of those that succeeded it without living to take its place. */
interface Chain {
  readonly lock: string;
  readonly last: string;
}

async function readChain(lockFile: string): Promise<Chain | undefined> {
  const lock = await readLock(lockFile);
  if (lock === undefined) return undefined;
  let last = lock;
  for (;;) {
    const next = await readLock(claimOf(lockFile, last));
    if (next === undefined) return { lock, last };
    last = next;
  }
}

/**
 * Claims the succession of a dead holder and takes its place.
 * @returns false where somebody else was faster
 */
async function succeed(lockFile: string, draft: string, { lock, last }: Chain): Promise<boolean> {
  const claim = claimOf(lockFile, last);
  if (!(await linkOnce(draft, claim))) return false;
  // The claim of a faster one may have become the lock and left its name free: then the lock says something new.
  if ((await readLock(lockFile)) !== lock) {
    await rm(claim, { force: true });
    return false;
  }
  await rename(claim, lockFile);
  return true;
}

function claimOf(lockFile: string, text: string): string {
  return `${lockFile}.after.${sha256(text).slice(0, 16)}`;
}

/** Once the folder is taken every claim is one that was too late, or that its maker did not live to use. */
async function sweepClaims(lockFile: string): Promise<void> {
  const folder = dirname(lockFile);
  const claims = (await readdir(folder)).filter((name) => name.startsWith(`${basename(lockFile)}.after.`));
  await Promise.all(claims.map((name) => rm(join(folder, name), { force: true })));
}

async function linkOnce(draft: string, place: string): Promise<boolean> {
  try {
    await link(draft, place);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

async function readLock(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function parseHolder(text: string): LockHolder | undefined {
  try {
    const { host, namespace, pid, started } = JSON.parse(text) as Partial<LockHolder>;
    return typeof host === 'string' && typeof pid === 'number'
      ? { host, namespace: namespace ?? null, pid, started: started ?? null }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a lock's holder may still run; whoever cannot be looked at is taken for living. */
function isAlive(holder: LockHolder, self: LockHolder): boolean {
  if (holder.host !== self.host || isForeign(holder.namespace, self.namespace)) return true;
  // Where the kernel does not tell when a process began, our own number in a lock that we do not hold is a predecessor's.
  if (holder.pid === self.pid) return holder.started !== null && holder.started === self.started;
  if (!isRunning(holder.pid)) return false;
  const found = findProcess(holder.pid);
  if (found === null) return true;
  return !found.has_ended && (holder.started === null || holder.started === found.started);
}

function isForeign(namespace: string | null, own: string | null): boolean {
  return namespace !== null && own !== null && namespace !== own;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

interface FoundProcess {
  /** Boot and start time, which no later process of the same number shares. */
  readonly started: string;
  /** It is over, and its parent has not asked yet how it ended. */
  readonly has_ended: boolean;
}

/** Linux: what the kernel tells of a process; null elsewhere. */
function findProcess(pid: number): FoundProcess | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    // The name stands in brackets and may hold spaces; after it the state comes first, and the start time twentieth.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { started: `${boot}/${fields[19]}`, has_ended: /^[ZXx]$/.test(fields[0] ?? '') };
  } catch {
    return null;
  }
}

/** Linux: what tells one container's process numbers from another's. */
function findNamespace(): string | null {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return null;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
