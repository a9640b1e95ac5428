import { isObject } from '../core/content/json-pointer.js';
import type { Json, JsonObject } from '../contract/json.js';

const HIDDEN = 'hidden';

/**
 * Completes a redacted answer with members that its schema requires. No turn sees them: redaction hides them again.
 * Only plain keywords of the schema are followed, so the result may still not fit.
 */
export function fillHidden(value: Json, schema: Json | undefined): Json {
  if (!isObject(schema)) return value;
  if (Array.isArray(value)) return value.map((item) => fillHidden(item, schema['items']));
  if (!isObject(value)) return value;
  const { required = [], properties = {} } = schema as {
    readonly required?: readonly string[];
    readonly properties?: JsonObject;
  };
  const shown = Object.entries(value).map(([name, member]) => [name, fillHidden(member, properties[name])] as const);
  const hidden = required
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => [name, sampleOf(properties[name])] as const);
  return Object.fromEntries([...shown, ...hidden]);
}

function sampleOf(schema: Json | undefined): Json {
  if (!isObject(schema)) return HIDDEN;
  const { const: only, enum: listed, default: usual, examples, type, minimum = 0 } = schema;
  const given = only ?? first(listed) ?? usual ?? first(examples);
  if (given !== undefined) return given;
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return fillHidden({}, schema);
    case 'array':
      return [];
    case 'number':
    case 'integer':
      return minimum;
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return HIDDEN;
  }
}

function first(list: Json | undefined): Json | undefined {
  return Array.isArray(list) ? (list as readonly Json[])[0] : undefined;
}
