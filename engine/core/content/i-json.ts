import type { Json } from '../../contract/json.js';
import { appendToken } from './json-pointer.js';

/** The deepest nesting that is taken from anybody. */
export const DEPTH_MAX = 64;

/** Why a value cannot be kept: where, and in a few words what. */
export interface IJsonProblem {
  readonly pointer: string;
  readonly reason: string;
}

/**
 * What in a parsed value falls outside the JSON that the engine takes: U+0000, lone surrogates, numbers beyond doubles,
 * nesting deeper than `DEPTH_MAX`. PostgreSQL refuses the first two, and a hash of the third would lie.
 * @returns the first problem, or undefined
 */
export function findIJsonProblem(value: unknown, pointer = '', depth = 0): IJsonProblem | undefined {
  if (depth > DEPTH_MAX) return { pointer, reason: `nested deeper than ${DEPTH_MAX} levels` };
  if (typeof value === 'string') return findTextProblem(value, pointer);
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : { pointer, reason: 'a number beyond the range of doubles' };
  if (value === null || typeof value === 'boolean') return undefined;
  if (typeof value !== 'object') return { pointer, reason: `not JSON (${typeof value})` };
  for (const [member, inner] of Object.entries(value)) {
    const place = appendToken(pointer, member);
    const problem =
      (Array.isArray(value) ? undefined : findTextProblem(member, place)) ?? findIJsonProblem(inner, place, depth + 1);
    if (problem) return problem;
  }
  return undefined;
}

function findTextProblem(text: string, pointer: string): IJsonProblem | undefined {
  if (text.includes('\u0000')) return { pointer, reason: 'text with the character U+0000' };
  if (!isWellFormed(text)) return { pointer, reason: 'text with a lone surrogate' };
  return undefined;
}

function isWellFormed(text: string): boolean {
  return !/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(text);
}

/** A value of unknown origin as JSON that the engine takes, or why not. */
export function toJson(
  value: unknown,
): { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly problem: IJsonProblem } {
  const problem = findIJsonProblem(value);
  return problem ? { ok: false, problem } : { ok: true, value: value as Json };
}
