#!/usr/bin/env node
import { compose } from './main.js';
import { runCommandLine } from './surfaces/cli/command-line.js';
import { toTerminal } from './surfaces/cli/terminal.js';

// Set and not exited with: what is still being written to a pipe must arrive.
process.exitCode = await runCommandLine(await compose(process.env), process.argv.slice(2), toTerminal(process));
