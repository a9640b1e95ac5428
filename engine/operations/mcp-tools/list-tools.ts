import type { Json } from '../../contract/json.js';
import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import { nameServedTool, serverOf } from '../../core/binding/source-settings.js';
import { IT_SAID, withoutQuotation } from '../../core/protocol/failure.js';
import type { CallBroke } from '../../ports/sources.js';
import type { OpenSources } from '../composition.js';
import { FORGETFUL, toInvoke } from '../running/unrecorded-call.js';
import { findListing, type ListingPlugin, type WantedServer } from './find-server.js';
import { describeTool, readTools, type ServerTool, type UsableTool } from './server-tool.js';

export interface ServerTools {
  readonly plugin: ListingPlugin;
  readonly server_env: string;
  /** Its part of tool names. */
  readonly server: string;
  readonly tools: readonly (ServerTool | UsableTool)[];
  /** The server lists more tools, on more pages than are read. */
  readonly is_cut: boolean;
  /** Its URL or command was given in place of a variable. */
  readonly is_given: boolean;
}

const LIMITS = { max_runtime_ms: 60_000, max_request_bytes: 1_024, max_result_bytes: 4_194_304 } as const;

/** Calls a server for all pages of its list of tools. Nothing is recorded. @param connection the id of the one that it gets */
export async function listServerTools(
  { authoring, callSource }: OpenSources,
  { server_env, variables }: WantedServer,
  connection?: string,
): Promise<Outcome<ServerTools>> {
  const is_given = Object.keys(variables).length > 0;
  const plugin = findListing(authoring.catalogue);
  if (plugin === undefined) return refuse(problem('PLUGIN_UNKNOWN', { kind: 'lists_tools' }));
  const { name, origin_field, tool_prefix, tool_list } = plugin;
  const settings = {
    name,
    [origin_field]: server_env,
    [tool_list.interface_field]: true,
  };
  const outcome = await callSource(
    toInvoke({ key: 'tools', label: 'tools', interface: settings, request: {}, connection, ...LIMITS }),
    { client_request_id: 'mcp-tools/turn-1/tools', correlation_id: 'tools', signal: new AbortController().signal },
    FORGETFUL,
  );
  if (outcome.status === 'pending' || outcome.status === 'unapproved')
    throw new Error('a server does not list its tools later');
  if (outcome.status === 'failed')
    return refuse(
      problem(
        'MCP_SERVER_FAILED',
        {
          failure: describeFailure(outcome, is_given ? server_env : undefined),
          variable: is_given ? undefined : server_env,
        },
        { details: { failure_class: outcome.failure_class } },
      ),
    );
  const {
    tools,
    left_out = [],
    is_cut = false,
  } = outcome.answer as unknown as {
    readonly tools: readonly Json[];
    readonly left_out?: readonly { readonly name: string; readonly reason: string }[];
    readonly is_cut?: boolean;
  };
  const server = serverOf(tool_prefix, server_env);
  const toId = (tool: string) => nameServedTool(tool_prefix, server, tool);
  const read = [
    ...readTools(tools, toId, authoring.compileSchema),
    ...left_out.map(({ name, reason }) => ({ ...describeTool({ name }), unusable: `it cannot be stored: ${reason}` })),
  ];
  return succeed({ plugin, server_env, server, tools: read, is_cut, is_given });
}

const SAID_LENGTH_MAX = 500;

/**
 * The failure, with the server's words, and without the command that would show its record: there is none.
 * @param unnamed a variable that only carried the given URL or command
 */
function describeFailure({ failure_message, said }: CallBroke, unnamed: string | undefined): string {
  const message = withoutQuotation(failure_message, said).replace(/[.?]?$/, '');
  const named = unnamed === undefined ? message : message.replaceAll(unnamed, 'the argument');
  return said === undefined ? `${named}.` : `${named}${IT_SAID}${JSON.stringify(said).slice(0, SAID_LENGTH_MAX)}.`;
}
