import type { Json, JsonObject } from '../../contract/json.js';
import { appendToken, findAt, isList, isObject, pointerTokens } from './json-pointer.js';

/** Keywords of JSON Schema 2020-12 that hold one schema. */
const HOLDS_ONE = [
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
];
const HOLDS_LIST = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const HOLDS_MAP = ['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties'];

/** Those whose schemas look at the very value that the schema around them looks at. */
const IN_PLACE = ['allOf', 'anyOf', 'dependentSchemas', 'else', 'if', 'not', 'oneOf', 'then'];

/** A schema within a schema. */
export interface Subschema {
  readonly pointer: string;
  readonly schema: Json;
  /** It looks at the same value as the schema around it. */
  readonly in_place: boolean;
}

/** The schemas directly within a schema. */
export function listChildren(schema: JsonObject, pointer: string): readonly Subschema[] {
  return Object.entries(schema).flatMap(([keyword, inner]) => {
    const place = appendToken(pointer, keyword);
    const inPlace = IN_PLACE.includes(keyword);
    return listHeld(keyword, inner, place)
      .filter(({ schema: child }) => typeof child === 'boolean' || isObject(child))
      .map((child) => ({ ...child, in_place: inPlace }));
  });
}

/** A schema and every schema within it, outermost first. */
export function listSubschemas(schema: JsonObject): readonly Subschema[] {
  const found: Subschema[] = [{ pointer: '', schema, in_place: false }];
  for (const next of found) {
    if (isObject(next.schema)) found.push(...listChildren(next.schema, next.pointer));
  }
  return found;
}

/** A schema with each schema directly within it replaced. */
export function mapChildren(schema: JsonObject, replace: (child: Json) => Json): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, inner]) => [keyword, mapHeld(keyword, inner, replace)]),
  );
}

/** A schema with each reference in it replaced. */
export function mapReferences(schema: JsonObject, replace: (reference: string) => string): JsonObject {
  const { $ref } = schema;
  const inner = mapChildren(schema, (child) => (isObject(child) ? mapReferences(child, replace) : child));
  return typeof $ref === 'string' ? { ...inner, $ref: replace($ref) } : inner;
}

/** The pointer that a `$ref` holds. @returns undefined where it is no pointer within its document */
export function pointerOfReference(reference: string): string | undefined {
  if (!/^#(\/.*)?$/.test(reference)) return undefined;
  try {
    return decodeURIComponent(reference.slice(1));
  } catch {
    return undefined;
  }
}

/** Finds the target of a `$ref`. @returns undefined where there is none within its document */
export function followReference(root: JsonObject, reference: string): Json | undefined {
  const pointer = pointerOfReference(reference);
  return pointer === undefined ? undefined : findAt(root, pointerTokens(pointer));
}

function listHeld(
  keyword: string,
  inner: Json,
  place: string,
): readonly { readonly pointer: string; readonly schema: Json }[] {
  if (HOLDS_ONE.includes(keyword)) return [{ pointer: place, schema: inner }];
  const isHolder = isObject(inner) ? HOLDS_MAP.includes(keyword) : isList(inner) && HOLDS_LIST.includes(keyword);
  if (!isHolder) return [];
  return Object.entries(inner as JsonObject).map(([name, schema]) => ({ pointer: appendToken(place, name), schema }));
}

/** The value of a keyword, with each schema directly within it replaced. */
export function mapHeld(keyword: string, inner: Json, replace: (child: Json) => Json): Json {
  if (HOLDS_ONE.includes(keyword)) return replace(inner);
  if (isList(inner)) return HOLDS_LIST.includes(keyword) ? inner.map(replace) : inner;
  if (!isObject(inner) || !HOLDS_MAP.includes(keyword)) return inner;
  return Object.fromEntries(Object.entries(inner).map(([name, schema]) => [name, replace(schema)]));
}
