import type { Json, JsonObject } from '../contract/json.js';
import { isList, isObject, pointerTokens } from '../core/content/json-pointer.js';
import { followReference, listChildren } from '../core/content/subschemas.js';

/**
 * Whether each name in the pointer of a place in an answer is written at that place of its schema, in `properties` or
 * `required`: then the author chose it, and it tells nothing of the answer. A member that only `additionalProperties` or a
 * pattern allows has its name from the service.
 */
export function isAuthoredPlace(pointer: string, answer: Json, schema: JsonObject): boolean {
  let value: Json | undefined = answer;
  let schemas = atOnePlace(schema, [schema]);
  for (const token of pointerTokens(pointer)) {
    const isElement = isList(value);
    if (!isElement && !schemas.some((part) => namesMember(part, token))) return false;
    schemas = atOnePlace(
      schema,
      schemas.flatMap((part) => (isElement ? elementSchemas(part) : memberSchemas(part, token))),
    );
    value =
      value === undefined || typeof value !== 'object' || value === null ? undefined : (value as JsonObject)[token];
  }
  return true;
}

/** These schemas and all that look at the same value as they do. */
function atOnePlace(root: JsonObject, given: readonly (Json | undefined)[]): readonly JsonObject[] {
  const found = new Set<JsonObject>();
  const left = [...given];
  for (const schema of left) {
    if (schema === undefined || !isObject(schema) || found.has(schema)) continue;
    found.add(schema);
    left.push(...listChildren(schema, '').flatMap((child) => (child.in_place ? [child.schema] : [])));
    const { $ref } = schema;
    if (typeof $ref === 'string') left.push(followReference(root, $ref));
  }
  return [...found];
}

function namesMember({ properties, required }: JsonObject, name: string): boolean {
  const isProperty = isObject(properties) && Object.hasOwn(properties, name);
  return isProperty || (isList(required) && required.includes(name));
}

function memberSchemas({ properties, additionalProperties }: JsonObject, name: string): readonly (Json | undefined)[] {
  return [isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : additionalProperties];
}

function elementSchemas({ items, prefixItems }: JsonObject): readonly (Json | undefined)[] {
  return [items, ...(isList(prefixItems) ? prefixItems : [])];
}
