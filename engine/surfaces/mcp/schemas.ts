import type { Tool } from '@modelcontextprotocol/server';
import type { Action } from '../../catalogue/action.js';
import { type ParameterName, PARAMETERS } from '../../catalogue/parameters.js';
import { keysOf, type Resource } from '../../catalogue/resource.js';
import type { JsonObject } from '../../contract/json.js';
import { ANSWER_SCHEMAS } from '../../generated/answer-schemas.js';
import { REASON_LENGTH_MAX } from '../../operations/reason.js';

type Schema = Tool['inputSchema'];

/** What the tool of a resource takes: its keys, which are required, and its parameters. */
export function toQuerySchema({ path, takes }: Pick<Resource, 'path' | 'takes'>): Schema {
  const keys = keysOf(path);
  return toSchema(Object.fromEntries([...keys, ...takes].map((name) => [name, schemaOf(name)])), keys);
}

/** What the tool of an action takes: its keys and fields, and why. */
export function toActionSchema({ path, takes, is_reason_optional }: Action): Schema {
  const keys = keysOf(path);
  const fields = Object.entries(takes);
  const required = fields.filter(([, field]) => field.is_optional !== true).map(([name]) => name);
  const reason = { type: 'string', maxLength: REASON_LENGTH_MAX, description: 'Why; the record keeps it.' };
  return toSchema(
    {
      ...Object.fromEntries(keys.map((name) => [name, schemaOf(name)])),
      ...Object.fromEntries(fields.map(([name, { schema, label }]) => [name, { ...schema, description: label }])),
      reason,
    },
    [...keys, ...required, ...(is_reason_optional === true ? [] : ['reason'])],
  );
}

function schemaOf(name: ParameterName): JsonObject {
  const { schema, description } = PARAMETERS[name];
  return name.endsWith('_slug') || name.endsWith('_id') ? schema : { ...schema, description };
}

function toSchema(properties: JsonObject, required: readonly string[]): Schema {
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required: [...required] } : {}),
    additionalProperties: false,
  } as Schema;
}

/**
 * The members of an answer and their kinds. None is required: a refusal has others. Whole schemas would fill a list of tools: `/openapi.json`
 * has them.
 */
export function toAnswerSchema(gives: string): NonNullable<Tool['outputSchema']> {
  const { properties = {} } = resolve({ $ref: gives });
  const members = Object.entries(properties as Readonly<Record<string, JsonObject>>).map(([name, schema]) => {
    const type = resolve(schema)['type'];
    return [name, type === undefined ? {} : { type }];
  });
  return { type: 'object', properties: Object.fromEntries(members) } as NonNullable<Tool['outputSchema']>;
}

function resolve(schema: JsonObject): JsonObject {
  const reference = schema['$ref'];
  if (typeof reference !== 'string') return schema;
  return resolve(ANSWER_SCHEMAS[reference.replace('#/components/schemas/', '')] ?? {});
}
