import type { Json, JsonObject } from '../../contract/json.js';
import { findAt, isList, isObject } from '../content/json-pointer.js';
import { followReference } from '../content/subschemas.js';
import type { CallProgram } from '../protocol/program.js';

const DEPTH_MAX = 16;

/** The smallest answer that a call's result schema plainly asks for; an empty object where it has none. */
export function smallestAnswer(call: Pick<CallProgram, 'output'>): Json {
  return smallestValue(call.output?.schema ?? {});
}

/** The smallest value that a schema plainly asks for: required members, least items, the first alternative. */
export function smallestValue(root: JsonObject, schema: Json = root, depth = 0): Json {
  if (!isObject(schema) || depth > DEPTH_MAX) return {};
  const { $ref, const: only, enum: listed, examples, default: preset } = schema;
  if (only !== undefined) return only;
  if (preset !== undefined) return preset;
  for (const values of [examples, listed]) {
    const first = values === undefined ? undefined : findAt(values, ['0']);
    if (first !== undefined) return first;
  }
  if (typeof $ref === 'string') return smallestValue(root, followReference(root, $ref) ?? {}, depth + 1);
  const branch = findAt(schema, ['oneOf', '0']) ?? findAt(schema, ['anyOf', '0']) ?? findAt(schema, ['allOf', '0']);
  const own = ofType(root, schema, depth);
  if (branch === undefined) return own;
  const chosen = smallestValue(root, withMembersOf(schema, followed(root, branch)), depth + 1);
  if (isObject(own) && isObject(chosen)) return { ...own, ...chosen };
  return schema['type'] === undefined ? chosen : own;
}

function followed(root: JsonObject, branch: Json): Json {
  const reference = isObject(branch) ? branch['$ref'] : undefined;
  return typeof reference === 'string' ? (followReference(root, reference) ?? {}) : branch;
}

/** An alternative with what the schema itself says of members. */
function withMembersOf({ properties: own }: JsonObject, branch: Json): Json {
  if (!isObject(branch) || !isObject(own)) return branch;
  const { properties = {} } = branch;
  const narrowed = Object.entries(isObject(properties) ? properties : {}).map(([name, member]) => {
    const wide = own[name];
    return [name, isObject(wide) && isObject(member) ? { ...wide, ...member } : member] as const;
  });
  return { ...branch, properties: { ...own, ...Object.fromEntries(narrowed) } };
}

function ofType(root: JsonObject, schema: JsonObject, depth: number): Json {
  const type = findAt(schema, ['type', '0']) ?? schema['type'];
  const number = (keyword: string): number | undefined => {
    const value = schema[keyword];
    return typeof value === 'number' ? value : undefined;
  };
  switch (type) {
    case 'string':
      return '...'.padEnd(number('minLength') ?? 0, '.').slice(0, number('maxLength'));
    case 'integer':
    case 'number':
      return number('minimum') ?? (number('exclusiveMinimum') ?? -1) + 1;
    case 'boolean':
      return false;
    case 'null':
      return null;
    case 'array':
      return Array.from({ length: number('minItems') ?? 0 }, () =>
        smallestValue(root, schema['items'] ?? {}, depth + 1),
      );
    default:
      return ofObject(root, schema, depth);
  }
}

function ofObject(root: JsonObject, schema: JsonObject, depth: number): JsonObject {
  const { required } = schema;
  const names = isList(required) ? required : [];
  return Object.fromEntries(
    names
      .filter((name) => typeof name === 'string')
      .map((name) => [name, smallestValue(root, findAt(schema, ['properties', name]) ?? {}, depth + 1)]),
  );
}
