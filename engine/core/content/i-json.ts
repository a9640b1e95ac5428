import type { Json } from '../../contract/json.js';
import { toPointer } from './json-pointer.js';

/** The deepest nesting of any accepted value. */
export const DEPTH_MAX = 64;

/** Why a value cannot be kept: where, and in a few words what. */
export interface IJsonProblem {
  readonly pointer: string;
  readonly reason: string;
}

/**
 * Finds the first part of a value outside the JSON that the engine accepts: U+0000, lone surrogates, numbers beyond
 * doubles, nesting deeper than `DEPTH_MAX`. PostgreSQL refuses the first two, and a hash of the third would lie.
 * @returns the first problem, or undefined
 */
export function findIJsonProblem(value: unknown): IJsonProblem | undefined {
  const found = findWithin(value, 0);
  return found && { pointer: toPointer(found.tokens.toReversed()), reason: found.reason };
}

interface Found {
  readonly reason: string;
  /** Innermost first. A place is only written out where something is found. */
  readonly tokens: (string | number)[];
}

function findWithin(value: unknown, depth: number): Found | undefined {
  if (depth > DEPTH_MAX) return found(`nested deeper than ${DEPTH_MAX} levels`);
  if (typeof value === 'string') return findInText(value);
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : found('a number beyond the range of doubles');
  if (value === null || typeof value === 'boolean') return undefined;
  if (typeof value !== 'object') return found(`not JSON (${typeof value})`);
  return Array.isArray(value) ? findInList(value, depth) : findInMembers(value, depth);
}

function findInList(items: readonly unknown[], depth: number): Found | undefined {
  for (const [index, item] of items.entries()) {
    const within = findWithin(item, depth + 1);
    if (within) return below(within, index);
  }
  return undefined;
}

function findInMembers(value: object, depth: number): Found | undefined {
  for (const [name, inner] of Object.entries(value)) {
    const within = findInText(name) ?? findWithin(inner, depth + 1);
    if (within) return below(within, name);
  }
  return undefined;
}

function found(reason: string): Found {
  return { reason, tokens: [] };
}

function below(within: Found, token: string | number): Found {
  within.tokens.push(token);
  return within;
}

function findInText(text: string): Found | undefined {
  if (text.includes('\u0000')) return found('text with the character U+0000');
  return text.isWellFormed() ? undefined : found('text with a lone surrogate');
}

/** A value of unknown origin as JSON that the engine takes, or why not. */
export function toJson(
  value: unknown,
): { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly problem: IJsonProblem } {
  const problem = findIJsonProblem(value);
  return problem ? { ok: false, problem } : { ok: true, value: value as Json };
}

/**
 * Text of unknown origin as every store can keep it: lone surrogates and U+0000 become U+FFFD.
 * (`String.prototype.toWellFormed` would leave the latter, which PostgreSQL refuses.)
 */
export function toStorableText(text: string): string {
  return text.replace(UNSTORABLE, '\uFFFD');
}

/**
 * The same of text that may be JSON: behind U+FFFD stands the escape of what it replaces. So the strict reading refuses
 * it, also behind a backslash, where U+FFFD alone would have given it another meaning.
 */
export function toStorableJson(text: string): string {
  return text.replace(UNSTORABLE, (unit) => `\uFFFD\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const UNSTORABLE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]|\0/g;
