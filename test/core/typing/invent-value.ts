import type { Json, JsonObject } from '../../../engine/contract/json.js';
import { findAt, isList, pointerTokens } from '../../../engine/core/content/json-pointer.js';

/** A number from 0 to `below` - 1, another one each time. */
type Choose = (below: number) => number;

const NAMES = ['a', 'b', 'c', '0', 'd'];
const DEPTH_MAX = 4;

/**
 * Makes up a value that a schema might let through; whether it does is for a validator to say.
 * Members that nothing speaks of are left out where a schema lists members and does not speak of others.
 */
export function inventValue(schema: Json, root: JsonObject, seed: number): Json {
  return invent([schema], root, toChoose(seed), 0);
}

function toChoose(seed: number): Choose {
  let state = (seed * 2_654_435_761 + 12_345) >>> 0;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}

function invent(schemas: readonly Json[], root: JsonObject, choose: Choose, depth: number): Json {
  const chosen = schemas.flatMap((schema) => flatten(schema, root, choose));
  const named = chosen.flatMap((schema) => ('const' in schema ? [schema['const']] : listOf(schema['enum'])));
  if (named.length > 0) return named[choose(named.length)] ?? null;
  const types = chosen.flatMap((schema) =>
    typeof schema['type'] === 'string' ? [schema['type']] : (listOf(schema['type']) as readonly string[]),
  );
  const all = ['object', 'array', 'string', 'integer', 'boolean', 'null', 'object', 'object'];
  const open = types.length > 0 ? types : all;
  const type = open[choose(open.length)];
  if (depth > DEPTH_MAX) return null;
  if (type === 'object') return inventObject(chosen, root, choose, depth);
  if (type === 'array') return inventArray(chosen, root, choose, depth);
  if (type === 'string') return choose(2) === 0 ? 'x' : 'long';
  if (type === 'integer') return choose(3);
  return type === 'boolean' ? choose(2) === 0 : null;
}

function inventObject(chosen: readonly JsonObject[], root: JsonObject, choose: Choose, depth: number): Json {
  const listed = chosen.flatMap((schema) => Object.keys(objectOf(schema['properties'])));
  const required = chosen.flatMap((schema) => listOf(schema['required']) as readonly string[]);
  const isOpen =
    !chosen.some((schema) => 'properties' in schema) ||
    chosen.some((schema) => 'additionalProperties' in schema || 'patternProperties' in schema);
  const candidates = [...new Set([...listed, ...(isOpen ? NAMES : [])])].filter(() => choose(2) === 0);
  const names = new Set([...required, ...candidates]);
  const members = [...names].map((name): [string, Json] => {
    const covering = chosen.flatMap((schema) => {
      const own = objectOf(schema['properties'])[name];
      const patterns = Object.entries(objectOf(schema['patternProperties'])).filter(([pattern]) =>
        new RegExp(pattern, 'u').test(name),
      );
      const spoken = [...(own === undefined ? [] : [own]), ...patterns.map(([, inner]) => inner)];
      return spoken.length > 0 ? spoken : [schema['additionalProperties'] ?? true];
    });
    return [name, invent(covering, root, choose, depth + 1)];
  });
  return Object.fromEntries(members);
}

function inventArray(chosen: readonly JsonObject[], root: JsonObject, choose: Choose, depth: number): Json {
  const least = Math.max(0, ...chosen.map((schema) => (schema['minItems'] as number | undefined) ?? 0));
  return Array.from({ length: least + choose(3) }, (_, index) =>
    invent(
      chosen.map((schema) => listOf(schema['prefixItems'])[index] ?? schema['items'] ?? true),
      root,
      choose,
      depth + 1,
    ),
  );
}

/** One way through references and alternatives. */
function flatten(schema: Json, root: JsonObject, choose: Choose): readonly JsonObject[] {
  if (typeof schema !== 'object' || schema === null || isList(schema)) return [];
  const reference = schema['$ref'];
  const target = typeof reference === 'string' ? findAt(root, pointerTokens(reference.slice(1))) : undefined;
  const alternatives = [listOf(schema['anyOf']), listOf(schema['oneOf'])].filter((list) => list.length > 0);
  const branch = choose(2) === 0 ? [schema['if'] ?? true, schema['then'] ?? true] : [schema['else'] ?? true];
  const beside = [
    ...(target === undefined ? [] : [target]),
    ...listOf(schema['allOf']),
    ...alternatives.map((list) => list[choose(list.length)] ?? true),
    ...('if' in schema ? branch : []),
  ];
  return [schema, ...beside.flatMap((inner) => flatten(inner, root, choose))];
}

function listOf(value: Json | undefined): readonly Json[] {
  return value !== undefined && isList(value) ? value : [];
}

function objectOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !isList(value) ? value : {};
}
