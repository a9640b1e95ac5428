import type { Json, JsonObject } from '../../contract/json.js';
import { findAt } from '../content/json-pointer.js';
import type { Presence } from './presence.js';
import { type Case, listAt, objectAt, ownMember } from './schema-cases.js';
import { valuesOf } from './value-types.js';

/** A case's account of one member or item: whether it is there, and the schemas that it fits. */
export interface Member {
  readonly presence: Presence;
  readonly schemas: readonly Json[];
}

/** What no value has. */
export const NEVER: Member = { presence: 'never', schemas: [false] };

/**
 * A case's account of an object's member. A member that is not listed beside `properties` is never there, unless other
 * members are mentioned.
 */
export function memberOf(schemas: Case, name: string): Member {
  const values = valuesOf(schemas);
  if (values !== undefined) return memberOfValues(values, name);
  const covering = coversOfMember(schemas, name);
  if (covering.includes(false)) return NEVER;
  const isRequired = schemas.some((schema) => listAt(schema, 'required').includes(name));
  const isListed = schemas.some((schema) => Object.hasOwn(schema, 'properties'));
  if (covering.length === 0 && !isRequired && isListed && !schemas.some(speaksOfOthers)) return NEVER;
  return { presence: isRequired ? 'there' : 'maybe', schemas: covering };
}

/** A case's account of an array's item. */
export function itemOf(schemas: Case, index: number): Member {
  const values = valuesOf(schemas);
  if (values !== undefined) return memberOfValues(values, String(index));
  const covering = coversOfItem(schemas, index);
  const isBeyond = schemas.some((schema) => numberAt(schema, 'maxItems', Number.POSITIVE_INFINITY) <= index);
  if (covering.includes(false) || isBeyond) return NEVER;
  const isWithin = schemas.some((schema) => numberAt(schema, 'minItems', 0) > index);
  return { presence: isWithin ? 'there' : 'maybe', schemas: covering };
}

/** The schemas that a member must fit where it is there; `false` among them refuses it. */
export function coversOfMember(schemas: Case, name: string): readonly Json[] {
  const covering = schemas.flatMap((schema) => coversBySchema(schema, name));
  return covering.length > 0 ? covering : keywordsOf(schemas, 'unevaluatedProperties');
}

/** The schemas that an item must fit where it is there; `false` among them refuses it. */
export function coversOfItem(schemas: Case, index: number): readonly Json[] {
  const covering = schemas.flatMap((schema) => listAt(schema, 'prefixItems')[index] ?? keywordsOf([schema], 'items'));
  return covering.length > 0 ? covering : keywordsOf(schemas, 'unevaluatedItems');
}

/** The names of members that a case mentions, in its order. */
export function namesOf(schemas: Case): readonly string[] {
  const values = valuesOf(schemas);
  if (values !== undefined)
    return values.flatMap((value) => (typeof value === 'object' ? Object.keys(value ?? {}) : []));
  return schemas.flatMap((schema) => [
    ...Object.keys(objectAt(schema, 'properties')),
    ...listAt(schema, 'required').filter((name) => typeof name === 'string'),
  ]);
}

function coversBySchema(schema: JsonObject, name: string): readonly Json[] {
  const own = ownMember(objectAt(schema, 'properties'), name);
  const matching = Object.entries(objectAt(schema, 'patternProperties')).filter(([pattern]) =>
    new RegExp(pattern, 'u').test(name),
  );
  const spoken = [...(own === undefined ? [] : [own]), ...matching.map(([, inner]) => inner)];
  return spoken.length > 0 ? spoken : keywordsOf([schema], 'additionalProperties');
}

function speaksOfOthers(schema: JsonObject): boolean {
  return Object.hasOwn(schema, 'patternProperties') || Object.hasOwn(schema, 'additionalProperties');
}

function memberOfValues(values: readonly Json[], name: string): Member {
  const found = values.map((value) => findAt(value, [name])).filter((value) => value !== undefined);
  if (found.length === 0) return NEVER;
  return { presence: found.length === values.length ? 'there' : 'maybe', schemas: [{ enum: found }] };
}

function keywordsOf(schemas: Case, keyword: string): readonly Json[] {
  return schemas.flatMap((schema) => ownMember(schema, keyword) ?? []);
}

function numberAt(schema: JsonObject, keyword: string, otherwise: number): number {
  const value = ownMember(schema, keyword);
  return typeof value === 'number' ? value : otherwise;
}
