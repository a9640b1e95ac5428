/** Runs test files one after another in this process: `node tools/mutate/test-files.js FILE...`. */
import { runFiles } from '../run-files.js';

// The process that has started this one holds its input open, and nobody reads the results once that has died.
process.stdin.resume().on('end', () => process.exit(1));
process.stdin.unref();

await runFiles(process.argv.slice(2));
