import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { findInvisible } from '../../core/content/variable-value.js';
import type { Callback, MakeCallback } from '../../ports/sources.js';
import { type Outcome, problem, refuse, type Refused, succeed } from '../../contract/problem.js';
import { findForeign } from '../authoring/own-files.js';
import { writeOwnFile } from '../write-files.js';

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
export async function loadTokens(places: TokenPlaces): Promise<Outcome<LoadedTokens>> {
  const { token, operator_token, file } = places;
  const short = findShort(places);
  if (short !== undefined)
    return refuse(
      problem('TOKEN_TOO_SHORT', { variable: short, length_min: TOKEN_LENGTH_MIN }, { details: { variable: short } }),
    );
  const unseen = Object.entries({ CHUKWA_TOKEN: token, CHUKWA_OPERATOR_TOKEN: operator_token }).flatMap(
    ([variable, value]) => {
      const found = findInvisible(value ?? '');
      return found === undefined
        ? []
        : [problem('INVISIBLE_CHARACTER', { variable, found }, { details: { variable } })];
    },
  );
  if (unseen.length > 0) return refuse(...unseen);
  if (token !== undefined && token === operator_token) return refuse(problem('TOKENS_EQUAL'));
  if (token !== undefined && operator_token !== undefined)
    return succeed({ token, operator_token, file, is_new: false });
  if (file === undefined) return refuse(problem('TOKENS_UNUSABLE', { kind: 'no_place' }));
  try {
    const made = await makeFile(file);
    const is_new = made.ok;
    if (!made.ok && made.problems[0]?.code !== 'FILE_EXISTS') return unkept(file, made);
    const foreign = await findForeign(file);
    if (foreign !== undefined) return refuse(problem('TOKENS_EXPOSED', { file, foreign }, { details: { file } }));
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
function makeFile(file: string): Promise<Outcome<undefined>> {
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

function unkept(file: string, { problems }: Refused): Refused {
  return refuse(
    ...problems.map(({ message, repair }) =>
      problem('TOKENS_UNUSABLE', { kind: 'unwritten', message, repair }, { details: { file } }),
    ),
  );
}

function unusable(file: string, reason: string): Refused {
  return refuse(problem('TOKENS_UNUSABLE', { kind: 'unusable', file, reason }, { details: { file } }));
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
