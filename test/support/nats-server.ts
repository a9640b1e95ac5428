import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { freePort } from './free-port.js';
import { needs } from './needs.js';

const PROGRAM = 'nats-server';
const IS_THERE = spawnSync(PROGRAM, ['--version'], { stdio: 'ignore' }).status === 0;
const MISSING = 'nats-server is not on the PATH: apt-get install nats-server, or https://nats.io/download';

/** For tests that start a NATS server. */
export const NEEDS_NATS = needs('the NATS doorbell', IS_THERE, MISSING);

/** A NATS server on a port of its own. */
interface NatsServer {
  readonly url: string;
  /** Kills it, as a crash would. */
  kill(): Promise<void>;
  /** Starts it again on the same port. @param options such as `--user`, `u`, `--pass`, `p` */
  start(options?: readonly string[]): Promise<void>;
}

/** Starts the machine's own NATS server. @throws Error that says how to get one */
export async function startNats(): Promise<NatsServer> {
  if (!IS_THERE) throw new Error(MISSING);
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
      const spawnServer = () =>
        spawn(PROGRAM, ['-a', '127.0.0.1', '-p', String(port), ...options], { stdio: 'ignore' });
      child = spawnServer();
      while (!(await answers(port))) {
        // It exits at once where another program has the port at that moment.
        if (child.exitCode !== null) child = spawnServer();
        await new Promise((resume) => setTimeout(resume, 20));
      }
    },
  };
  await server.start();
  return server;
}

/** Whether a server there greets first, as NATS does, and soon. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (does: boolean): void => {
      socket.destroy();
      resolve(does);
    };
    socket.setTimeout(ANSWER_MS, () => end(false));
    socket.once('data', () => end(true));
    socket.once('error', () => end(false));
    socket.once('close', () => end(false));
  });
}

const ANSWER_MS = 500;
