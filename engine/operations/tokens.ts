import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { findInvisible } from '../core/content/variable-value.js';
import type { Callback, MakeCallback } from '../ports/sources.js';
import type { Problem } from '../contract/problem.js';
import { type Done, refuse, type Refused, succeed } from './engine.js';
import { findForeign, type Foreign } from './own-files.js';
import { writeOwnFile } from './write-files.js';

export interface Tokens {
  /** For readers of worlds. */
  readonly token: string;
  /** For operators: may stop attempts, and everything that the other token may. */
  readonly operator_token: string;
}

export interface LoadedTokens extends Tokens {
  /** The file of tokens that the environment does not set. */
  readonly file: string | undefined;
  /** They were created just now, and have to be shown once. */
  readonly is_new: boolean;
}

interface TokenPlaces {
  readonly token?: string | undefined;
  readonly operator_token?: string | undefined;
  /** In a folder of this user: another folder may have been downloaded. Undefined where the environment names none. */
  readonly file: string | undefined;
}

const TOKEN_BYTES = 32;

/** A shorter token could be guessed, also from the callback URLs that are derived from it. */
const TOKEN_LENGTH_MIN = 32;

/**
 * Reads the tokens; creates missing ones, and keeps them in a file that only this user may read.
 * @returns a refusal where the file cannot be read, written or parsed
 */
export async function loadTokens(places: TokenPlaces): Promise<Done<LoadedTokens>> {
  const { token, operator_token, file } = places;
  const short = findShort(places);
  if (short !== undefined) return refuse(tooShort(short));
  const unseen = Object.entries({ CHUKWA_TOKEN: token, CHUKWA_OPERATOR_TOKEN: operator_token }).flatMap(
    ([variable, value]) => {
      const found = findInvisible(value ?? '');
      return found === undefined ? [] : [invisible(variable, found)];
    },
  );
  if (unseen.length > 0) return refuse(...unseen);
  if (token !== undefined && token === operator_token) return refuse(EQUAL);
  if (token !== undefined && operator_token !== undefined)
    return succeed({ token, operator_token, file, is_new: false });
  if (file === undefined) return refuse(NO_PLACE);
  try {
    const made = await makeFile(file);
    const is_new = made.ok;
    if (!made.ok && made.problems[0]?.code !== 'FILE_EXISTS') return unkept(file, made);
    const foreign = await findForeign(file);
    if (foreign !== undefined) return refuse(exposed(file, foreign));
    const kept = parseTokens(await readFile(file, 'utf8'));
    if (kept === undefined)
      return unusable(file, `it does not hold two tokens of at least ${TOKEN_LENGTH_MIN} characters`);
    return succeed({ token: token ?? kept.token, operator_token: operator_token ?? kept.operator_token, file, is_new });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return unusable(file, error.message);
  }
}

/** The tokens that a file holds; undefined where it holds none, or cannot be read. */
export async function findKeptTokens(file: string | undefined): Promise<Tokens | undefined> {
  return file === undefined ? undefined : readFile(file, 'utf8').then(parseTokens, () => undefined);
}

/** Never over a file that another process makes at this moment: both then read the same. */
function makeFile(file: string): Promise<Done<undefined>> {
  const tokens: Tokens = { token: makeToken(), operator_token: makeToken() };
  return writeOwnFile(file, `${JSON.stringify(tokens, null, 2)}\n`, { replaces: false });
}

/** A random token. */
export function makeToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

function parseTokens(text: string): Tokens | undefined {
  try {
    const { token, operator_token } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const isWhole = [token, operator_token].every((value) => typeof value === 'string' && isLong(value));
    return isWhole ? { token: token as string, operator_token: operator_token as string } : undefined;
  } catch {
    return undefined;
  }
}

function isLong(token: string): boolean {
  return token.trim().length >= TOKEN_LENGTH_MIN;
}

