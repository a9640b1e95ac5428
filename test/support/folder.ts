import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A test, or `{ after }` of `node:test`, which stands for all tests of a file or of a `describe`. */
export interface Scope {
  after(end: () => Promise<void>): unknown;
}

/** A temporary folder that goes with its scope. */
export async function makeFolder(scope: Scope): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chukwa-test-'));
  scope.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
