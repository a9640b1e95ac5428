import type { Json } from '../contract/json.js';
import { type Outcome, problem, type Problem, refuse, succeed } from '../contract/problem.js';
import { pick } from '../contract/pick.js';
import { parseJson } from '../core/content/parse-json.js';
import type { Action, Field, Fields } from './action.js';
import { keysOf } from './resource.js';

/**
 * Reads what an action is given: the keys of its path as texts, and its fields as JSON.
 * @returns a refusal of a field that is missing, unknown or not of its kind
 */
export function readInput<Input>(
  { path, takes }: Action<Input>,
  said: Readonly<Record<string, Json | undefined>>,
): Outcome<Input> {
  const keys = keysOf(path);
  const fields = Object.fromEntries(Object.entries(said).filter(([name]) => !keys.some((key) => key === name)));
  const read = readValues(takes, fields, [...Object.keys(takes), 'reason']);
  return read.ok ? succeed({ ...pick(said, keys), ...read.value } as Input) : read;
}

/**
 * Reads the values of fields.
 * @param known the fields that may be given, in a refusal of another
 */
export function readValues(
  takes: Fields,
  said: Readonly<Record<string, Json | undefined>>,
  known: readonly string[] = Object.keys(takes),
): Outcome<Readonly<Record<string, unknown>>> {
  // A misspelt answer must not pass for none.
  const unknown = Object.keys(said).find((name) => !known.includes(name));
  if (unknown !== undefined) return refuse(problem('FIELD_INVALID', { kind: 'unknown', name: unknown, known }));
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(takes)) {
    const given = said[name];
    if (given === undefined && field.is_optional === true) continue;
    const read = given === undefined ? undefined : field.read(given);
    if (read === undefined) return refuse(fieldInvalid(name, field.wanted));
    values[name] = read;
  }
  return succeed(values);
}

/** The value that a person typed, in a form or at a terminal; undefined where it is none of the field's kind. */
export function fromText({ control }: Field<unknown>, text: string): Json | undefined {
  if (control === 'whole') return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  if (control !== 'json') return text;
  const parsed = parseJson(text);
  return parsed.ok ? parsed.value : undefined;
}

export function fieldInvalid(name: string, wanted: string): Problem {
  return problem('FIELD_INVALID', { kind: 'invalid', name, wanted }, { details: { field: name } });
}
