import type { Capabilities, JsonObject, SourceFailure } from 'chukwa/plugin';
import { describeCode, isRefusal, type Listing, readListing } from './answer.js';
import { isSourceFailure, type Wire } from './wire.js';

/** The call's signal ends a request; the library's own timer would only hide why. */
const NEVER_MS = 2_147_483_647;

/** More pages than any honest server has. */
const PAGES_MAX = 32;

/** A conversation with a server, from its handshake on. */
export interface Session {
  readonly wire: Wire;
  /** Checked before: the server may have forgotten it since. */
  used: boolean;
  /** A call was aborted, and the server has not answered since. */
  doubted: boolean;
  /** The server's tools; read again once it has said that they have changed. */
  listing: Listing | undefined;
  /**
   * Sends a request. Taken back when the signal is aborted.
   * @throws SourceFailure, or the signal's reason
   */
  ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
}

/**
 * Greets a server. We offer it nothing: no sampling, no roots, no elicitation.
 * @param version of the protocol that is asked for; the newest one where it is left out
 * @throws SourceFailure
 */
export async function openSession(
  wire: Wire,
  failure: Capabilities['failure'],
  signal: AbortSignal,
  version?: string,
): Promise<Session> {
  const [library, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]);
  const client = new library.Client({ name: 'chukwa', version: '1' }, { capabilities: {} });
  if (version !== undefined) askFor(version, wire);
  try {
    await takenBack(wire, signal, (inner) => client.connect(wire.transport, { timeout: NEVER_MS, signal: inner }));
  } catch (error) {
    const reason = toFailure(error, wire, failure);
    void wire.close();
    throw reason;
  }
  const session: Session = {
    wire,
    used: false,
    doubted: false,
    listing: undefined,
    ask: (method, params, asking) =>
      takenBack(wire, asking, async (inner) => {
        const message = { method, params: { ...params } };
        const result = await client.request(message, types.ResultSchema, { timeout: NEVER_MS, signal: inner });
        return result as unknown as JsonObject;
      }).catch((error: unknown) => {
        throw toFailure(error, wire, failure);
      }),
  };
  client.setNotificationHandler(types.ToolListChangedNotificationSchema, () => void (session.listing = undefined));
  return session;
}

/** The library only asks for the newest version. */
function askFor(protocolVersion: string, { transport }: Wire): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) =>
    'method' in message && message.method === 'initialize'
      ? send({ ...message, params: { ...message.params, protocolVersion } }, options)
      : send(message, options);
}

/** The version to ask for next: the newest one that the refusal of a server names and that is spoken here. */
export async function findOtherVersion(refusal: unknown): Promise<string | undefined> {
  if (!isSourceFailure(refusal)) return undefined;
  const { LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS } = await import('@modelcontextprotocol/sdk/types.js');
  const said = new TextDecoder().decode(refusal.facts?.body);
  return SUPPORTED_PROTOCOL_VERSIONS.find((version) => version !== LATEST_PROTOCOL_VERSION && said.includes(version));
}

/** Lists the tools of a server; undefined where the server refuses. @throws SourceFailure */
export async function listTools(session: Session, signal: AbortSignal): Promise<Listing | undefined> {
  const pages = await listPages(session, signal).catch(refused);
  return pages && new Map(pages.flatMap((page) => [...readListing(page).tools]));
}

/**
 * Yields the pages of a server's list of tools, in its own words. @throws SourceFailure
 * @param bytes_max of all pages together, as JSON
 */
export async function listPages(
  session: Session,
  signal: AbortSignal,
  bounds?: { readonly bytes_max: number; readonly tooLarge: () => SourceFailure },
): Promise<readonly JsonObject[]> {
  const pages: JsonObject[] = [];
  let cursor: string | undefined;
  let bytes = 0;
  do {
    const page = await session.ask('tools/list', cursor === undefined ? {} : { cursor }, signal);
    pages.push(page);
    if (bounds) bytes += JSON.stringify(page).length;
    if (bounds && bytes > bounds.bytes_max) throw bounds.tooLarge();
    cursor = readListing(page).next_cursor;
  } while (cursor !== undefined && pages.length < PAGES_MAX);
  return pages;
}

const REFUSED: readonly string[] = ['tool_error', 'internal_error'];

function refused(error: unknown): undefined {
  if (isSourceFailure(error) && REFUSED.includes(error.failure_class)) return undefined;
  throw error;
}

/**
 * Listens to the server while a request runs. The library never removes its abort listener, and would cancel calls that
 * ended long ago.
 */
async function takenBack<Value>(
  wire: Wire,
  signal: AbortSignal,
  run: (inner: AbortSignal) => Promise<Value>,
): Promise<Value> {
  signal.throwIfAborted();
  const listenNoMore = wire.listen();
  const controller = new AbortController();
  const takeBack = (): void => controller.abort('the answer is no longer wanted');
  signal.addEventListener('abort', takeBack, { once: true });
  try {
    return await run(controller.signal);
  } finally {
    signal.removeEventListener('abort', takeBack);
    listenNoMore();
  }
}

function toFailure(error: unknown, wire: Wire, failure: Capabilities['failure']): SourceFailure {
  if (isSourceFailure(error)) return error;
  const known = wire.broken() ?? wire.lost(error);
  if (known) return known;
  if (isProtocolError(error)) {
    const { code, message, data } = error;
    const body = new TextEncoder().encode(JSON.stringify({ code, message, data }));
    return failure(isRefusal(code) ? 'tool_error' : 'internal_error', describeCode(code), { body });
  }
  return failure('transport', 'the server answered with something that is not of the protocol');
}

function isProtocolError(error: unknown): error is Error & { readonly code: number; readonly data?: unknown } {
  return error instanceof Error && 'code' in error && typeof error.code === 'number';
}
