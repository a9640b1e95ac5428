import type { Tool } from '@modelcontextprotocol/server';
import type { Action, Fields } from '../../catalogue/action.js';
import { type ParameterName, PARAMETERS } from '../../catalogue/parameters.js';
import { keysOf, type Resource } from '../../catalogue/resource.js';
import type { JsonObject } from '../../contract/json.js';
import { present } from '../../contract/present.js';
import { ANSWER_SCHEMAS } from '../../generated/answer-schemas.js';

type Schema = Tool['inputSchema'];

/** How large a list of tools may be as JSON: a model reads all of it before anything else. */
export const TOOLS_LENGTH_MAX = 19_700;
/** How large the schema of one answer may be in it. */
const ANSWER_LENGTH_MAX = 100;

/** A schema whose members need no description. */
function withoutDescriptions({ items, ...schema }: JsonObject): JsonObject {
  if (items === undefined) return schema;
  const { properties = {}, ...item } = items as { readonly properties?: Readonly<Record<string, JsonObject>> };
  const bare = Object.entries(properties).map(([name, { description: _description, ...member }]) => [name, member]);
  return { ...schema, items: { ...item, properties: Object.fromEntries(bare) } };
}

/** What the tool of a resource takes: its keys, which are required, and its parameters. */
export function toQuerySchema({ path, takes }: Pick<Resource, 'path' | 'takes'>): Schema {
  const keys = keysOf(path);
  return toSchema(Object.fromEntries([...keys, ...takes].map((name) => [name, schemaOf(name)])), keys);
}

/** What the tool of an action takes: its keys and fields, and why. */
export function toActionSchema({ path, takes, is_reason_optional }: Action): Schema {
  const keys = keysOf(path);
  const { properties, required = [] } = toFieldSchema(takes);
  return toSchema(
    {
      ...Object.fromEntries(keys.map((name) => [name, schemaOf(name)])),
      ...properties,
      reason: { type: 'string' },
    },
    [...keys, ...required, ...(is_reason_optional === true ? [] : ['reason'])],
  );
}

/** What fields take; those whose names say what they are have no description. */
export function toFieldSchema(takes: Fields): Schema {
  const fields = Object.entries(takes);
  const required = fields.filter(([, field]) => field.is_optional !== true).map(([name]) => name);
  const properties = fields.map(([name, { schema, wanted }]) => {
    const says = 'description' in schema || 'enum' in schema || wanted.startsWith('a whole number');
    return [name, toPlain(name, says ? schema : { ...schema, description: wanted })];
  });
  return toSchema(Object.fromEntries(properties), required);
}

/** Parameters whose names say what they are, or that the instructions of the surface explain. */
const PLAIN =
  /_slug$|_id$|_hash$|^(hash|turn|limit|after|content|reason|world|subject|source|failure|kind|only|until|at_turn|name|answer)$/;

/** The schema of a parameter, without what its operation says in a refusal. */
function schemaOf(name: ParameterName): JsonObject {
  const { schema, description } = PARAMETERS[name];
  return toPlain(name, { ...schema, description });
}

function toPlain(name: string, schema: JsonObject): JsonObject {
  const { pattern: _pattern, maxLength: _length, format: _format, minimum, maximum, ...plain } = schema;
  if (!PLAIN.test(name)) return { ...withoutDescriptions(plain), ...present({ minimum, maximum }) };
  const { description: _description, ...bare } = plain;
  return bare;
}

function toSchema(properties: JsonObject, required: readonly string[]): Schema {
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required: [...required] } : {}),
  } as Schema;
}

/**
 * The first members of an answer and their kinds. None is required: a refusal has others. Whole schemas would fill a list of tools: `/openapi.json`
 * has them.
 */
export function toAnswerSchema(gives: string): NonNullable<Tool['outputSchema']> {
  const { properties = {} } = resolve({ $ref: gives });
  const members = Object.entries(properties as Readonly<Record<string, JsonObject>>).map(([name, schema]) => {
    const type = resolve(schema)['type'];
    return [name, type === undefined ? {} : { type }];
  });
  const fitting = members.filter((_, at) => JSON.stringify(members.slice(0, at + 1)).length <= ANSWER_LENGTH_MAX);
  return { type: 'object', properties: Object.fromEntries(fitting) };
}

const ANY_ANSWER = { type: 'object' } as const;

const fitted = new Map<string, ReadonlyMap<string, Tool>>();

/** Tools in a list that is small enough. A list of the same tools is fitted once: each request makes one. */
export function fitTools<Offered extends { readonly tool: Tool }>(offered: readonly Offered[]): readonly Offered[] {
  const names = offered.map(({ tool }) => tool.name).join(' ');
  const tools = fitted.get(names) ?? new Map(fitOnce(offered).map(({ tool }) => [tool.name, tool]));
  fitted.set(names, tools);
  return offered.map((one) => ({ ...one, tool: tools.get(one.tool.name) ?? one.tool }));
}

/** Leaves members of answers out, of the answers with the most first, until a list of tools is small enough. */
function fitOnce<Offered extends { readonly tool: Tool }>(offered: readonly Offered[]): readonly Offered[] {
  const lengthOf = (value: unknown): number => JSON.stringify(value)?.length ?? 0;
  const answerOf = ({ tool }: Offered): number => lengthOf(tool.outputSchema);
  const [largest] = offered.toSorted((one, other) => answerOf(other) - answerOf(one));
  const isFit = lengthOf({ tools: offered.map(({ tool }) => tool) }) <= TOOLS_LENGTH_MAX;
  if (isFit || largest === undefined || answerOf(largest) <= lengthOf(ANY_ANSWER)) return offered;
  const tool = { ...largest.tool, outputSchema: ANY_ANSWER };
  return fitOnce(offered.map((one) => (one === largest ? { ...one, tool } : one)));
}

function resolve(schema: JsonObject): JsonObject {
  const reference = schema['$ref'];
  if (typeof reference !== 'string') return schema;
  return resolve(ANSWER_SCHEMAS[reference.replace('#/components/schemas/', '')] ?? {});
}
