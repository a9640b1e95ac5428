import type { Json, JsonObject } from '../../contract/json.js';
import { canonicalText } from '../content/canonical.js';
import { isList } from '../content/json-pointer.js';
import { type Case, listAt, ownMember } from './schema-cases.js';

/** The types of values. A number that is no integer is a type of its own, so that types never overlap. */
const VALUE_TYPES = ['object', 'array', 'string', 'integer', 'fraction', 'boolean', 'null'] as const;

export type ValueType = (typeof VALUE_TYPES)[number];

/** The types that a value of a case can have; none where nothing fits. */
export function typesOf(schemas: Case): readonly ValueType[] {
  const values = valuesOf(schemas);
  return values === undefined ? writtenTypes(schemas) : [...new Set(values.map(typeOf))];
}

/** The only values that a case lets through, where it names them. */
export function valuesOf(schemas: Case): readonly Json[] | undefined {
  const named = schemas.flatMap((schema) => {
    const only = ownMember(schema, 'const');
    const isListed = ownMember(schema, 'enum') !== undefined;
    return [...(only === undefined ? [] : [[only]]), ...(isListed ? [listAt(schema, 'enum')] : [])];
  });
  const [first, ...others] = named;
  if (first === undefined) return undefined;
  const types = writtenTypes(schemas);
  const isEverywhere = (value: Json): boolean => others.every((values) => includesValue(values, value));
  return first.filter((value) => types.includes(typeOf(value)) && isEverywhere(value));
}

/** Whether a list holds a value, as JSON compares. */
export function includesValue(values: readonly Json[], value: Json): boolean {
  if (typeof value !== 'object' || value === null) return values.includes(value);
  const text = canonicalText(value);
  return values.some((candidate) => canonicalText(candidate) === text);
}

export function typeOf(value: Json): ValueType {
  if (value === null) return 'null';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction';
  if (typeof value === 'object') return isList(value) ? 'array' : 'object';
  return typeof value === 'boolean' ? 'boolean' : 'string';
}

function writtenTypes(schemas: Case): readonly ValueType[] {
  return VALUE_TYPES.filter((type) => schemas.every((schema) => admitsType(schema, type)));
}

function admitsType(schema: JsonObject, type: ValueType): boolean {
  const written = ownMember(schema, 'type');
  if (written === undefined) return true;
  const names = typeof written === 'string' ? [written] : listAt(schema, 'type');
  return names.includes(type) || ((type === 'integer' || type === 'fraction') && names.includes('number'));
}
