/**
 * Runs test files one after another in this process: `node tools/mutate/test-files.js FILE...`. A file is loaded once the
 * tests of the one before it have ended. The last test of each has the name of the file.
 */
import { test } from 'node:test';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

// The process that has started this one holds its input open, and nobody reads the results once that has died.
process.stdin.resume().on('end', () => process.exit(1));
process.stdin.unref();

for (const file of process.argv.slice(2)) {
  await import(pathToFileURL(resolve(file)).href);
  // Tests that are in no other run in the order of their definition.
  await test(file, () => {});
}
