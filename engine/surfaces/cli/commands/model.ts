import type { Command } from 'commander';
import { findTriedSource, tryModel } from '../../../operations/model-try/index.js';
import { rootOption } from '../arguments.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { type RootOptions, toPlace } from '../place.js';
import { modelTrialLines } from '../render/model-trial.js';
import { answer, type Perform, type Session } from '../session.js';

export function addModel(program: Command, perform: Perform): void {
  const model = program.command('model').description('Models: try one.');
  model
    .command('try')
    .argument('<source>', 'the file of a source, or the hash of a stored one')
    .description('Ask a model three small questions, and say with which settings it answers them.')
    .addOption(rootOption())
    .action((source: string, options: RootOptions) => perform((session) => tryOne(session, source, options)));
}

async function tryOne(session: Session, name: string, options: RootOptions): Promise<ExitCode> {
  const { composition } = session;
  const trial = await composition.withSources(async (sources) => {
    const source = await findTriedSource(composition, sources.authoring, name, toPlace(session, options));
    return source.ok ? tryModel(sources, source.value) : source;
  });
  const code = answer(session, trial, { lines: modelTrialLines });
  return trial.ok ? CODES[trial.value.works] : code;
}

/** A source that has to be changed is refused; a model that cannot be asked is no fault of its document. */
const CODES = {
  as_written: EXIT.done,
  with_changes: EXIT.refused,
  not: EXIT.environment,
  busy: EXIT.environment,
} as const;
