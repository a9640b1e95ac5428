import { resolve } from 'node:path';
import { after, describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import { enterSuite, leaveSuite } from './plain-promises.js';

/** The time limit of a test file and of each of its tests, in milliseconds. */
const FILE_MS = 900_000;
/** How long after its last file a process may live, in milliseconds: one with an open handle never ends by itself. */
const END_MS = 60_000;

/**
 * Runs test files one after another in this process: most cost less than a process that loads what they import. Each file
 * is a suite with its path as the name, and its hooks are those of the suite. Where the process ends before the last file, it
 * fails, and names the files that have not ended.
 * @param files paths below the working directory
 */
export async function runFiles(files: readonly string[]): Promise<void> {
  const left: string[] = [];
  // A test that ends the process takes the files after it along, and so does one that awaits what nothing will settle.
  const nameUnfinished = (): void => {
    const unfinished = files.slice(left.length);
    if (unfinished.length === 0) return;
    process.exitCode = 1;
    process.stderr.write(`This process ended before these files:\n${unfinished.join('\n')}\n`);
  };
  process.once('beforeExit', nameUnfinished);
  process.once('exit', nameUnfinished);
  for (const file of files) {
    await describe(file, { timeout: FILE_MS }, async () => {
      enterSuite();
      await import(pathToFileURL(resolve(file)).href);
      after(untilErrorsHaveCome);
    });
    leaveSuite();
    left.push(`${file}: ${process.getActiveResourcesInfo().join(', ')}`);
  }
  setTimeout(() => {
    process.stderr.write(`Something is open that keeps this process alive. After each file was open:\n`);
    process.stderr.write(`${left.join('\n')}\n`);
    process.exit(1);
  }, END_MS).unref();
}

/** The last hook of a file: an error that its last test has left under way is raised while the file still runs. */
async function untilErrorsHaveCome(): Promise<void> {
  for (let turns = 0; turns < 3; turns += 1) await new Promise((resume) => setImmediate(resume));
}
