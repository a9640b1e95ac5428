import { Option } from 'commander';
import { findScript } from '../../operations/stage.js';
import type { ExitCode } from './exit-code.js';
import { printRefused, printUsage, type Session } from './session.js';

/** Which model answers, as options say it. */
export interface ModelOptions {
  readonly llm?: 'scripted' | 'env';
  readonly script?: string;
}

/** The model that was chosen, or the code with which a wrong choice ends. */
export type ModelChoice =
  | { readonly ok: true; readonly model: string; readonly script: { readonly answers_file?: string } }
  | { readonly ok: false; readonly code: ExitCode };

/** `--llm scripted|env` */
export function llmOption(): Option {
  return new Option('--llm <which>', 'the model: scripted, or the one at CHUKWA_LLM_BASE_URL').choices([
    'scripted',
    'env',
  ]);
}

/** Finds out which model is meant. A script means the scripted model, and nothing else means it by itself. */
export async function chooseModel(session: Session, { llm, script }: ModelOptions): Promise<ModelChoice> {
  if (llm === 'env' && script !== undefined)
    return refuseUsage(
      session,
      '--script is for the scripted model, and --llm env asks another.',
      'Leave one of them out.',
    );
  if (llm === 'scripted' && script === undefined)
    return refuseUsage(
      session,
      'The scripted model needs a script.',
      'Add --script FILE: a script that ships, such as park, or a file of your own.',
    );
  if (script === undefined) return { ok: true, model: 'of the environment', script: {} };
  const file = await findScript(session.composition, session.terminal.working_folder, script);
  if (!file.ok) return { ok: false, code: printRefused(session, file) };
  return { ok: true, model: `scripted (${script})`, script: { answers_file: file.value } };
}

function refuseUsage(session: Session, message: string, repair: string): ModelChoice {
  return { ok: false, code: printUsage(session, { code: 'USAGE', message, repair }) };
}
