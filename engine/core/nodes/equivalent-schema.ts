import type { Json, JsonObject } from '../../contract/json.js';
import { canonicalText } from '../content/canonical.js';
import { isList, isObject } from '../content/json-pointer.js';
import { followReference, mapChildren } from '../content/subschemas.js';

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
  return left === right || canonicalText(reduce(left, left, [])) === canonicalText(reduce(right, right, []));
}

function reduce(schema: Json, root: JsonObject, within: readonly string[]): Json {
  if (!isObject(schema)) return schema;
  if (typeof schema['$ref'] === 'string') return inline(schema, schema['$ref'], root, within);
  const kept = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !ANNOTATIONS.has(keyword)));
  const reduced = mapChildren(kept, (child) => reduce(child, root, within));
  return Object.fromEntries(
    Object.entries(reduced).map(([keyword, value]) => [keyword, SETS.has(keyword) ? sorted(value) : value]),
  );
}

/** Inlines a reference; one that leads back to itself stays, since it has no end. */
function inline(schema: JsonObject, reference: string, root: JsonObject, within: readonly string[]): Json {
  const target = followReference(root, reference);
  if (target === undefined || within.includes(reference)) return { $ref: reference };
  const { $ref: _reference, ...beside } = schema;
  const inlined = reduce(target, root, [...within, reference]);
  const rest = reduce(beside, root, within) as JsonObject;
  return Object.keys(rest).length === 0 ? inlined : { ...rest, $inlined: inlined };
}

function sorted(value: Json): Json {
  if (!isList(value)) return value;
  return [...value].sort((a, b) => (canonicalText(a) < canonicalText(b) ? -1 : 1));
}
