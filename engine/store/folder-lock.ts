import { readFileSync, readlinkSync } from 'node:fs';
import { link, lstat, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Outcome } from '../contract/problem.js';
import { type KernelLock, takeKernelLock } from './kernel-lock.js';
import { databaseLocked, lockUnusable } from './problems.js';

// A folder is held by two locks. The kernel lock keeps out every process that the kernel lets see it, and no file can be
// deleted from under it. The file `lock` names the holder to all others: processes of other containers and hosts, and
// of systems without kernel locks.
//
// The file is stale when its process is gone; the kernel's start time tells a process from a later one with the same
// number. Of other hosts and process namespaces nothing can be known, so their locks stand until a person removes them.
// The holder reads the file before each statement, and does nothing more once it does not name it.

/** A folder that this process has for itself. */
export interface FolderLock {
  /** Whether the lock file still says that this process has the folder. */
  isHeld(): boolean;
  release(): Promise<void>;
}

interface LockHolder {
  readonly host: string;
  /** The process namespace in which the number counts; null where the platform has none. */
  readonly namespace: string | null;
  readonly pid: number;
  /** When the process began, in the kernel's ticks; null where the platform does not tell. */
  readonly started: string | null;
  /** Since when it has the folder, RFC 3339; left out by earlier versions. */
  readonly since?: string;
}

const held = new Set<string>();

/**
 * Takes a folder for this process.
 * @returns the lock, or a problem that names the process that has it
 */
export async function lockFolder(folder: string): Promise<Outcome<FolderLock>> {
  const place = await realpath(folder);
  const lock_file = join(place, 'lock');
  const foreign = await findForeign(lock_file);
  if (foreign !== undefined) return { ok: false, problems: [lockUnusable(place, lock_file, foreign)] };
  const self = toHolder();
  if (held.has(place)) return { ok: false, problems: [toProblem(place, lock_file, self)] };
  held.add(place);
  const text = JSON.stringify({ ...self, key: randomUUID() });
  let kernel: KernelLock | undefined;
  const letGo = (): void => {
    kernel?.release();
    held.delete(place);
  };
  try {
    const taken = await takeKernelLock(place, text);
    if (taken.kind === 'taken') kernel = taken;
    const holder = taken.kind === 'held' ? (parseHolder(taken.answer) ?? {}) : await takeFile(lock_file, self, text);
    if (holder) {
      letGo();
      return { ok: false, problems: [toProblem(place, lock_file, holder)] };
    }
  } catch (error) {
    letGo();
    throw error;
  }
  const isHeld = (): boolean => says(lock_file, text);
  const release = async (): Promise<void> => {
    if (isHeld()) await rm(lock_file, { force: true });
    letGo();
  };
  return { ok: true, value: { isHeld, release } };
}

/** @returns who has the file, where it could not be taken */
async function takeFile(lock_file: string, self: LockHolder, text: string): Promise<LockHolder | undefined> {
  for (;;) {
    const found = await readLock(lock_file);
    if (found === text) return undefined;
    const holder = found === undefined ? undefined : parseHolder(found);
    if (holder && isAlive(holder, self)) return holder;
    // Without a kernel lock another process may do the same at this instant: the file is read again.
    await writeLock(lock_file, text, { is_new: found === undefined });
  }
}

/** What stands in the place of the lock, where that is no file: a folder cannot be read, and a pipe would be waited for. */
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

function toHolder(): LockHolder {
  return {
    host: hostname(),
    namespace: findNamespace(),
    pid: process.pid,
    started: findProcess(process.pid)?.started ?? null,
    since: new Date().toISOString(),
  };
}

function toProblem(folder: string, lock_file: string, { host, namespace, pid, since }: Partial<LockHolder>) {
  const elsewhere =
    host !== undefined && host !== hostname()
      ? { where: `on host ${host}`, gone: 'that host' }
      : isForeign(namespace ?? null, findNamespace())
        ? { where: 'in another container of this host', gone: 'that container' }
        : undefined;
  return databaseLocked(folder, {
    host: host ?? hostname(),
    ...(pid === undefined ? {} : { pid }),
    ...(since === undefined ? {} : { since }),
    lock_file,
    ...(elsewhere === undefined ? {} : { elsewhere }),
  });
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

function says(file: string, text: string): boolean {
  try {
    return readFileSync(file, 'utf8') === text;
  } catch {
    return false;
  }
}

function parseHolder(text: string): LockHolder | undefined {
  try {
    const { host, namespace, pid, started, since } = JSON.parse(text) as Partial<LockHolder>;
    return typeof host === 'string' && typeof pid === 'number'
      ? {
          host,
          namespace: namespace ?? null,
          pid,
          started: started ?? null,
          ...(typeof since === 'string' ? { since } : {}),
        }
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
