import type { Command } from 'commander';
import { EXIT, type ExitCode } from '../exit-code.js';
import { diagnosisLines } from '../render/diagnoses.js';
import { answer, type Perform, type Session } from '../session.js';

/** `chukwa doctor` */
export function addDoctor(program: Command, perform: Perform): void {
  program
    .command('doctor')
    .helpGroup('Set-up:')
    .description('Tell what is configured, reachable and missing.')
    .action(() => perform(examine));
}

async function examine(session: Session): Promise<ExitCode> {
  const diagnoses = await session.composition.diagnose();
  const isSound = diagnoses.every(({ state }) => state !== 'broken');
  const told = { ok: true, value: diagnoses } as const;
  answer(session, told, { json: () => ({ ok: isSound, diagnoses }), lines: diagnosisLines });
  return isSound ? EXIT.done : EXIT.environment;
}
