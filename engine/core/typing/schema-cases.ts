import type { Json, JsonObject } from '../../contract/json.js';
import { isList, isObject } from '../content/json-pointer.js';
import { followReference } from '../content/subschemas.js';

/** Schemas that one value fits all at once, free of references and alternatives. */
export type Case = readonly JsonObject[];

/** More alternatives than this are not distinguished. */
const CASES_MAX = 64;

/** In place of alternatives that are not distinguished: anything may be there. */
const OPEN: Case = [{ additionalProperties: true, items: true }];

const IN_PLACE = ['$ref', '$defs', 'allOf', 'anyOf', 'oneOf', 'if', 'then', 'else'];

/**
 * The alternatives of a conjunction of schemas: a value that fits all of them fits all of at least one case. `not` and
 * dependencies are left out, which only makes a case wider.
 * @param schemas of a document that compiles, so that its references resolve and end
 * @returns none where nothing fits
 */
export function expandCases(schemas: readonly Json[], root: JsonObject): readonly Case[] {
  return conjoin(schemas.map((schema) => casesOf(schema, root)));
}

export function ownMember(schema: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(schema, name) ? schema[name] : undefined;
}

/** A list that a keyword holds, empty where it holds none. */
export function listAt(schema: JsonObject, keyword: string): readonly Json[] {
  const value = ownMember(schema, keyword);
  return isList(value) ? value : [];
}

/** An object that a keyword holds, empty where it holds none. */
export function objectAt(schema: JsonObject, keyword: string): JsonObject {
  const value = ownMember(schema, keyword);
  return isObject(value) ? value : {};
}

function casesOf(schema: Json, root: JsonObject): readonly Case[] {
  if (schema === false) return [];
  if (!isObject(schema)) return [[]];
  if (!IN_PLACE.some((keyword) => Object.hasOwn(schema, keyword))) return [[schema]];
  const reference = ownMember(schema, '$ref');
  return conjoin([
    [[Object.fromEntries(Object.entries(schema).filter(([keyword]) => !IN_PLACE.includes(keyword)))]],
    ...(typeof reference === 'string' ? [casesOf(followReference(root, reference) ?? true, root)] : []),
    ...listAt(schema, 'allOf').map((part) => casesOf(part, root)),
    ...['anyOf', 'oneOf']
      .map((keyword) => listAt(schema, keyword))
      .filter((alternatives) => alternatives.length > 0)
      .map((alternatives) => alternatives.flatMap((alternative) => casesOf(alternative, root))),
    ...conditionOf(schema, root),
  ]);
}

/** A value fits `if` and `then`, or else `else`; that it then does not fit `if` is left out. */
function conditionOf(schema: JsonObject, root: JsonObject): readonly (readonly Case[])[] {
  const condition = ownMember(schema, 'if');
  if (condition === undefined) return [];
  const met = conjoin([casesOf(condition, root), casesOf(ownMember(schema, 'then') ?? true, root)]);
  return [[...met, ...casesOf(ownMember(schema, 'else') ?? true, root)]];
}

function conjoin(parts: readonly (readonly Case[])[]): readonly Case[] {
  const [only] = parts;
  if (only !== undefined && parts.length === 1 && only.length <= CASES_MAX) return only;
  return parts.reduce<readonly Case[]>(
    (cases, alternatives) => {
      const distinguished = cases.length * alternatives.length > CASES_MAX ? [OPEN] : alternatives;
      return cases.flatMap((one) => distinguished.map((other) => [...one, ...other]));
    },
    [[]],
  );
}
