import { link, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Outcome } from '../contract/problem.js';
import { databaseLocked } from './problems.js';

// A folder is held by the process that a file in it names. The file appears whole (a hard link to a finished one), so
// two openers cannot both make it. It is stale when its process is gone, or is another one that got the same number:
// the kernel's start time tells. Of other hosts nothing can be known, so their locks stand until a person removes them.

/** A folder that this process has for itself. */
export interface FolderLock {
  release(): Promise<void>;
}

interface LockHolder {
  readonly host: string;
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
  const self: LockHolder = { host: hostname(), pid: process.pid, started: findProcessStart(process.pid) };
  if (held.has(place)) return { ok: false, problems: [toProblem(place, lockFile, self)] };
  held.add(place);
  const holder = await takeFile(lockFile, self);
  if (holder) {
    held.delete(place);
    return { ok: false, problems: [toProblem(place, lockFile, holder)] };
  }
  const release = async (): Promise<void> => {
    await rm(lockFile, { force: true });
    held.delete(place);
  };
  return { ok: true, value: { release } };
}

function toProblem(folder: string, lockFile: string, holder: LockHolder) {
  const { host, pid } = holder;
  return databaseLocked(folder, { host, pid, elsewhere: host !== hostname(), lock_file: lockFile });
}

/** @returns who has the file, where it could not be taken */
async function takeFile(lockFile: string, self: LockHolder): Promise<LockHolder | undefined> {
  const text = JSON.stringify(self);
  const draft = `${lockFile}.${self.pid}`;
  await writeFile(draft, text, { mode: 0o600 });
  try {
    for (;;) {
      if (await linkOnce(draft, lockFile)) return undefined;
      const found = await readLock(lockFile);
      if (found === undefined) continue;
      const holder = parseHolder(found);
      if (holder && isAlive(holder, self)) return holder;
      await removeStale(lockFile, found, self.pid);
    }
  } finally {
    await rm(draft, { force: true });
  }
}

async function linkOnce(draft: string, lockFile: string): Promise<boolean> {
  try {
    await link(draft, lockFile);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

async function readLock(lockFile: string): Promise<string | undefined> {
  try {
    return await readFile(lockFile, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Moves the stale file away and looks again: if another opener was faster, what was moved is its lock, and goes back. */
async function removeStale(lockFile: string, stale: string, pid: number): Promise<void> {
  const away = `${lockFile}.stale.${pid}`;
  try {
    await rename(lockFile, away);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  if ((await readLock(away)) !== stale) await linkOnce(away, lockFile);
  await rm(away, { force: true });
}

function parseHolder(text: string): LockHolder | undefined {
  try {
    const { host, pid, started } = JSON.parse(text) as Partial<LockHolder>;
    return typeof host === 'string' && typeof pid === 'number' ? { host, pid, started: started ?? null } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a lock's holder still runs. Our own number in a lock that we do not hold is a predecessor's. */
function isAlive(holder: LockHolder, self: LockHolder): boolean {
  if (holder.host !== self.host) return true;
  if (holder.pid === self.pid) return false;
  if (!isRunning(holder.pid)) return false;
  return holder.started === null || holder.started === findProcessStart(holder.pid);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

/** Linux: boot and start time of a process, which no later process of the same number shares. */
function findProcessStart(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    // The name stands in brackets and may hold spaces; the start time is the twentieth field after it.
    return `${boot}/${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
  } catch {
    return null;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
