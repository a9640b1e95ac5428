import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';

// The kernel's lock on the folder itself (flock). It belongs to the folder as this process has opened it, and the kernel
// frees it when the process ends, however it ends. It reaches every process and container of this kernel. Nobody can
// delete it, and only users who may open the folder could take it.

export type KernelOutcome =
  | { readonly kind: 'taken'; release(): void }
  | { readonly kind: 'held' }
  /** The system, or the file system of the folder, has no such lock. */
  | { readonly kind: 'unsupported' };

/** The number under which the program `flock` finds the folder. */
const SHARED_DESCRIPTOR = 3;

/** Takes the kernel's lock of a folder. Node.js cannot, so a program does it on the folder that this process has opened. */
export async function acquireKernelLock(folder: string): Promise<KernelOutcome> {
  if (process.platform !== 'linux') return { kind: 'unsupported' };
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  const kind = await tryToLock(descriptor);
  if (kind === 'taken') return { kind, release: () => closeSync(descriptor) };
  closeSync(descriptor);
  return { kind };
}

async function tryToLock(descriptor: number): Promise<KernelOutcome['kind']> {
  try {
    // Without variables, the program is looked for where the system has its own.
    const child = spawn('flock', ['-n', String(SHARED_DESCRIPTOR)], {
      env: {},
      stdio: ['ignore', 'ignore', 'pipe', descriptor],
    });
    const ended = once(child, 'close');
    const [complaint] = await Promise.all([text(child.stderr as NonNullable<typeof child.stderr>), ended]);
    if (child.exitCode === 0) return 'taken';
    return child.exitCode === 1 && complaint === '' ? 'held' : 'unsupported';
  } catch {
    return 'unsupported';
  }
}
