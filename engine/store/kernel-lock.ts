import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';

// An abstract socket (Linux) that is named after the folder's inode. The kernel gives the name to one process at a time,
// and frees it when that process ends, however it ends. It reaches as far as the network namespace.

export type KernelOutcome =
  | { readonly kind: 'taken'; release(): void }
  /** Another process has it. `answer` is what that process says; empty where it is too busy. */
  | { readonly kind: 'held'; readonly answer: string }
  | { readonly kind: 'unsupported' };

/** The longest address that the kernel accepts. */
const NAME_LENGTH = 108;

/** How long the process that has the lock may take to say who it is. */
const ANSWER_MS = 2_000;

/**
 * Takes the kernel's lock of a folder.
 * @param answer the answer to every process that asks for the folder's holder
 */
export async function acquireKernelLock(folder: string, answer: string): Promise<KernelOutcome> {
  if (process.platform !== 'linux') return { kind: 'unsupported' };
  const { dev, ino } = await stat(folder);
  // Versions of Node fill a shorter name up or do not: one of the full length is the same for all.
  const name = `\0chukwa/${dev}/${ino}`.padEnd(NAME_LENGTH, '/');
  const server = createServer((socket) => socket.on('error', () => {}).end(answer));
  // The lock ends with the process and keeps none alive.
  server.unref().listen(name);
  try {
    await once(server, 'listening');
  } catch (error) {
    const isHeld = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    return isHeld ? { kind: 'held', answer: await ask(name) } : { kind: 'unsupported' };
  }
  return { kind: 'taken', release: () => void server.close() };
}

async function ask(name: string): Promise<string> {
  const socket = connect(name);
  socket.setTimeout(ANSWER_MS, () => socket.destroy());
  try {
    return await text(socket);
  } catch {
    return '';
  }
}
