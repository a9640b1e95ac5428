import { PGlite } from '@electric-sql/pglite';
import { access, constants, mkdir, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type Outcome, problem, type Problem, refuse } from '../contract/problem.js';
import { type DatabaseEnded, findFault, findFaultProblem, LockLost, TemplateDamaged } from './database-fault.js';
import { openDatabase, type OpenDatabase } from './database.js';
import { EmbeddedSession, type Started } from './embedded-session.js';
import { type FolderLock, lockFolder } from './folder-lock.js';

/** Less may be too little to start: after a crash PostgreSQL may want one more segment of its log. */
const ROOM_BYTES_MIN = 16_777_216;

/** A start after a lack of room wants more than that: it also writes what the log holds. */
const ROOM_BYTES_TO_RESTART = 2 * ROOM_BYTES_MIN;

/**
 * A small cache of its own: the pages are in this process already, or in the cache of the operating system. The default, 128 MB,
 * is memory that each process clears before its first statement; scans and look-ups over 113 MB are no faster with it.
 */
const CACHE_MB = 16;

/** A command that looks something up reads each page once or twice. */
export const CACHE_MB_TO_READ = 2;

/** After a crash PostgreSQL starts a timer for messages on its progress, which would keep a process that has lost it alive. */
const NO_TIMER = ['-c', 'log_startup_progress_interval=0'];

const toStartParams = (cache_mb: number): string[] => [
  ...PGlite.defaultStartParams,
  '-c',
  `shared_buffers=${cache_mb}MB`,
  ...NO_TIMER,
];

export const DESCRIPTION_IN_MEMORY = 'embedded, in memory';

/**
 * Opens a throw-away database in memory, from a template where there is one.
 * @throws TemplateDamaged where that cannot be unpacked
 */
export async function openInMemory(template_file: string | undefined): Promise<OpenDatabase> {
  const template = template_file === undefined ? undefined : await readTemplate(template_file);
  const pglite = await PGlite.create({
    startParams: toStartParams(CACHE_MB),
    ...(template && { loadDataDir: new Blob([new Uint8Array(template)]) }),
  });
  const session = new EmbeddedSession(pglite);
  return openDatabase(session.toPoolConfig(), {
    description: DESCRIPTION_IN_MEMORY,
    is_kept: false,
    is_exclusive: true,
    release: () => session.close(),
  });
}

type FindRoom = (folder: string) => Promise<number>;

interface EmbeddedSettings {
  /** How many bytes are free where a folder is. */
  readonly findRoom?: FindRoom;
  readonly cache_mb?: number;
}

/**
 * Opens the embedded database of a folder for this process alone; makes it where there is none.
 * @returns a problem where the folder cannot be used, or another process has it
 */
export async function openInFolder(
  data_dir: string,
  template_file: string | undefined,
  { findRoom = findFreeBytes, cache_mb = CACHE_MB }: EmbeddedSettings = {},
): Promise<Outcome<OpenDatabase>> {
  const start = (place: string) => startFrom(place, toStartParams(cache_mb));
  try {
    await makeFolder(data_dir);
    const lock = await lockFolder(data_dir);
    if (!lock.ok) return lock;
    try {
      const description = `embedded, in ${data_dir}`;
      const place = await ensureFiles(data_dir, template_file);
      const pglite = await start(place);
      if (pglite.ok) {
        const session = new EmbeddedSession(pglite.value, (end) => startAnew(place, end, findRoom, start));
        return { ok: true, value: toHeldDatabase(session, description, lock.value) };
      }
      const room = await findRoom(place);
      await lock.value.release();
      return refuse(doesNotStart(description, pglite.said, room));
    } catch (error) {
      await lock.value.release();
      throw error;
    }
  } catch (error) {
    const reason = findFileReason(error);
    const fault = reason === undefined ? findFaultProblem(`embedded, in ${data_dir}`, error) : undefined;
    if (fault !== undefined) return refuse(fault);
    if (reason === undefined) throw error;
    return refuse(folderUnusable(data_dir, reason));
  }
}

/**
 * Whether the embedded database of a folder has been made; nothing is.
 * @returns a problem where neither it nor its folder could be
 */
export async function isMade(data_dir: string): Promise<Outcome<boolean>> {
  if (await isFolder(join(data_dir, 'pgdata'))) return { ok: true, value: true };
  try {
    await access(await findGround(data_dir), constants.W_OK | constants.X_OK);
    return { ok: true, value: false };
  } catch (error) {
    const reason = findFileReason(error);
    if (reason === undefined) throw error;
    return refuse(folderUnusable(data_dir, reason));
  }
}

/** The innermost folder of a path that is there. @throws where something else is in its place */
async function findGround(path: string): Promise<string> {
  try {
    // A path through something that is no folder fails here, and the path itself does with the dot.
    await stat(`${path}${sep}.`);
    return path;
  } catch (error) {
    const parent = dirname(path);
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT') || parent === path) throw error;
    return findGround(parent);
  }
}

/** One level at a time: Node's recursive mkdir never ends where a file system says that a new folder is not there. */
async function makeFolder(path: string): Promise<void> {
  if (await isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) await makeFolder(parent);
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (!(await isFolder(path))) throw error;
  }
}

