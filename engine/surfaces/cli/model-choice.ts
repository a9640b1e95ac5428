import { Option } from 'commander';
import { findScript } from '../../operations/stage.js';
import type { ExitCode } from './exit-code.js';
import { printRefused, printProblem, type Session } from './session.js';

export interface ModelOptions {
  readonly llm?: 'scripted' | 'env' | 'ask';
  readonly script?: string;
  readonly model?: string;
}

/** The model that was chosen, or the code with which a wrong choice ends. */
type ModelChoice =
  | {
      readonly ok: true;
      /** As the head of a run names it. */
      readonly model: string;
      /** A script or a person answers in place of a model. */
      readonly has_stand_in: boolean;
      readonly asked: { readonly answers_file?: string; readonly model?: string };
      /** The person at the terminal answers, by this. */
      readonly ask?: NonNullable<Session['terminal']['ask']>;
    }
  | { readonly ok: false; readonly code: ExitCode };

export function llmOption(): Option {
  return new Option('--llm <which>', 'the model: scripted, or that of the sources, by the environment').choices([
    'scripted',
    'env',
  ]);
}

export function llmOrPersonOption(): Option {
  const says = 'the model: scripted, that of the sources by the environment, or the person at this terminal';
  return new Option('--llm <which>', says).choices(['scripted', 'env', 'ask']);
}

export function scriptOption(says = 'the answers of the scripted model'): Option {
  return new Option('--script <file>', `${says}: a script that ships, or a file`);
}

export function modelOption(): Option {
  return new Option('--model <name>', 'the model to ask, where a source leaves its name to a variable');
}

export type Chosen = Extract<ModelChoice, { ok: true }>;

/** Finds out which model is meant. A script means the scripted model. */
export async function chooseModel(session: Session, { llm, script, model }: ModelOptions): Promise<ModelChoice> {
  if (llm === 'ask') return choosePerson(session, script ?? model);
  if (llm === 'env' && script !== undefined)
    return refuseUsage(
      session,
      '--script is for the scripted model, and --llm env asks another.',
      'Leave one of them out.',
    );
  if (model !== undefined && (script !== undefined || llm === 'scripted'))
    return refuseUsage(
      session,
      '--model names a model of the environment, and a scripted one has no name.',
      'Add --llm env, without --script; or leave --model out.',
    );
  if (llm === 'scripted' && script === undefined)
    return refuseUsage(
      session,
      'The scripted model needs a script.',
      'Add --script FILE: a script that ships, such as park, or a file of your own.',
    );
  if (script === undefined) {
    const name = model === undefined ? 'of the environment' : `${model}, of the environment`;
    return { ok: true, model: name, has_stand_in: false, asked: model === undefined ? {} : { model } };
  }
  const file = await findScript(session.composition, session.terminal.working_folder, script);
  if (!file.ok) return { ok: false, code: printRefused(session, file) };
  return { ok: true, model: `scripted (${script})`, has_stand_in: true, asked: { answers_file: file.value } };
}

function choosePerson(session: Session, other: string | undefined): ModelChoice {
  const { ask } = session.terminal;
  if (other !== undefined)
    return refuseUsage(
      session,
      'With --llm ask the person at the terminal answers.',
      'Leave --script and --model out.',
    );
  if (ask === undefined)
    return refuseUsage(
      session,
      '--llm ask shows the prompt to the person at the terminal, and there is none here.',
      'Run it in a terminal, without a pipe on standard input or standard error; or use --llm scripted.',
    );
  return { ok: true, model: 'the person at this terminal', has_stand_in: true, asked: {}, ask };
}

function refuseUsage(session: Session, message: string, repair: string): ModelChoice {
  return { ok: false, code: printProblem(session, { code: 'USAGE', message, repair }) };
}
