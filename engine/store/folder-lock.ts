import { present } from '../contract/present.js';
import { closeSync, constants, openSync, readFileSync, readSync } from 'node:fs';
import { link, lstat, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type Outcome, problem, type Problem, refuse } from '../contract/problem.js';
import { type KernelOutcome, acquireKernelLock } from './kernel-lock.js';
import { isRunning } from './running-process.js';

// The kernel's lock on the folder excludes every process of this kernel. The file `lock` names the holder, and it is the
// lock for other hosts, and for systems without the kernel's.
//
// A file is stale when the kernel's lock of its holder would have been met here, when its host has started again since, or
// when its process is gone. Nothing is known of other hosts: their files count as valid until a person removes them. The
// holder reads the file before each statement, and does nothing more once it does not name the holder.

/** A folder that this process has for itself. */
export interface FolderLock {
  /** Whether the lock file still says that this process has the folder. */
  isHeld(): boolean;
  release(): Promise<void>;
}

interface LockHolder {
  readonly host: string;
  readonly pid: number;
  /** The start of the holder's kernel, as its own id; left out where the holder has no lock of the kernel. */
  readonly boot?: string;
  /** Since when it has the folder, RFC 3339; left out by earlier versions. */
  readonly since?: string;
}

const held = new Set<string>();

/** Locks a folder for this process. @returns the lock, or a problem that names the process that has it */
export async function lockFolder(folder: string): Promise<Outcome<FolderLock>> {
  const place = await realpath(folder);
  const lock_file = join(place, 'lock');
  const foreign = await findForeign(lock_file);
  if (foreign !== undefined) {
    const details = { folder: place };
    return refuse(problem('DATABASE_LOCK_UNUSABLE', { lock_file, reason: foreign }, { details }));
  }
  const self = { host: hostname(), pid: process.pid, since: new Date().toISOString() };
  if (held.has(place)) return refuse(toProblem(place, lock_file, self));
  held.add(place);
  let kernel: KernelOutcome = { kind: 'unsupported' };
  let text = '';
  const unlock = (): void => {
    if (kernel.kind === 'taken') kernel.release();
    held.delete(place);
  };
  try {
    kernel = await acquireKernelLock(place);
    const boot = kernel.kind === 'unsupported' ? undefined : findBoot();
    text = JSON.stringify({ ...self, ...present({ boot }), key: randomUUID() });
    const holder = kernel.kind === 'held' ? findHolder(lock_file, boot) : await claimFile(lock_file, text, boot);
    if (holder) {
      unlock();
      return refuse(toProblem(place, lock_file, holder));
    }
  } catch (error) {
    unlock();
    throw error;
  }
  const isHeld = (): boolean => names(lock_file, text);
  const release = async (): Promise<void> => {
    try {
      if (isHeld()) await rm(lock_file, { force: true });
    } finally {
      unlock();
    }
  };
  return { ok: true, value: { isHeld, release } };
}

/** Who has the kernel's lock: the file is believed if it names this kernel. */
function findHolder(lock_file: string, boot: string | undefined): Partial<LockHolder> {
  const named = parseHolder(readLock(lock_file));
  return named?.boot === boot ? { ...named, host: hostname() } : {};
}

/** @param boot the start of this kernel, whose lock this process has; undefined where it has none */
async function claimFile(lock_file: string, text: string, boot: string | undefined): Promise<LockHolder | undefined> {
  for (;;) {
    const found = readLock(lock_file);
    if (found === text) return undefined;
    const holder = parseHolder(found);
    if (holder && mayHold(holder, boot)) return holder;
    // Without a kernel lock another process may do the same at this instant: the file is read again.
    await writeLock(lock_file, text, { is_new: found === undefined });
  }
}

/** Whether the process that a lock file names may have the folder. A process that cannot be judged may. */
function mayHold({ host, pid, boot }: LockHolder, own_boot: string | undefined): boolean {
  if (boot !== undefined && boot === own_boot) return false;
  if (host !== hostname()) return true;
  // Every process of this host would have met the kernel's lock, where there is one. Files of this process are known in
  // `held`: another one with its number is of a predecessor.
  return own_boot === undefined && pid !== process.pid && isRunning(pid);
}

/** More than any lock file has. */
const BYTES_MAX = 4_096;

/** A thing that is no lock file, in its place: a folder cannot be read, and reading a pipe would not end. */
async function findForeign(lock_file: string): Promise<string | undefined> {
  const facts = await lstat(lock_file).catch(() => undefined);
  if (facts === undefined) return undefined;
  if (facts.isFile()) return facts.size > BYTES_MAX ? `it has more than ${BYTES_MAX} bytes` : undefined;
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

function toProblem(folder: string, lock_file: string, { host, pid, since }: Partial<LockHolder>): Problem {
  const other_host = host === hostname() ? undefined : host;
  return problem('DATABASE_LOCKED', present({ folder, lock_file, pid, since, other_host }), {
    details: { ...present({ pid }), host: host ?? hostname(), folder, may_pass: other_host === undefined },
  });
}

async function linkOnce(draft: string, place: string): Promise<void> {
  try {
    await link(draft, place);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}

/** Reads no more than any lock file has: something else may have come into its place. */
function readLock(file: string): string | undefined {
  try {
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const buffer = Buffer.alloc(BYTES_MAX + 1);
      return buffer.toString('utf8', 0, readSync(descriptor, buffer));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function names(file: string, text: string): boolean {
  try {
    return readLock(file) === text;
  } catch (error) {
    // Without a file descriptor nothing can be read, which says nothing about the lock.
    if (hasCode(error, 'EMFILE') || hasCode(error, 'ENFILE')) throw error;
    return false;
  }
}

function parseHolder(text = ''): LockHolder | undefined {
  try {
    const { host, pid, boot, since } = JSON.parse(text) as Partial<LockHolder>;
    if (typeof host !== 'string' || typeof pid !== 'number') return undefined;
    return { host, pid, ...present({ boot, since }) };
  } catch {
    return undefined;
  }
}

/** The start of this kernel: the same in all of its containers. */
function findBoot(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return undefined;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
