/**
 * Runs commands one after another in a process of its own, whatever each one's exit code is: what they load is looked at
 * together. Takes a JSON list of their words, and ends with a JSON list of their exit codes on the last line.
 */
import { compose } from '../../engine/main.js';
import { runCommandLine } from '../../engine/surfaces/cli/command-line.js';
import { toTerminal } from '../../engine/surfaces/cli/terminal.js';

const terminal = toTerminal(process);
const codes: number[] = [];
for (const words of JSON.parse(process.argv[2] ?? '[]') as readonly (readonly string[])[])
  codes.push(await runCommandLine(await compose(process.env), words, terminal));
process.stdout.write(`${JSON.stringify(codes)}\n`);
