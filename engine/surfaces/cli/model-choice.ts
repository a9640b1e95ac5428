import { type Outcome, problem, refuse, type Refused, succeed } from '../../contract/problem.js';
import { present } from '../../contract/present.js';
import { Option } from 'commander';
import { findScript } from '../../operations/running/stage.js';
import type { Session } from './session.js';

export interface ModelOptions {
  readonly llm?: 'scripted' | 'env' | 'ask';
  readonly script?: string;
  readonly model?: string;
}

interface Chosen {
  /** As the head of a run names it. */
  readonly model: string;
  /** A script or a person answers in place of a model. */
  readonly has_stand_in: boolean;
  readonly asked: { readonly answers_file?: string; readonly model?: string };
  /** The person at the terminal answers, by this. */
  readonly ask?: NonNullable<Session['terminal']['ask']>;
}

export function scriptOption(says = 'the answers of the scripted model'): Option {
  return new Option('--script <file>', `${says}: a script that ships, or a file`);
}

export const TOYS = new Option('--toys', 'start the toy services for this run, and set their variables');

export const MODEL = new Option('--model <name>', 'the model to ask, where a source takes its name from a variable');

/** Finds out which model is meant. A script means the scripted model. @returns a refusal of options that contradict each other */
export async function chooseModel(
  { composition, terminal }: Session,
  { llm, script, model }: ModelOptions,
): Promise<Outcome<Chosen>> {
  if (llm === 'ask') return choosePerson(terminal, script ?? model);
  if (llm === 'env' && script !== undefined)
    return refuseChoice('--script is for the scripted model, and --llm env asks another.', 'Leave one of them out.');
  if (model !== undefined && (script !== undefined || llm === 'scripted'))
    return refuseChoice(
      '--model names a model of the environment, and a scripted one has no name.',
      'Add --llm env, without --script; or leave --model out.',
    );
  if (llm === 'scripted' && script === undefined)
    return refuseChoice(
      'The scripted model needs a script.',
      'Add --script FILE: a script that ships, such as park, or a file of your own.',
    );
  if (script === undefined) {
    const name = model === undefined ? 'of the environment' : `${model}, of the environment`;
    return succeed({ model: name, has_stand_in: false, asked: present({ model }) });
  }
  const file = await findScript(composition, terminal.working_folder, script);
  if (!file.ok) return file;
  const asked = { answers_file: file.value };
  return succeed({ model: `scripted (${script})`, has_stand_in: true, asked });
}

function choosePerson({ ask }: Session['terminal'], other: string | undefined): Outcome<Chosen> {
  if (other !== undefined)
    return refuseChoice('With --llm ask the person at the terminal answers.', 'Leave --script and --model out.');
  if (ask === undefined)
    return refuseChoice(
      '--llm ask shows the prompt to the person at the terminal, and there is none here.',
      'Run it in a terminal, without a pipe on standard input or standard error; or use --llm scripted.',
    );
  return succeed({ model: 'the person at this terminal', has_stand_in: true, asked: {}, ask });
}

function refuseChoice(message: string, repair: string): Refused {
  return refuse(problem('USAGE', { message, repair }));
}
