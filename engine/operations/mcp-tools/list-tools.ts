import type { Json, JsonObject } from '../../contract/json.js';
import { contentHash } from '../../core/content/canonical.js';
import type { CallRecorder } from '../../ports/sources.js';
import type { OpenSources } from '../composition.js';
import { type Done, refuse } from '../engine.js';
import { findListing, type ListingPlugin } from './find-server.js';
import { readTools, type ServerTool, type UsableTool } from './server-tool.js';

/** What a server says of its tools. */
export interface ServerTools {
  readonly plugin: ListingPlugin;
  /** The variable that leads to the server. */
  readonly server_env: string;
  /** Its name in names of tools. */
  readonly server: string;
  readonly tools: readonly (ServerTool | UsableTool)[];
}

const PREFIX = 'CHUKWA_MCP_';
const LIMITS = { max_runtime_ms: 60_000, max_request_bytes: 1_024, max_result_bytes: 4_194_304 } as const;
const UNRECORDED: CallRecorder = { started: async () => {}, flushed: async () => {} };

/** Asks a server for the list of its tools, with all of its pages. Nothing is recorded. */
export async function listServerTools(
  { authoring, callSource }: OpenSources,
  server_env: string,
): Promise<Done<ServerTools>> {
  const plugin = findListing(authoring.catalogue);
  if (plugin === undefined)
    return refuse({
      code: 'PLUGIN_UNKNOWN',
      message: 'There is no plugin that lists the tools of servers.',
      repair: '`chukwa plugin list` shows those that are there, and why others are left out.',
    });
  const { name, origin_field, tool_prefix, tool_list } = plugin;
  const told = {
    name,
    [origin_field]: server_env,
    [tool_list.interface_field]: true,
  };
  const outcome = await callSource(
    {
      kind: 'invoke',
      key: 'tools',
      invocation_kind: 'ambient_context',
      request: {},
      request_hash: 'none',
      workflow_hash: 'none',
      deadline_ms: LIMITS.max_runtime_ms,
      call: {
        source: { hash: contentHash(told), label: 'tools', plugin: name, interface: told },
        effect: 'read_only',
        repeatable: false,
        redaction: 'all',
        limits: LIMITS,
      },
    },
    { client_request_id: 'mcp-tools/turn-1/tools', correlation_id: 'tools', signal: new AbortController().signal },
    UNRECORDED,
  );
  if (outcome.status === 'pending') throw new Error('a server does not list its tools later');
  if (outcome.status === 'failed')
    return refuse({
      code: 'MCP_SERVER_FAILED',
      message: `The server did not list its tools: ${outcome.failure_message.replace(/[.?]?$/, '.')}`,
      repair: `Set ${server_env} to the URL of the server, or to the command that starts it.`,
      details: { failure_class: outcome.failure_class },
    });
  const { tools } = outcome.answer as { readonly tools: readonly Json[] } & JsonObject;
  const server = server_env.slice(PREFIX.length).toLowerCase();
  const prefix = `${tool_prefix}${server}__`;
  return { ok: true, value: { plugin, server_env, server, tools: readTools(tools, prefix, authoring.compileSchema) } };
}
