import { pick } from '../../contract/pick.js';
import { present } from '../../contract/present.js';
import { contentHash } from '../../core/content/canonical.js';
import { isObject } from '../../core/content/json-pointer.js';
import type { Json, JsonObject } from '../../contract/json.js';
import type { EffectClass } from '../../core/protocol/program.js';
import type { CompileSchema } from '../../ports/validation.js';
import { toUsableSchema } from './usable-schema.js';

/** A tool of a server in the limits of documents. Names, descriptions and hints are the server's own words. */
export interface ServerTool {
  /** As the server names it; cut where it is long. */
  readonly name: string;
  readonly description: string;
  /** The hints readOnlyHint and destructiveHint; null where there is none. */
  readonly is_read_only: boolean | null;
  readonly is_destructive: boolean | null;
  readonly required: readonly string[];
  /** What a pin is the hash of. */
  readonly definition: JsonObject;
  /** Why it cannot be written as documents; absent where it can. */
  readonly unusable?: string;
}

export interface UsableTool extends ServerTool {
  /** `mcp__memory__search_nodes` */
  readonly id: string;
  readonly effect: EffectClass;
  readonly arguments_schema: JsonObject;
  /** Absent where the server declares no usable schema. */
  readonly result_schema?: JsonObject;
  /** The keywords of its schemas that cannot be used, as pointers; absent where there are none. The server checks them. */
  readonly dropped?: readonly string[];
  /** Why the declared schema of results cannot be used; absent where there is none, or it can. */
  readonly unchecked?: string;
}

const NAME = /^[A-Za-z0-9_./-]{1,128}$/;
const NAME_LENGTH_MAX = 128;
const DESCRIPTION_LENGTH_MAX = 2_000;
const REQUIRED_MAX = 50;
const ID_LENGTH_MAX = 64;

/**
 * Reads a server's list of tools. Everything in it is data: other values are skipped, long texts are cut, and a tool
 * that documents cannot name or check has a reason.
 * @param toId names a tool in workflows
 */
export function readTools(
  listed: readonly Json[],
  toId: (tool: string) => string,
  compileSchema: CompileSchema,
): readonly (ServerTool | UsableTool)[] {
  const tools = listed.filter(isObject).filter(({ name }) => typeof name === 'string');
  const ids = tools.map((tool) => toId(nameOf(tool)));
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return tools.map((tool, index) => {
    const id = ids[index] ?? '';
    return readTool(tool, id, compileSchema, (counts.get(id) ?? 0) > 1);
  });
}

function nameOf({ name }: JsonObject): string {
  return typeof name === 'string' ? name : '';
}

/** @param is_shared another tool of the server would have the same id */
function readTool(
  tool: JsonObject,
  id: string,
  compileSchema: CompileSchema,
  is_shared: boolean,
): ServerTool | UsableTool {
  const name = nameOf(tool);
  const shown = describeTool(tool);
  const unusable = (why: string): ServerTool => ({ ...shown, unusable: why });
  if (!NAME.test(name)) return unusable('its name has other characters than letters, digits and _./-, or too many');
  if (is_shared) return unusable(`the server lists several tools that would be called ${id}`);
  if (id.length > ID_LENGTH_MAX) return unusable(`${id} would have more than ${ID_LENGTH_MAX} characters`);
  if (isObject(tool['execution']) && tool['execution']['taskSupport'] === 'required')
    return unusable('it has to be called as a task, and tasks are not supported yet');
  const asked = toUsableSchema(compileSchema, tool['inputSchema']);
  if (typeof asked === 'string') return unusable(`the schema of its arguments cannot be used: ${asked}`);
  const answered = toUsableSchema(compileSchema, tool['outputSchema']);
  const dropped = [...asked.dropped, ...(typeof answered === 'string' ? [] : answered.dropped)];
  return {
    ...shown,
    id,
    effect: effectOf(shown),
    arguments_schema: asked.schema,
    ...(dropped.length > 0 ? { dropped } : {}),
    ...(typeof answered !== 'string'
      ? { result_schema: answered.schema }
      : tool['outputSchema'] === undefined
        ? {}
        : { unchecked: answered }),
  };
}

/** What a server says of a tool. */
export function describeTool(tool: JsonObject): ServerTool {
  const { description, annotations, inputSchema } = tool;
  const hints = isObject(annotations) ? annotations : {};
  const required = isObject(inputSchema) && Array.isArray(inputSchema['required']) ? inputSchema['required'] : [];
  const names = (required as readonly Json[]).filter((member) => typeof member === 'string');
  return {
    name: shorten(nameOf(tool), NAME_LENGTH_MAX),
    description: typeof description === 'string' ? shorten(description, DESCRIPTION_LENGTH_MAX) : '',
    is_read_only: hintOf(hints['readOnlyHint']),
    is_destructive: hintOf(hints['destructiveHint']),
    required: names.slice(0, REQUIRED_MAX).map((member) => shorten(member, NAME_LENGTH_MAX)),
    definition: present(pick(tool, PINNED_MEMBERS)),
  };
}

/** The members of a definition that a pin covers. */
const PINNED_MEMBERS = ['name', 'description', 'inputSchema', 'outputSchema'] as const;

/** The members of a source that pin a definition. */
export function toPin(definition: JsonObject): { readonly pin: string; readonly pinned: JsonObject } {
  return { pin: contentHash(definition), pinned: definition };
}

/** Without a hint the strictest effect class holds. */
function effectOf({ is_read_only, is_destructive }: ServerTool): EffectClass {
  if (is_read_only === true) return 'read_only';
  return is_destructive === false ? 'state_change' : 'external_side_effect';
}

function hintOf(hint: Json | undefined): boolean | null {
  return typeof hint === 'boolean' ? hint : null;
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${Array.from(text.slice(0, length)).slice(0, -1).join('')}…` : text;
}
