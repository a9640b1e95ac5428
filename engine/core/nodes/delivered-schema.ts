import type { Json, JsonObject } from '../../contract/json.js';
import { isList, isObject } from '../content/json-pointer.js';
import { mapHeld } from '../content/subschemas.js';

/** Bounds that servers refuse, or turn into grammars that are too large. They say nothing of an answer's structure. */
const BOUNDS: ReadonlySet<string> = new Set([
  'maxLength',
  'minLength',
  'pattern',
  'format',
  'contentEncoding',
  'contentMediaType',
  'maxItems',
  'minItems',
  'uniqueItems',
  'maxContains',
  'minContains',
  'maxProperties',
  'minProperties',
]);

/** A looser schema under these would make the whole stricter: they stay only where nothing in them changes. */
const NEGATES: ReadonlySet<string> = new Set(['not', 'if', 'then', 'else']);

/**
 * A schema as it is sent to a server: without bounds of length, number, pattern and format, and with `anyOf` in place of
 * `oneOf`, whose branches may overlap once their bounds are gone. It accepts everything that the schema accepts, and
 * more: answers are checked against the schema itself.
 */
export function toDeliveredSchema(schema: JsonObject): JsonObject {
  const isKept = [...NEGATES].every((keyword) => !hasBounds(schema[keyword]));
  const members = Object.entries(schema)
    .filter(([keyword]) => !BOUNDS.has(keyword) && (isKept || !NEGATES.has(keyword)))
    .map(([keyword, value]): [string, Json] => [
      keyword === 'oneOf' && schema['anyOf'] === undefined ? 'anyOf' : keyword,
      NEGATES.has(keyword)
        ? value
        : mapHeld(keyword, value, (child) => (isObject(child) ? toDeliveredSchema(child) : child)),
    ]);
  return Object.fromEntries(members);
}

/** A reference may lead to bounds. */
function hasBounds(value: Json | undefined): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (isList(value)) return value.some(hasBounds);
  return Object.entries(value).some(([name, inner]) => BOUNDS.has(name) || name === '$ref' || hasBounds(inner));
}
