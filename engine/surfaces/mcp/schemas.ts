import type { Tool } from '@modelcontextprotocol/server';
import type { Action, Fields } from '../../catalogue/action.js';
import { type ParameterName, PARAMETERS } from '../../catalogue/parameters.js';
import { keysOf, type Resource } from '../../catalogue/resource.js';
import type { JsonObject } from '../../contract/json.js';
import { present } from '../../contract/present.js';
import { ANSWER_SCHEMAS } from '../../generated/answer-schemas.js';

type Schema = Tool['inputSchema'];

/** How large a list of tools may be as JSON: a model reads all of it before anything else. */
const TOOLS_LENGTH_MAX = 19_700;
/** How large the schema of one answer may be in it, from the most room to the least. */
const ANSWER_LENGTHS = [400, 200, 100, 60];

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
  /_slug$|_id$|_hash$|^(hash|turn|limit|after|content|reason|world|subject|source|failure|kind|only|until|at_turn|name|answer|state|attempt|entity|by|pattern|scenario|patch)$/;

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
 * The first members of an answer and their kinds, as many as have room. None is required: a refusal has others. Whole
 * schemas would fill a list of tools: `/openapi.json` has them.
 * @returns undefined where none has room
 */
function toAnswerSchema(gives: string, length_max: number): Tool['outputSchema'] {
  const { properties = {} } = resolve({ $ref: gives });
  const members = Object.entries(properties as Readonly<Record<string, JsonObject>>).map(([name, schema]) => {
    const type = resolve(schema)['type'];
    return [name, type === undefined ? {} : { type }];
  });
  const fitting = members.filter((_, at) => JSON.stringify(members.slice(0, at + 1)).length <= length_max);
  return fitting.length === 0 ? undefined : { type: 'object', properties: Object.fromEntries(fitting) };
}

interface Fitted {
  readonly tool: Tool;
  /** The schema of its answer, by name. */
  readonly gives: string;
}

/** Tools with the schemas of their answers, of which each names as many members as there is room for in a list of all. */
export function fitTools<Offered extends Fitted>(
  offered: readonly Offered[],
  [length_max, ...shorter]: readonly number[] = ANSWER_LENGTHS,
): readonly Offered[] {
  if (length_max === undefined) return leaveOut(offered);
  const fitted = offered.map((one) => {
    const outputSchema = toAnswerSchema(one.gives, length_max);
    return { ...one, tool: { ...one.tool, ...present({ outputSchema }) } };
  });
  return lengthOf(fitted) <= TOOLS_LENGTH_MAX ? fitted : fitTools(shorter.length === 0 ? fitted : offered, shorter);
}

/**
 * Leaves out what a list has no room for, the largest first: the schemas of answers, then what parameters say beside
 * their names, and then what a description says behind its first words.
 */
function leaveOut<Offered extends Fitted>(offered: readonly Offered[]): readonly Offered[] {
  const kept = [...offered];
  let excess = lengthOf(offered) - TOOLS_LENGTH_MAX;
  for (const shorten of [withoutAnswer, withoutWords, withFirstWords]) {
    const shorter = kept.map((one, at) => {
      const tool = shorten(one.tool);
      return { at, one: { ...one, tool }, gain: lengthOf([one]) - lengthOf([{ tool }]) };
    });
    for (const { at, one, gain } of shorter.toSorted((first, second) => second.gain - first.gain)) {
      if (excess <= 0 || gain === 0) break;
      kept[at] = one;
      excess -= gain;
    }
  }
  return kept;
}

function withoutAnswer({ outputSchema: _schema, ...tool }: Tool): Tool {
  return tool;
}

function withoutWords({ inputSchema, ...tool }: Tool): Tool {
  const isWord = (key: string, value: unknown): boolean => key === 'description' && typeof value === 'string';
  const text = JSON.stringify(inputSchema, (key, value: unknown) => (isWord(key, value) ? undefined : value));
  return { ...tool, inputSchema: JSON.parse(text) as Tool['inputSchema'] };
}

function withFirstWords({ description = '', ...tool }: Tool): Tool {
  const [first = ''] = description.split(/[;:.] /);
  return { ...tool, description: `${first.replace(/\.$/, '')}.` };
}

/** The bytes of a list of tools. */
function lengthOf(offered: readonly Pick<Fitted, 'tool'>[]): number {
  return Buffer.byteLength(JSON.stringify({ tools: offered.map(({ tool }) => tool) }));
}

function resolve(schema: JsonObject): JsonObject {
  const reference = schema['$ref'];
  if (typeof reference !== 'string') return schema;
  return resolve(ANSWER_SCHEMAS[reference.replace('#/components/schemas/', '')] ?? {});
}
