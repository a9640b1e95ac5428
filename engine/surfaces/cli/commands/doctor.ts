import type { Command } from 'commander';
import { EXIT, type ExitCode } from '../exit-code.js';
import { diagnosisLines } from '../render/diagnoses.js';
import { answer, type Perform, type Session } from '../session.js';

export function addDoctor(program: Command, perform: Perform): void {
  program
    .command('doctor')
    .argument('[slug]', 'a world: tells what that one needs, its toys included')
    .description('Show what is configured, reachable and missing.')
    .action((slug: string | undefined) => perform((session) => examine(session, slug)));
}

async function examine(session: Session, slug: string | undefined): Promise<ExitCode> {
  const diagnoses = await session.composition.diagnose(slug);
  const isSound = diagnoses.every(({ state }) => state !== 'broken');
  const told = { ok: true, value: diagnoses } as const;
  answer(session, told, { json: () => ({ ok: isSound, diagnoses }), lines: diagnosisLines });
  return isSound ? EXIT.done : EXIT.environment;
}