/** Once the lock is lost the files are another process's, and closing would write to them. */
function toHeldDatabase(session: EmbeddedSession, description: string, lock: FolderLock): OpenDatabase {
  return openDatabase(session.toPoolConfig(), {
    description,
    is_kept: true,
    is_exclusive: true,
    ensureUsable: async () => {
      if (!lock.isHeld()) throw new LockLost();
      await session.ensureStarted();
    },
    release: async () => {
      try {
        if (lock.isHeld()) await session.close();
      } finally {
        await lock.release();
      }
    },
  });
}

/** The files come into being beside their place and are moved there whole, so that a death half-way leaves nothing. */
async function ensureFiles(data_dir: string, template_file: string | undefined): Promise<string> {
  const place = join(data_dir, 'pgdata');
  if (!(await isFolder(place))) {
    const draft = join(data_dir, 'pgdata.new');
    await rm(draft, { recursive: true, force: true });
    await makeFiles(draft, template_file);
    await rename(draft, place);
  }
  return place;
}

/** Starts from files that are there. PGlite's error for files that do not fit seldom says more than that it gave up. */
async function startFrom(place: string, startParams: string[]): Promise<Started> {
  // Without this file PGlite would begin a new database over the remains of the old one.
  const version = `${place}/PG_VERSION`;
  if (!(await isThere(version))) return { ok: false, said: `${version} is missing` };
  try {
    return { ok: true, value: await PGlite.create(place, { startParams }) };
  } catch (error) {
    if (findFileReason(error) !== undefined) throw error;
    const said = error instanceof Error ? error.message : String(error);
    // The advice is for those who compile PostgreSQL.
    return { ok: false, said: said.replace(/ *Build with -sASSERTIONS.*$/s, '').replace(/\.$/, '') };
  }
}

/** Starts again from files whose PostgreSQL has ended; one that lacked room waits until there is some. */
async function startAnew(
  place: string,
  end: DatabaseEnded,
  findRoom: FindRoom,
  start: (place: string) => Promise<Started>,
): Promise<Started | undefined> {
  const lacksRoom = async (): Promise<boolean> => (await findRoom(place)) < ROOM_BYTES_TO_RESTART;
  if (findFault(end)?.kind === 'full' && (await lacksRoom())) return undefined;
  const started = await start(place);
  return started.ok || !(await lacksRoom()) ? started : undefined;
}

/** On a disk without room sound files look like damaged ones. */
function doesNotStart(description: string, said: string, free_bytes: number): Problem {
  const reason = `PostgreSQL does not start from its files: ${said}`;
  const fault = findFault(new Error(said));
  if (fault?.kind === 'descriptors') return problem('DESCRIPTORS_EXHAUSTED', { description, reason });
  if (free_bytes >= ROOM_BYTES_MIN) return problem('DATABASE_UNREADABLE', { description, reason });
  const free = `${Math.floor(free_bytes / 1024)} KiB are free on their disk`;
  return problem('DATABASE_FULL', { description, reason: `${reason}; ${free}` });
}

async function findFreeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

async function makeFiles(folder: string, template_file: string | undefined): Promise<void> {
  const template = template_file === undefined ? undefined : await readTemplate(template_file);
  if (template !== undefined) return writeFiles(folder, template);
  const empty = await PGlite.create(folder);
  await empty.close();
}

/** How many files of a template are written at a time: one after the other takes thrice the CPU time. */
const WRITERS = 16;

async function writeFiles(folder: string, tar: Buffer): Promise<void> {
  const { unpackTar } = await import('modern-tar');
  const entries = await unpackTar(tar);
  await mkdir(folder, { mode: 0o700 });
  for (const { header } of entries.filter(({ header: { type } }) => type === 'directory'))
    await mkdir(join(folder, header.name), { recursive: true, mode: 0o700 });
  const left = entries.filter(({ header: { type } }) => type === 'file').values();
  const write = async (): Promise<void> => {
    for (const { header, data = '' } of left) await writeFile(join(folder, header.name), data, { mode: 0o600 });
  };
  // Every writer has ended before a failure is reported: the next opener makes the same folder anew.
  const ended = await Promise.allSettled(Array.from({ length: WRITERS }, write));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
}

/** The template as a tar. @returns undefined where there is none that this user may read @throws TemplateDamaged */
async function readTemplate(template_file: string): Promise<Buffer | undefined> {
  const packed = await findFile(template_file);
  if (packed === undefined) return undefined;
  try {
    return await promisify(gunzip)(packed);
  } catch (error) {
    throw new TemplateDamaged(template_file, error instanceof Error ? error.message : String(error));
  }
}

async function findFile(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (findFileReason(error) === undefined) throw error;
    return undefined;
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

const FILE_REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  EEXIST: 'a file stands in its place',
  ENOTDIR: 'a file stands in its place',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'its path is too long',
  EIO: 'its disk cannot be read',
  ESTALE: 'its network file system has lost it',
  ENOENT: 'it does not exist and cannot be made',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota of this user is used up',
};

const ROOM_REASONS = [FILE_REASONS['ENOSPC'], FILE_REASONS['EDQUOT']];

function findFileReason(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? FILE_REASONS[error.code]
    : undefined;
}

function folderUnusable(folder: string, reason: string): Problem {
  const facts = { folder, reason, lacks_room: ROOM_REASONS.includes(reason) };
  return problem('DATABASE_FOLDER_UNUSABLE', facts, { details: { folder } });
}
