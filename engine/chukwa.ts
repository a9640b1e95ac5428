#!/usr/bin/env node
import { compose } from './main.js';
import { runCommandLine } from './surfaces/cli/command-line.js';
import { EXIT } from './surfaces/cli/exit-code.js';
import { endOnExit, endOnUncaught } from './surfaces/cli/last-words.js';
import { flush, hasWorkingFolder, keepConsoleOffOutput, toTerminal } from './surfaces/cli/terminal.js';

/** What Node.js ends with where a module waits, and nothing is left that could wake it. */
const UNSETTLED = 13;

process.once('exit', (code) => {
  if (code !== UNSETTLED && process.exitCode !== UNSETTLED) return;
  process.stderr.write(
    'error: the command waits for something that never comes, and has ended without being done\n' +
      '  what to do: Run chukwa plugin list, and without the plugins that did not come with chukwa: one may keep it waiting.\n',
  );
  process.exitCode = EXIT.environment;
});

if (hasWorkingFolder(process)) {
  const words = process.argv.slice(2);
  const terminal = toTerminal(process);
  const isVerbose = words.includes('--verbose');
  endOnUncaught(process, terminal, isVerbose);
  endOnExit(process, terminal, isVerbose);
  keepConsoleOffOutput(console, process);
  // A plugin whose promise was left to fail is told of and left out: that somebody heard of it later is no news.
  process.on('rejectionHandled', () => {});
  const code = await runCommandLine(await compose(process.env), words, terminal);
  // What is still being written to a pipe must arrive; what a plugin has left open must not keep the process.
  await flush(process);
  terminal.leave(code);
} else {
  process.stderr.write('chukwa: the folder that this was started in is gone; change to one that is there\n');
  process.exitCode = EXIT.environment;
}
