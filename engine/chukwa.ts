#!/usr/bin/env node
import { compose } from './main.js';
import { reportUncaught, runCommandLine } from './surfaces/cli/command-line.js';
import { printLog } from './surfaces/cli/session.js';
import { EXIT } from './surfaces/cli/exit-code.js';
import { flush, hasWorkingFolder, keepConsoleOffOutput, toTerminal } from './surfaces/cli/terminal.js';

if (hasWorkingFolder(process)) {
  const words = process.argv.slice(2);
  const terminal = toTerminal(process);
  let withoutSecrets = (text: string): string => text;
  process.on('uncaughtException', (thrown) => {
    // While a plugin is tested, its uncaught errors are findings of its test.
    if (process.listenerCount('uncaughtException') === 1)
      terminal.leave(reportUncaught(terminal, thrown, words, withoutSecrets));
  });
  keepConsoleOffOutput(console, process);
  const wanted = words.includes('--verbose') ? { CHUKWA_LOG: 'debug' } : {};
  const composition = await compose({ ...process.env, ...wanted }, (line, format) => printLog(terminal, line, format));
  ({ withoutSecrets } = composition);
  const code = await runCommandLine(composition, words, terminal);
  // Text on its way to a pipe must arrive; things that a plugin has left open must not keep the process.
  await flush(process);
  terminal.leave(code);
} else {
  process.stderr.write('chukwa: the folder that this was started in is gone; change to one that is there\n');
  process.exitCode = EXIT.environment;
}
