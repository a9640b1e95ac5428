import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What has an end: a test, or `{ after }` of `node:test` for all tests of a file or a description. */
export interface Scope {
  after(end: () => Promise<void>): unknown;
}

/** A temporary folder that goes with its scope. */
export async function makeFolder(scope: Scope): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chukwa-test-'));
  scope.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
