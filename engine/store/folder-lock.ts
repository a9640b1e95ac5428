import { present } from '../contract/present.js';
import { readFileSync, readlinkSync } from 'node:fs';
import { link, lstat, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Outcome, Problem } from '../contract/problem.js';
import { type KernelOutcome, acquireKernelLock } from './kernel-lock.js';
import { databaseLocked, lockUnusable } from './problems.js';
import { isRunning } from './running-process.js';

// A folder is held by two locks. The kernel lock excludes every process of this network namespace, and nobody can delete it.
// The file `lock` names the holder to processes of other containers and hosts, and of systems without kernel locks.
//
// A file is stale when its process is gone, or has no kernel lock though the kernel would show it here. Nothing is known of
// processes of other hosts and process namespaces: their files count as valid until a person removes them. The holder
// reads the file before each statement, and does nothing more once it does not name the holder.

/** A folder that this process has for itself. */
export interface FolderLock {
  /** Whether the lock file still says that this process has the folder. */
  isHeld(): boolean;
  release(): Promise<void>;
}

interface LockHolder {
  readonly host: string;
  /** The process namespace of `pid`; null where the platform has none. */
  readonly namespace: string | null;
  readonly pid: number;
  /** Since when it has the folder, RFC 3339; left out by earlier versions. */
  readonly since?: string;
}

const held = new Set<string>();

/**
 * Locks a folder for this process.
 * @returns the lock, or a problem that names the process that has it
 */
export async function lockFolder(folder: string): Promise<Outcome<FolderLock>> {
  const place = await realpath(folder);
  const lock_file = join(place, 'lock');
  const foreign = await findForeign(lock_file);
  if (foreign !== undefined) return { ok: false, problems: [lockUnusable(place, lock_file, foreign)] };
  const self = { host: hostname(), namespace: findNamespace('pid'), pid: process.pid, since: new Date().toISOString() };
  if (held.has(place)) return { ok: false, problems: [toProblem(place, lock_file, self)] };
  held.add(place);
  const text = JSON.stringify({ ...self, key: randomUUID() });
  let kernel: KernelOutcome | undefined;
  const unlock = (): void => {
    if (kernel?.kind === 'taken') kernel.release();
    held.delete(place);
  };
  try {
    kernel = await acquireKernelLock(place, text);
    const holder =
      kernel.kind === 'held' ? (parseHolder(kernel.answer) ?? {}) : await claimFile(lock_file, text, kernel);
    if (holder) {
      unlock();
      return { ok: false, problems: [toProblem(place, lock_file, holder)] };
    }
  } catch (error) {
    unlock();
    throw error;
  }
  const isHeld = (): boolean => isText(lock_file, text);
  const release = async (): Promise<void> => {
    try {
      if (isHeld()) await rm(lock_file, { force: true });
    } finally {
      unlock();
    }
  };
  return { ok: true, value: { isHeld, release } };
}

/** @returns who has the file, where it could not be claimed */
async function claimFile(
  lock_file: string,
  text: string,
  kernel: Pick<KernelOutcome, 'kind'>,
): Promise<LockHolder | undefined> {
  for (;;) {
    const found = await readLock(lock_file);
    if (found === text) return undefined;
    const holder = found === undefined ? undefined : parseHolder(found);
    if (holder && mayHold(holder, kernel.kind === 'taken')) return holder;
    // Without a kernel lock another process may do the same at this instant: the file is read again.
    await writeLock(lock_file, text, { is_new: found === undefined });
  }
}

/** Whether the process that a lock file names may have the folder. A process that cannot be judged may. */
function mayHold({ host, namespace, pid }: LockHolder, hasKernelLock: boolean): boolean {
  if (host !== hostname() || isForeign(namespace)) return true;
  // Files of this process are known in `held`: another one with its number is of a predecessor.
  if (pid === process.pid) return false;
  if (hasKernelLock && wouldLockHere(pid) === false) return false;
  return isRunning(pid);
}

/** @returns false where a process has ended, or its kernel lock would have been met; undefined where that is not known */
function wouldLockHere(pid: number): false | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`) === findNamespace('net') ? false : undefined;
  } catch (error) {
    // A process that has ended has no namespace, even before its parent has waited for it.
    return hasCode(error, 'ENOENT') ? false : undefined;
  }
}

/** A thing that is no lock file, in its place: a folder cannot be read, and reading a pipe would not end. */
async function findForeign(lock_file: string): Promise<string | undefined> {
  const facts = await lstat(lock_file).catch(() => undefined);
  if (facts === undefined || facts.isFile()) return undefined;
  return facts.isDirectory() ? 'it is a folder' : 'it is no regular file';
}

/** Files appear whole, so nobody reads half of one. A new one replaces none that appears meanwhile. */
async function writeLock(lock_file: string, text: string, { is_new }: { readonly is_new: boolean }): Promise<void> {
  const draft = `${lock_file}.draft.${randomUUID()}`;
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
    if (is_new) await linkOnce(draft, lock_file);
    else await rename(draft, lock_file);
  } finally {
    await rm(draft, { force: true });
  }
}

function toProblem(folder: string, lock_file: string, { host, namespace, pid, since }: Partial<LockHolder>): Problem {
  const elsewhere =
    host !== undefined && host !== hostname()
      ? { where: `on host ${host}`, gone: 'that host' }
      : isForeign(namespace ?? null)
        ? { where: 'in another container of this host', gone: 'that container' }
        : undefined;
  return databaseLocked(folder, { host: host ?? hostname(), lock_file, ...present({ pid, since, elsewhere }) });
}

async function linkOnce(draft: string, place: string): Promise<void> {
  try {
    await link(draft, place);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
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

function isText(file: string, text: string): boolean {
  try {
    return readFileSync(file, 'utf8') === text;
  } catch (error) {
    // Without a file descriptor nothing can be read, which says nothing about the lock.
    if (hasCode(error, 'EMFILE') || hasCode(error, 'ENFILE')) throw error;
    return false;
  }
}

function parseHolder(text: string): LockHolder | undefined {
  try {
    const { host, namespace = null, pid, since } = JSON.parse(text) as Partial<LockHolder>;
    if (typeof host !== 'string' || typeof pid !== 'number') return undefined;
    return { host, namespace, pid, ...(typeof since === 'string' ? { since } : {}) };
  } catch {
    return undefined;
  }
}

function isForeign(namespace: string | null): boolean {
  const own = findNamespace('pid');
  return namespace !== null && own !== null && namespace !== own;
}

/** Linux: the namespace of this process; null elsewhere. */
function findNamespace(kind: 'pid' | 'net'): string | null {
  try {
    return readlinkSync(`/proc/self/ns/${kind}`);
  } catch {
    return null;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
