import type { Json, JsonObject } from '../../contract/json.js';
import type { Problem } from '../../contract/problem.js';
import { contentHash } from '../../core/content/canonical.js';
import { isList, isObject, pointerTokens, toPointer } from '../../core/content/json-pointer.js';
import { shorten } from '../../core/content/shorten.js';
import { listSubschemas, mapChildren } from '../../core/content/subschemas.js';
import type { CompileSchema } from '../../ports/validation.js';

/** A server's schema as documents can hold it, and the keywords that it lost on the way. */
interface UsableSchema {
  readonly schema: JsonObject;
  /** Pointers, such as `/properties/to/pattern`. */
  readonly dropped: readonly string[];
}

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const REASON_LENGTH_MAX = 2_000;
const DROPPED_MAX = 100;

/**
 * Makes a schema of an object usable: tuples of older dialects are written as those of ours, and keywords that cannot be
 * used are dropped, because the server checks its arguments anyway.
 * @returns a sentence where that is not enough
 */
export function toUsableSchema(compileSchema: CompileSchema, said: Json | undefined): UsableSchema | string {
  if (!isObject(said)) return 'it is not an object';
  let schema: JsonObject = { ...withTuples(said), $schema: DIALECT, type: said['type'] ?? 'object' };
  if (schema['type'] !== 'object') return 'it does not say "type": "object"';
  const dropped: string[] = [];
  for (;;) {
    const compiled = compileSchema(contentHash(schema), schema);
    if (compiled.ok) return { schema, dropped };
    const faults = compiled.problems.filter(({ severity }) => severity !== 'note');
    const found = faults.some(({ code }) => code === 'SCHEMA_TOO_LARGE') ? [] : findKeywords(schema, faults);
    dropped.push(...found.map(toPointer));
    if (found.length === 0 || dropped.length > DROPPED_MAX)
      return shorten(faults[0]?.message ?? 'it does not compile', REASON_LENGTH_MAX);
    schema = found.reduce<JsonObject>((left, keyword) => without(left, keyword) as JsonObject, schema);
  }
}

/**
 * Before 2020-12, a list of `items` was what is `prefixItems` now, and `additionalItems` what is `items`. A server may not
 * declassify its own answers: only an author may.
 */
function withTuples({ declassify: _claimed, ...schema }: JsonObject): JsonObject {
  const { items, additionalItems, ...rest } = schema;
  const written = isList(items)
    ? { ...rest, prefixItems: items, ...(additionalItems === undefined ? {} : { items: additionalItems }) }
    : schema;
  return mapChildren(written, (child) => (isObject(child) ? withTuples(child) : child));
}

/** Without these of its own, a schema says nothing of the arguments. */
const KEPT = ['type', 'properties', '$ref'];
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];

/** The keywords, or the members of one, that hold the places of faults, without those that have to stay. */
function findKeywords(schema: JsonObject, faults: readonly Problem[]): readonly (readonly string[])[] {
  const places = listSubschemas(schema).flatMap((inner) => (isObject(inner.schema) ? [inner.pointer] : []));
  const found = new Map<string, readonly string[]>();
  for (const { pointer = '' } of faults) {
    const tokens = pointerTokens(pointer);
    const around = places.filter((place) => place !== pointer && `${pointer}/`.startsWith(`${place}/`));
    const depth = Math.max(...around.map((place) => pointerTokens(place).length));
    const keyword = tokens.slice(0, depth + (MAPS.includes(tokens[depth] ?? '') ? 2 : 1));
    if (keyword.length > 1 || (tokens.length > 0 && !KEPT.includes(keyword[0] ?? '')))
      found.set(toPointer(keyword), keyword);
  }
  return [...found.values()];
}

function without(value: Json, [token, ...rest]: readonly string[]): Json {
  if (token === undefined) return value;
  const next = ([name, inner]: readonly [string, Json]): readonly (readonly [string, Json])[] => {
    if (name !== token) return [[name, inner]];
    return rest.length === 0 ? [] : [[name, without(inner, rest)]];
  };
  if (isList(value))
    return Object.entries(value as unknown as JsonObject)
      .flatMap(next)
      .map(([, inner]) => inner);
  return isObject(value) ? Object.fromEntries(Object.entries(value).flatMap(next)) : value;
}
