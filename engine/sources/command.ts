import { findInvisible } from '../core/content/variable-value.js';
import { findShortSecret, type Secret } from './secrets.js';

/** A program as the operator's variable names it. */
export interface Command {
  /** The variable that names it; for messages. */
  readonly variable: string;
  readonly file: string;
  readonly arguments: readonly string[];
  readonly secrets: readonly Secret[];
}

type CommandOutcome =
  | { readonly ok: true; readonly command: Command }
  | { readonly ok: false; readonly message: string };

/**
 * An author chooses the variable's name and a model the text that the program then reads: only a variable that was set
 * for this program holds a command. `SHELL` holds one as well, and would run whatever it reads.
 */
const COMMAND_VARIABLE = /^CHUKWA_[A-Z0-9_]+$/;

/** Names, of options and variables, whose values no record may hold. */
const SECRET_NAME = /(key|token|secret|password|passwd|credential)/i;

/**
 * Reads a command: a JSON array of words, or words with white space between them. No shell, no quotes, no variables.
 * The value is never shown: it may hold a secret.
 */
export function parseCommand(variable: string, value: string): CommandOutcome {
  if (!COMMAND_VARIABLE.test(variable)) {
    return {
      ok: false,
      message: `${variable} holds no http or https URL, and only variables that begin with CHUKWA_ may hold a command`,
    };
  }
  // Line breaks and tabs are white space between words.
  const unseen = findInvisible(value.trim().replace(/[\t\r\n]/g, ' '));
  if (unseen !== undefined) return { ok: false, message: `${variable} holds ${unseen}: set it again without that` };
  const words = toWords(value);
  const [file, ...rest] = words ?? [];
  if (!words || !file || words.some((word) => word.includes('\0'))) {
    return {
      ok: false,
      message: `${variable} holds neither an http or https URL nor a command: write words with spaces between them, or a JSON array of strings`,
    };
  }
  const secrets = findSecrets(variable, words);
  const refused = findShortSecret(secrets);
  return refused === undefined
    ? { ok: true, command: { variable, file, arguments: rest, secrets } }
    : { ok: false, message: refused };
}

function toWords(value: string): readonly string[] | undefined {
  const text = value.trim();
  if (!text.startsWith('[')) return text.split(/\s+/);
  try {
    const words: unknown = JSON.parse(text);
    return Array.isArray(words) && words.every((word) => typeof word === 'string') ? words : undefined;
  } catch {
    return undefined;
  }
}

/** `API_KEY=x`, `--token=x` and `--token x`. */
function findSecrets(variable: string, words: readonly string[]): readonly Secret[] {
  const values = words.flatMap((word, index) => {
    const [, name = '', assigned] = /^([^=]*)=(.*)$/s.exec(word) ?? [];
    if (assigned !== undefined) return SECRET_NAME.test(name) ? [assigned] : [];
    return word.startsWith('-') && SECRET_NAME.test(word) ? (words[index + 1] ?? []) : [];
  });
  return values.filter((value) => value !== '').map((value) => ({ variable, value }));
}
