import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { createServer, connect } from 'node:net';
import { delimiter, join } from 'node:path';

/** A NATS server on a port of its own. */
export interface NatsServer {
  readonly url: string;
  /** Kills it, as a crash would. */
  kill(): Promise<void>;
  /** Starts it again on the same port. @param options such as `--user`, `u`, `--pass`, `p` */
  start(options?: readonly string[]): Promise<void>;
}

/** Starts the machine's own NATS server. @throws Error that says how to get one */
export async function startNats(): Promise<NatsServer> {
  const program = findProgram();
  const port = await freePort();
  let child: ChildProcess | undefined;
  const server: NatsServer = {
    url: `nats://127.0.0.1:${port}`,
    async kill() {
      if (child === undefined) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
      child = undefined;
    },
    async start(options = []) {
      child = spawn(program, ['-a', '127.0.0.1', '-p', String(port), ...options], { stdio: 'ignore' });
      while (!(await answers(port))) await new Promise((resume) => setTimeout(resume, 20));
    },
  };
  await server.start();
  return server;
}

function findProgram(): string {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/bin'];
  const found = folders.map((folder) => join(folder, 'nats-server')).find(isExecutable);
  if (found === undefined)
    throw new Error('nats-server is not installed: apt-get install nats-server, or https://nats.io/download');
  return found;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A port of loopback that nobody listens on. */
export async function freePort(): Promise<number> {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const address = holder.address();
  holder.close();
  await once(holder, 'close');
  if (address === null || typeof address === 'string') throw new Error('a port was not given');
  return address.port;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
