import { testPaths, type TestReport } from '../../../operations/workflow-tests/index.js';
import { pathsArgument, ROOT, type RootOptions, toPlace } from '../arguments.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { listenForInterrupt } from '../interruption.js';
import { summaryLines, testLines } from '../render/tests.js';
import { printJson, printLines, printRefused, type Session } from '../session.js';
import type { CommandEntry } from './entry.js';

export const test: CommandEntry = {
  name: 'test',
  says: 'Run tests of workflows with the answers that they hold: no model, no service, nothing kept.',
  takes: [pathsArgument('tests, and folders that hold files that end in .test.json'), ROOT],
  run: runTests,
};

async function runTests(session: Session, paths: readonly string[], options: RootOptions): Promise<ExitCode> {
  const interruption = listenForInterrupt(session.terminal);
  try {
    const done = await testPaths(session.composition, {
      paths,
      place: toPlace(session, options),
      signal: interruption.signal,
      onResult: (result) => {
        if (!session.as_json) printLines(session.terminal.out, testLines(result));
      },
    });
    if (!done.ok) return printRefused(session, done);
    report(session, done.value);
    if (interruption.signal.aborted) return EXIT.interrupted;
    return done.value.ok ? EXIT.done : EXIT.refused;
  } finally {
    interruption.end();
  }
}

function report(session: Session, tests: TestReport): void {
  if (session.as_json) printJson(session.terminal, tests);
  else printLines(session.terminal.out, summaryLines(tests));
}
