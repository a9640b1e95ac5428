import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { childSeconds } from './cpu-report.js';

/**
 * Loaded before a test file: when it ends, adds a line to the file that `CHUKWA_TEST_CPU` names, with the seconds of CPU that
 * the process used, those of the processes that it started and waited for, the seconds from its start to its end, and its own
 * file.
 */
process.on('exit', () => {
  const [report, file] = [process.env['CHUKWA_TEST_CPU'], process.argv[1]];
  // The process that starts all test files loads this module, too.
  if (report === undefined || file === undefined || process.env['NODE_TEST_CONTEXT'] === undefined) return;
  const { user, system } = process.cpuUsage();
  const seconds = [(user + system) / 1_000_000, childSeconds(), process.uptime()];
  appendFileSync(report, `${[...seconds, relative(process.cwd(), file)].join('\t')}\n`);
});
