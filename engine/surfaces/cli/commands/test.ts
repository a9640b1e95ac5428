import type { Command } from 'commander';
import { testPaths, type TestReport } from '../../../operations/workflow-tests/index.js';
import { pathsArgument, rootOption } from '../arguments.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { listenForInterrupt } from '../interruption.js';
import { type RootOptions, toPlace } from '../place.js';
import { summaryLines, testLines } from '../render/tests.js';
import { type Perform, printJson, printLines, printRefused, type Session } from '../session.js';

export function addTest(program: Command, perform: Perform): void {
  program
    .command('test')
    .addArgument(pathsArgument('tests, and folders that hold files that end in .test.json'))
    .addOption(rootOption())
    .description('Run tests of workflows with the answers that they hold: no model, no service, nothing kept.')
    .action((paths: readonly string[], options: RootOptions) =>
      perform((session) => runTests(session, paths, options)),
    );
}

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
