import { fieldInvalid } from '../../catalogue/read-input.js';
import { type ParameterName, PARAMETERS } from '../../catalogue/parameters.js';
import { type Asked, keysOf, type Resource } from '../../catalogue/resource.js';
import type { Json, JsonObject } from '../../contract/json.js';
import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import { suggestName } from '../../core/content/nearest-name.js';
import type { Caller } from './offer.js';

/** Whether a caller may use what is for such a reader. */
export function mayUse(reader: Caller['reader'], least: 'consumer' | 'operator'): boolean {
  return reader === 'operator' || least === 'consumer';
}

/**
 * Reads what a tool of a resource is given: numbers and texts, by the names of its keys and parameters.
 * @returns a refusal of a name that is missing or unknown, and of a value that is not of its kind
 */
export function readAsked(
  { path, takes }: Pick<Resource, 'path' | 'takes'>,
  said: JsonObject,
  reader: Caller['reader'],
): Outcome<Asked> {
  const keys = keysOf(path);
  const known = [...keys, ...takes];
  const unknown = Object.keys(said).find((name) => !known.some((one) => one === name));
  if (unknown !== undefined)
    return refuse(problem('PARAMETER_UNKNOWN', { name: unknown, suggestion: suggestName(unknown, known) }));
  const wrong = known.find((name) => !isValue(name, said[name], keys.includes(name)));
  if (wrong !== undefined)
    return refuse({ ...fieldInvalid(wrong, wantedOf(PARAMETERS[wrong].schema)), pointer: `/${wrong}` });
  const texts = (names: readonly ParameterName[]): Readonly<Partial<Record<ParameterName, string>>> =>
    Object.fromEntries(
      names.flatMap((name) => (said[name] === undefined ? [] : [[name, `${said[name] as string | number}`]])),
    );
  const parameters = texts(keys) as Asked['parameters'];
  return succeed({ parameters, query: texts(takes), reader });
}

/** A number may be written as a text, as it is in a path. The operation judges the rest. */
function isValue(name: ParameterName, value: Json | undefined, is_key: boolean): boolean {
  if (value === undefined) return !is_key;
  const schema: JsonObject = PARAMETERS[name].schema;
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || (is_key && text === '')) return false;
  if (schema['type'] === 'integer') return /^\d{1,9}$/.test(text);
  return typeof value === 'string' && (!Array.isArray(schema['enum']) || schema['enum'].includes(value));
}

function wantedOf(schema: JsonObject): string {
  if (schema['type'] === 'integer') return 'a whole number';
  return Array.isArray(schema['enum']) ? `one of ${schema['enum'].join(', ')}` : 'a text';
}
