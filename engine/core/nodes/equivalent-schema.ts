import type { Json, JsonObject } from '../../contract/json.js';
import { canonicalText } from '../content/canonical.js';
import { findAt, isList, pointerTokens } from '../content/json-pointer.js';

const ANNOTATIONS = new Set([
  'title',
  'description',
  '$comment',
  'examples',
  'default',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$id',
  '$schema',
  '$defs',
]);
const SETS = new Set(['required', 'enum', 'oneOf']);

/**
 * Whether two schemas say the same: equal canonical forms after dropping annotations, inlining references, and sorting
 * what has no order. A narrower schema is not equivalent.
 */
export function isEquivalentSchema(left: JsonObject, right: JsonObject): boolean {
  return (
    left === right || canonicalText(reduce(left, left, [], false)) === canonicalText(reduce(right, right, [], false))
  );
}

/** @param named whether the members are names of properties rather than keywords */
function reduce(schema: Json, root: JsonObject, within: readonly string[], named: boolean): Json {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (isList(schema)) return schema.map((item) => reduce(item, root, within, false));
  if (!named && typeof schema['$ref'] === 'string') return inline(schema, schema['$ref'], root, within);
  const kept = Object.entries(schema).filter(([member]) => named || !ANNOTATIONS.has(member));
  return Object.fromEntries(
    kept.map(([member, value]) => [
      member,
      named ? reduce(value, root, within, false) : reduceKeyword(member, value, root, within),
    ]),
  );
}

function reduceKeyword(keyword: string, value: Json, root: JsonObject, within: readonly string[]): Json {
  if (keyword === 'const') return value;
  if (keyword === 'enum') return sorted(value);
  const reduced = reduce(
    value,
    root,
    within,
    keyword === 'properties' || keyword === 'patternProperties' || keyword === 'dependentSchemas',
  );
  return SETS.has(keyword) ? sorted(reduced) : reduced;
}

/** Inlines a reference; one that leads back to itself stays, since it has no end. */
function inline(schema: JsonObject, reference: string, root: JsonObject, within: readonly string[]): Json {
  const target = reference.startsWith('#')
    ? findAt(root, pointerTokens(decodeURIComponent(reference.slice(1))))
    : undefined;
  if (target === undefined || within.includes(reference)) return { $ref: reference };
  const { $ref: _reference, ...beside } = schema;
  const inlined = reduce(target, root, [...within, reference], false);
  const rest = reduce(beside, root, within, false) as JsonObject;
  return Object.keys(rest).length === 0 ? inlined : { ...rest, $inlined: inlined };
}

function sorted(value: Json): Json {
  if (!isList(value)) return value;
  return [...value].sort((a, b) => (canonicalText(a) < canonicalText(b) ? -1 : 1));
}
