import type { Command } from 'commander';
import type { OpenSources } from '../../../operations/composition.js';
import type { Done } from '../../../operations/engine.js';
import { findTriedSource, type ModelTrial, tryModel } from '../../../operations/model-try/index.js';
import { rootOption } from '../arguments.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { type RootOptions, toPlace } from '../place.js';
import { modelTrialLines } from '../render/model-trial.js';
import { answer, type Perform, printRefused, type Session } from '../session.js';

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
  const opened = await session.composition.openSources();
  if (!opened.ok) return printRefused(session, opened);
  try {
    const trial = await findAndTry(session, opened.value, name, options);
    const code = answer(session, trial, { lines: modelTrialLines });
    return trial.ok ? CODES[trial.value.works] : code;
  } finally {
    await opened.value.close();
  }
}

/** A source that has to be changed is refused; a model that cannot be asked is no fault of its document. */
const CODES = {
  as_written: EXIT.done,
  with_changes: EXIT.refused,
  not: EXIT.environment,
  busy: EXIT.environment,
} as const;

async function findAndTry(
  session: Session,
  sources: OpenSources,
  name: string,
  options: RootOptions,
): Promise<Done<ModelTrial>> {
  const source = await findTriedSource(session.composition, sources, name, toPlace(session, options));
  return source.ok ? tryModel(sources, source.value) : source;
}
