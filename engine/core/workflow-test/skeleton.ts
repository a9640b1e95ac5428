import type { Json, JsonObject } from '../../contract/json.js';
import { findAt, isList, pointerTokens } from '../content/json-pointer.js';
import type { CallProgram, Program } from '../protocol/program.js';

/** A call that nothing answers yet. */
export interface UnansweredCall {
  readonly key: string;
  readonly source_label: string;
}

/** A small answer for a call, by the schema that it is checked against; an author writes a better one in its place. */
export function skeletonOf(program: Program, { key, source_label }: UnansweredCall): Json {
  const [first = '', second = '', third = ''] = key.split('/');
  const workflow = program.subjects.find(({ subject_id }) => subject_id === first)?.workflow;
  const node = workflow?.nodes.find(({ id }) => id === second);
  if (first === 'turn') return ofCall(program.turn_ambients.find((binding) => binding.key === key)?.call);
  if (second === 'ambient') return ofCall(workflow?.subject_ambients.find(({ id }) => id === third)?.call);
  if (node?.type === 'source_call') return ofCall(node.call);
  if (node?.type === 'llm_json') return smallestOf(node.result.schema);
  if (node !== undefined && key.endsWith('/tool')) {
    const calls = node.tools.flatMap((tool) => (tool.permitted ? [tool.call] : []));
    return ofCall(calls.find(({ source }) => source.label === source_label));
  }
  return { kind: 'final_patch', patch: { narration: '...', effects: [] } };
}

function ofCall(call: CallProgram | undefined): Json {
  return smallestOf(call?.output?.schema ?? {});
}

const DEPTH_MAX = 16;

/** The smallest value that a schema plainly asks for: required members, least items, the first alternative. */
function smallestOf(root: JsonObject, schema: Json = root, depth = 0): Json {
  if (typeof schema !== 'object' || schema === null || isList(schema) || depth > DEPTH_MAX) return {};
  const { $ref, const: only, enum: listed, examples, default: preset } = schema;
  if (only !== undefined) return only;
  if (preset !== undefined) return preset;
  for (const values of [examples, listed]) {
    const first = values === undefined ? undefined : findAt(values, ['0']);
    if (first !== undefined) return first;
  }
  if (typeof $ref === 'string') return smallestOf(root, findAt(root, pointerTokens($ref.slice(1))) ?? {}, depth + 1);
  const branch = findAt(schema, ['oneOf', '0']) ?? findAt(schema, ['anyOf', '0']) ?? findAt(schema, ['allOf', '0']);
  if (branch !== undefined && schema['type'] === undefined) return smallestOf(root, branch, depth + 1);
  return ofType(root, schema, depth);
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
      return Array.from({ length: number('minItems') ?? 0 }, () => smallestOf(root, schema['items'] ?? {}, depth + 1));
    default:
      return ofObject(root, schema, depth);
  }
}

function ofObject(root: JsonObject, schema: JsonObject, depth: number): JsonObject {
  const required = schema['required'] ?? [];
  const names = typeof required === 'object' && isList(required) ? required : [];
  return Object.fromEntries(
    names
      .filter((name) => typeof name === 'string')
      .map((name) => [name, smallestOf(root, findAt(schema, ['properties', name]) ?? {}, depth + 1)]),
  );
}
