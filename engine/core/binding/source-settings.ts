import type { JsonObject } from '../../contract/json.js';
import type { PluginManifest } from '../../generated/plugin-manifest.js';
import type { SchemaDelivery, ToolCalling } from '../protocol/program.js';

/** The members of a manifest that say how the engine reads the interface of a source. */
export type SettingFields = Pick<
  PluginManifest,
  | 'speaks'
  | 'model'
  | 'timeout'
  | 'schema_delivery'
  | 'tool_calling'
  | 'not_yet'
  | 'origin'
  | 'tool_prefix'
  | 'tool_list'
>;

const TIMEOUT: NonNullable<PluginManifest['timeout']> = { interface_field: 'timeout_ms' };

const SCHEMA_DELIVERY: NonNullable<PluginManifest['schema_delivery']> = {
  interface_field: 'schema_delivery',
  values: { response_format: 'response_format', json_object: 'json_object', prompt: 'prompt' },
  default: 'prompt',
};

/** The interface member that says how long one call may take. */
export function timeoutField({ timeout = TIMEOUT }: SettingFields): string {
  return timeout.interface_field;
}

/** How long one call may take, in milliseconds: by the source, else by its plugin; undefined where neither says. */
export function readTimeout({ timeout = TIMEOUT }: SettingFields, definition: JsonObject): number | undefined {
  const authored = definition[timeout.interface_field];
  return typeof authored === 'number' ? authored : timeout.default_ms;
}

/** The most tokens of an answer that a source permits: by a member of its own, else by one of the request's body. */
export function readOutputLimit({ max_output_tokens, extra_body }: JsonObject): number | undefined {
  if (typeof max_output_tokens === 'number') return max_output_tokens;
  const { max_tokens } = (extra_body ?? {}) as JsonObject;
  return typeof max_tokens === 'number' ? max_tokens : undefined;
}

/** The model that a source names itself; undefined where only a variable names it. */
export function readWrittenModel({ model }: SettingFields, definition: JsonObject): string | undefined {
  const written = model && definition[model.interface_field];
  return typeof written === 'string' ? written : undefined;
}

/** The way in which a chat source delivers its schema; undefined where this version does not know it. */
export function readDelivery(manifest: SettingFields, definition: JsonObject): SchemaDelivery | undefined {
  const { interface_field, values, default: otherwise } = deliveryOf(manifest);
  const authored = definition[interface_field];
  if (authored === undefined) return otherwise;
  return typeof authored === 'string' && Object.hasOwn(values, authored) ? values[authored] : undefined;
}

/** How the model of a chat source calls a tool. */
export function readToolCalling({ tool_calling }: SettingFields, definition: JsonObject): ToolCalling {
  const authored = tool_calling && definition[tool_calling.interface_field];
  const values = tool_calling?.values ?? {};
  return typeof authored === 'string' && Object.hasOwn(values, authored)
    ? (values[authored] ?? 'json_control')
    : 'json_control';
}

/** The server that a variable names, as names of its tools say it: `memory` of `CHUKWA_MCP_MEMORY`, for `mcp__`. */
export function serverOf(tool_prefix: string, variable: string): string {
  const before = `CHUKWA_${tool_prefix.replace(/__$/, '').toUpperCase()}_`;
  return (variable.startsWith(before) ? variable.slice(before.length) : variable).toLowerCase();
}

/** The name of a tool of a server, such as `mcp__memory__search_nodes`. */
export function nameServedTool(tool_prefix: string, server: string, tool: string): string {
  return `${tool_prefix}${server}__${tool.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`;
}

/** The name that a source's tool has to have; undefined where its plugin does not say how it is made. */
export function readServedName(
  { origin, tool_prefix, tool_list }: SettingFields,
  definition: JsonObject,
): string | undefined {
  if (tool_prefix === undefined) return undefined;
  const [variable, tool] = [origin?.interface_field, tool_list?.tool_field].map((field) => definition[field ?? '']);
  if (typeof variable !== 'string' || typeof tool !== 'string') return undefined;
  return nameServedTool(tool_prefix, serverOf(tool_prefix, variable), tool);
}

/** How a chat source of this plugin says each way of delivering a schema: the member and its value. */
export function listDeliveries(
  manifest: SettingFields,
): readonly { readonly delivery: SchemaDelivery; readonly changes: JsonObject }[] {
  const { interface_field, values } = deliveryOf(manifest);
  return Object.entries(values).map(([value, delivery]) => ({ delivery, changes: { [interface_field]: value } }));
}

/** The first member of an interface that this version cannot honour, and a value to write in its place. */
export function findNotYet(
  manifest: SettingFields,
  definition: JsonObject,
): { readonly member: string; readonly value: string } | undefined {
  for (const [member, refused] of Object.entries(manifest.not_yet ?? {})) {
    const authored = definition[member];
    if (typeof authored === 'string' && Object.hasOwn(refused, authored))
      return { member, value: refused[authored] ?? '' };
  }
  if (manifest.speaks !== 'chat' || readDelivery(manifest, definition) !== undefined) return undefined;
  const { interface_field, values } = deliveryOf(manifest);
  return { member: interface_field, value: Object.keys(values)[0] ?? '' };
}

function deliveryOf({
  schema_delivery = SCHEMA_DELIVERY,
}: SettingFields): NonNullable<PluginManifest['schema_delivery']> {
  return schema_delivery;
}
