import type { Capabilities, InvocationContext, Json, JsonObject, SourceAnswer, SourcePlugin } from 'chukwa/plugin';
import { declaresOutput, describeMissing, partTools, readListing, readResult, toTools } from './answer.js';
import { takeResult } from './as-written.js';
import { type Connection, findConnection } from './connection.js';
import type { McpToolInterface } from './interface.js';
import { describeDrift, toDefinition, toPin } from './pin.js';
import { toArguments, toCallParams } from './request.js';
import { listPages, listTools, type Session } from './session.js';
import { isSourceFailure } from './wire.js';

const plugin: SourcePlugin = {
  open(definition, capabilities) {
    const settings = definition.interface as unknown as McpToolInterface;
    const connection = findConnection(capabilities);
    const { failure, parseJson } = capabilities;
    let closed = false;
    return {
      says_when_it_acts: true,
      invoke: async (request, context) => {
        if (closed) throw failure('unavailable', 'the source has been closed');
        return ask(settings, { connection, failure, parseJson }, request, context);
      },
      close: async () => {
        closed = true;
        await connection?.close();
      },
    };
  },
};

export default plugin;

interface Outside {
  readonly connection: Connection | undefined;
  readonly failure: Capabilities['failure'];
  readonly parseJson: Capabilities['parseJson'];
}

async function ask(
  settings: McpToolInterface,
  { connection, failure, parseJson }: Outside,
  request: Json,
  context: InvocationContext,
): Promise<SourceAnswer> {
  if (!connection) throw failure('unavailable', `${settings.server_env} is not set`);
  const given = toArguments(request);
  if (!given) throw failure('unavailable', 'the request of an MCP tool is the object of its arguments');
  for (let is_last = false; ; is_last = true) {
    const session = await connection.session(context.signal, context.max_result_bytes);
    const isFresh = !session.used;
    session.used = true;
    try {
      return await callTool(settings, { failure, parseJson }, { session, given, context });
    } catch (error) {
      if (context.signal.aborted) session.doubted = session.wire.can_hang;
      const status = statusOf(error);
      if (status === undefined || ASKS_TO_WAIT.has(status)) throw error;
      // By the protocol, 404 means that a session has ended. Many servers answer otherwise: a ping tells.
      if (status === 404) connection.forget(session);
      else session.doubted = true;
      const mayRepeat = context.may_repeat || status < 500 || status === 503;
      if (is_last || isFresh || !session.wire.names_session() || !mayRepeat) throw error;
      const next = await connection.session(context.signal, context.max_result_bytes).catch(() => session);
      if (next === session) throw error;
    }
  }
}

/** Statuses that say nothing of the session. */
const ASKS_TO_WAIT: ReadonlySet<number> = new Set([408, 425, 429]);

function statusOf(error: unknown): number | undefined {
  if (!isSourceFailure(error) || error.failure_class !== 'http_status') return undefined;
  return error.facts?.http_status;
}

interface Call {
  readonly session: Session;
  readonly given: JsonObject;
  readonly context: InvocationContext;
}

async function callTool(
  settings: McpToolInterface,
  { failure, parseJson }: Pick<Capabilities, 'failure' | 'parseJson'>,
  { session, given, context }: Call,
): Promise<SourceAnswer> {
  const { tool_name } = settings;
  if (tool_name === undefined) return listAll({ failure, parseJson }, { session, context });
  const tool = await findTool({ ...settings, tool_name }, session, { failure, signal: context.signal });
  const params = toCallParams(tool_name, given, context.client_request_id);
  context.acts();
  const given_back = await session.ask('tools/call', params, context.signal);
  const reading = context.may_repeat ? (settings.json ?? 'strict') : 'lenient';
  const { result, body } = takeResult(given_back, reading === 'lenient', failure);
  const facts = body === undefined ? {} : { body };
  const readJson = (text: string) => parseJson(text, reading);
  const answer = readResult(result, settings.text === 'json' || declaresOutput(tool), readJson);
  if (!answer.ok) throw failure(answer.failure_class, answer.message, facts);
  return { value: answer.value, facts };
}

/** The list of tools, page after page. */
async function listAll(
  { failure, parseJson }: Pick<Capabilities, 'failure' | 'parseJson'>,
  { session, context }: Pick<Call, 'session' | 'context'>,
): Promise<SourceAnswer> {
  const bytes_max = context.max_result_bytes;
  const message = `the list of tools has more than ${bytes_max} bytes, which is the limit`;
  const pages = await listPages(session, context.signal, {
    bytes_max,
    tooLarge: () => failure('result_too_large', message),
  });
  const is_cut = readListing(pages.at(-1) ?? {}).next_cursor !== undefined;
  const { tools, left_out } = partTools(pages.flatMap(toTools), parseJson);
  return { value: { tools, ...(left_out.length > 0 ? { left_out } : {}), ...(is_cut ? { is_cut } : {}) } };
}

/** The tool as its server defines it; empty where the server does not list its tools. @throws SourceFailure */
async function findTool(
  settings: McpToolInterface & { readonly tool_name: string },
  session: Session,
  { failure, signal }: Pick<Capabilities, 'failure'> & Pick<InvocationContext, 'signal'>,
): Promise<JsonObject> {
  const { tool_name } = settings;
  const known = session.listing?.get(tool_name);
  if (known && (await findDrift(settings, known)) === undefined) return known;
  // The list that was read may be older than the pin.
  const listing = await listTools(session, signal);
  session.listing = listing;
  const tool = listing === undefined ? {} : listing.get(tool_name);
  if (tool === undefined) throw failure('unavailable', describeMissing(tool_name, listing ?? new Map()));
  const drift = await findDrift(settings, tool);
  if (drift !== undefined) throw failure('unavailable', drift);
  return tool;
}

/** How the server's definition differs from the one that a person has pinned, in a sentence that quotes nothing of it. */
async function findDrift({ pin, pinned }: McpToolInterface, tool: JsonObject): Promise<string | undefined> {
  const served = toDefinition(tool);
  if (pin === undefined || (await toPin(served)) === pin) return undefined;
  const drift = describeDrift(served, pinned);
  return `the server defines the tool otherwise than it was pinned, by its ${drift}: chukwa mcp diff shows how, and --write pins it anew`;
}
