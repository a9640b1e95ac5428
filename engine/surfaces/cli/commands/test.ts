import { Option } from 'commander';
import { testPaths } from '../../../operations/workflow-tests/index.js';
import { EXCLUDE, pathsArgument, ROOT, type RootOptions, toPlace } from '../arguments.js';
import { EXIT } from '../exit-code.js';
import { untilStopped } from '../interruption.js';
import { summaryLines, testLines } from '../render/tests.js';
import { answer, printLines } from '../session.js';
import type { CommandEntry } from './entry.js';

export const test: CommandEntry = {
  name: 'test',
  says: 'Run tests of workflows with the answers that they hold: no model, no service, nothing kept.',
  takes: [
    pathsArgument('tests, and folders that hold files that end in .test.json'),
    new Option(
      '--update',
      'bring the files up to date: answers that are missing are made up, those of renamed calls move, and exact values that differ are expected from now on; each change is named',
    ),
    new Option('--drop', 'with --update: remove answers that no call can ask for any longer').implies({ update: true }),
    ROOT,
    EXCLUDE,
  ],
  run(session, paths: readonly string[], options: TestOptions) {
    return untilStopped(session.terminal, async (signal) => {
      const done = await testPaths(session.composition, {
        paths,
        place: toPlace(session, options),
        signal,
        update: options.update === true ? { drops: options.drop === true } : undefined,
        onResult: (result) => {
          if (!session.as_json) printLines(session.terminal.out, testLines(result));
        },
      });
      const code = answer(session, done, { lines: summaryLines });
      if (!done.ok) return code;
      if (signal.aborted) return EXIT.interrupted;
      return done.value.ok ? EXIT.done : EXIT.refused;
    });
  },
};

interface TestOptions extends RootOptions {
  readonly update?: boolean;
  readonly drop?: boolean;
}
