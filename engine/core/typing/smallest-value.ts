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
  if (branch !== undefined) return smallestValue(root, withBranch(schema, branch), depth + 1);
  return ofType(root, schema, depth);
}

/** A schema whose alternatives are replaced by one of them: what both say of members holds. */
function withBranch({ oneOf: _one, anyOf: _any, allOf: _all, ...own }: JsonObject, branch: Json): JsonObject {
  if (!isObject(branch)) return own;
  const listed = [own['required'], branch['required']].flatMap((names) => (isListed(names) ? names : []));
  const properties = [own['properties'], branch['properties']].filter(isObject);
  return {
    ...own,
    ...branch,
    ...(listed.length === 0 ? {} : { required: listed }),
    ...(properties.length === 0 ? {} : { properties: Object.assign({}, ...properties) as JsonObject }),
  };
}

function isListed(names: Json | undefined): names is readonly Json[] {
  return names !== undefined && isList(names);
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
  const names = isListed(required) ? required : [];
  return Object.fromEntries(
    names
      .filter((name) => typeof name === 'string')
      .map((name) => [name, smallestValue(root, findAt(schema, ['properties', name]) ?? {}, depth + 1)]),
  );
}
