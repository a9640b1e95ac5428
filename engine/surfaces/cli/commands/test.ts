import { testPaths } from '../../../operations/workflow-tests/index.js';
import { EXCLUDE, pathsArgument, ROOT, type RootOptions, toPlace } from '../arguments.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { untilStopped } from '../interruption.js';
import { summaryLines, testLines } from '../render/tests.js';
import { answer, printLines, type Session } from '../session.js';
import type { CommandEntry } from './entry.js';

export const test: CommandEntry = {
  name: 'test',
  says: 'Run tests of workflows with the answers that they hold: no model, no service, nothing kept.',
  takes: [pathsArgument('tests, and folders that hold files that end in .test.json'), ROOT, EXCLUDE],
  run: runTests,
};

function runTests(session: Session, paths: readonly string[], options: RootOptions): Promise<ExitCode> {
  return untilStopped(session.terminal, async (signal) => {
    const done = await testPaths(session.composition, {
      paths,
      place: toPlace(session, options),
      signal,
      onResult: (result) => {
        if (!session.as_json) printLines(session.terminal.out, testLines(result));
      },
    });
    const code = answer(session, done, { lines: summaryLines });
    if (!done.ok) return code;
    if (signal.aborted) return EXIT.interrupted;
    return done.value.ok ? EXIT.done : EXIT.refused;
  });
}
