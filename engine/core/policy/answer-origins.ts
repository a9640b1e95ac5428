import type { Json, JsonObject } from '../../contract/json.js';
import type { Values } from '../../contract/problems/schemas.js';
import { findAt, isList, isObject, toPointer } from '../content/json-pointer.js';
import { listSubschemas, type Subschema } from '../content/subschemas.js';
import { type Origins, unionOf } from '../prompt/origins.js';
import { declaredAt, leavesOf } from './provenance.js';

// An author may declassify a member of a result schema whose values are few: `"declassify": true` drops the label of the
// source that chose one of them. No more can be said by it than the author foresaw.

/** An answer, and where it comes from. */
export interface Answered {
  readonly value: Json;
  readonly origins: Origins;
  /** The pointers of its declassified values, and their origins; left out where it has none. */
  readonly declassified?: { readonly pointers: ReadonlySet<string>; readonly origins: Origins };
}

/**
 * Where an answer comes from.
 * @param schema of the answer, as its author wrote it
 * @param others its origins beside those that a declassified value drops
 */
export function traceAnswer(
  value: Json,
  schema: JsonObject | undefined,
  { others, dropped }: { readonly others: Origins; readonly dropped: Origins },
): Answered {
  const origins = unionOf([others, dropped]);
  if (schema === undefined || !mayDeclassify(schema)) return { value, origins };
  const pointers = leavesOf(value).flatMap(({ tokens }) =>
    declaredAt(schema, tokens)?.['declassify'] === true ? [toPointer(tokens)] : [],
  );
  return { value, origins, declassified: { pointers: new Set(pointers), origins: others } };
}

/** The origins of a part of an answer. */
export function originsWithin({ value, origins, declassified }: Answered, tokens: readonly string[] = []): Origins {
  if (declassified === undefined) return origins;
  const part = findAt(value, tokens);
  const isOpen =
    part !== undefined && leavesOf(part, tokens).every((leaf) => declassified.pointers.has(toPointer(leaf.tokens)));
  return isOpen ? declassified.origins : origins;
}

/** The schemas within a schema that declassify a value. */
export function listDeclassified(schema: JsonObject): readonly (Subschema & { readonly schema: JsonObject })[] {
  return listSubschemas(schema).flatMap(({ schema: inner, ...place }) =>
    isObject(inner) && Object.hasOwn(inner, 'declassify') ? [{ ...place, schema: inner }] : [],
  );
}

const DECLASSIFYING = new WeakMap<JsonObject, boolean>();

function mayDeclassify(schema: JsonObject): boolean {
  const known = DECLASSIFYING.get(schema) ?? listDeclassified(schema).length > 0;
  DECLASSIFYING.set(schema, known);
  return known;
}

/** @returns undefined where they are not few, or where the schema says something else than that it declassifies them */
export function valuesOf(schema: JsonObject): Values | undefined {
  const { enum: listed, type } = schema;
  if (schema['declassify'] !== true) return undefined;
  if (listed !== undefined && isList(listed)) return { kind: 'listed', count: listed.length };
  if (schema['const'] !== undefined) return { kind: 'listed', count: 1 };
  if (type === 'boolean') return { kind: 'listed', count: 2 };
  if (type !== 'number' && type !== 'integer') return undefined;
  const least = schema['minimum'] ?? schema['exclusiveMinimum'];
  const most = schema['maximum'] ?? schema['exclusiveMaximum'];
  return typeof least === 'number' && typeof most === 'number' ? { kind: 'between', least, most } : undefined;
}
