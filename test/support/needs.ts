import type { TestOptions } from 'node:test';

/**
 * For tests that want a program of the machine. Without it they are skipped, with one message for each test file; where
 * `CI` is `true` they run all the same, and fail.
 * @param missing says that it is not there, and how to get it
 */
export function needs(tested: string, isThere: boolean, missing: string): TestOptions {
  if (isThere || process.env['CI'] === 'true') return {};
  process.stderr.write(`SKIPPED: tests of ${tested}, because ${missing}\n`);
  return { skip: missing };
}