function findShort({ token, operator_token }: Pick<TokenPlaces, 'token' | 'operator_token'>): string | undefined {
  if (token !== undefined && !isLong(token)) return 'CHUKWA_TOKEN';
  return operator_token !== undefined && !isLong(operator_token) ? 'CHUKWA_OPERATOR_TOKEN' : undefined;
}

function invisible(variable: string, found: string): Problem {
  return {
    code: 'INVISIBLE_CHARACTER',
    message: `The token in ${variable} holds ${found}.`,
    repair: `Set ${variable} again without it.`,
    details: { variable },
  };
}

function tooShort(variable: string): Problem {
  return {
    code: 'TOKEN_TOO_SHORT',
    message: `The token in ${variable} has fewer than ${TOKEN_LENGTH_MIN} characters, and could be guessed.`,
    repair: `Write a random one, such as: openssl rand -hex 32; or leave ${variable} out to have one made.`,
    details: { variable },
  };
}

const NO_PLACE: Problem = {
  code: 'TOKENS_UNUSABLE',
  message: 'The tokens have no place: neither XDG_CONFIG_HOME nor HOME names a folder.',
  repair: 'Set HOME, or CHUKWA_TOKEN and CHUKWA_OPERATOR_TOKEN.',
};

const EQUAL: Problem = {
  code: 'TOKENS_EQUAL',
  message:
    'CHUKWA_TOKEN and CHUKWA_OPERATOR_TOKEN are the same, so a consumer that may report could also stop attempts.',
  repair: 'Write two different ones, or leave one out to have it made.',
};

function exposed(file: string, foreign: Foreign): Problem {
  const [message, repair] = EXPOSED[foreign];
  return { code: 'TOKENS_EXPOSED', message: `${message}: ${file}.`, repair: repair(file), details: { file } };
}

const anew = 'Delete it, and new ones are made.';

const EXPOSED: Readonly<Record<Foreign, readonly [message: string, repair: (file: string) => string]>> = {
  open_to_others: ['Other users may read the file of the tokens', (file) => `Write: chmod 600 ${file}. ${READ_BEFORE}`],
  of_another: ['The file of the tokens belongs to another user', () => anew],
  not_a_file: ['The file of the tokens is a link or no file', () => anew],
};

const READ_BEFORE = 'If another user may have read them, delete the file instead: new tokens are then made.';

function unkept(file: string, { problems }: Refused): Refused {
  return refuse(
    ...problems.map((problem): Problem => {
      const repair = `${problem.repair} Or set CHUKWA_TOKEN and CHUKWA_OPERATOR_TOKEN.`;
      return { ...problem, code: 'TOKENS_UNUSABLE', repair, details: { file } };
    }),
  );
}

function unusable(file: string, reason: string) {
  return refuse({
    code: 'TOKENS_UNUSABLE',
    message: `The tokens in ${file} cannot be used: ${reason}.`,
    repair: 'Delete the file, and new ones are made; or set CHUKWA_TOKEN and CHUKWA_OPERATOR_TOKEN.',
    details: { file },
  });
}

/** The scheme of the header with which a command sends a server the token of its process. */
export const COMMAND_SCHEME = 'Chukwa-Command';

/** Compares two texts in constant time. */
export function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHmac('sha256', 'compared').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** The secret of a callback URL, for answers to this one call. It is derived, so nothing has to be stored. */
export function callbackToken({ token }: Pick<Tokens, 'token'>, correlation_id: string): string {
  return createHmac('sha256', token).update(`callback ${correlation_id}`).digest('base64url');
}

/** The callback URLs of a server with this public URL. */
export function callbacksAt(public_url: string, tokens: Pick<Tokens, 'token'>): MakeCallback {
  const base = public_url.replace(/\/+$/, '');
  return (correlation_id): Callback => {
    const token = callbackToken(tokens, correlation_id);
    return { url: `${base}/callbacks/${encodeURIComponent(correlation_id)}?token=${token}`, token };
  };
}
