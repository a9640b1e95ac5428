/**
 * The protocol's stdio transport: one JSON-RPC message a line, over the pipes of a program that the engine started.
 * (The library's own would start the program itself.) Other lines are skipped: many servers greet on standard output.
 */
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Capabilities, Child, SourceFailure, Spawn } from 'chukwa/plugin';
import { admitList, admitMessage } from './as-written.js';
import type { Wire } from './wire.js';

/** As the manifest's `wire_overhead` has it for HTTP. */
export const OVERHEAD = { factor: 4, bytes: 1_048_576 };

/** How many lines that are no messages are logged. */
const STRAYS_MAX = 200;

/** The way to a server behind a command. Nothing is started yet. */
export async function openProgramWire(
  spawn: Spawn,
  { failure, log, parseJson }: Pick<Capabilities, 'failure' | 'log' | 'parseJson'>,
): Promise<Wire> {
  const { JSONRPCMessageSchema } = await import('@modelcontextprotocol/sdk/types.js');
  const isMessage = (message: object): boolean => JSONRPCMessageSchema.safeParse(message).success;
  const transport = new ProgramTransport(spawn, { failure, log, parseJson, isMessage });
  return {
    transport,
    broken: () => transport.broken,
    lost: (error) => findUnusable(error, failure),
    names_session: () => false,
    can_hang: true,
    listen: () => transport.listen(),
    allow: (max_result_bytes) => transport.allow(max_result_bytes),
    close: () => transport.close(),
  };
}

/** The library would wait forever for an unreadable answer; this error replaces it. */
const UNUSABLE = -32_000;

/** @param not_json why the line is refused as JSON, where it is one that the protocol knows */
function toUnusable(id: number | string, line: string, not_json?: string): JSONRPCMessage {
  const data = { unusable_answer: line, ...(not_json === undefined ? {} : { not_json }) };
  return { jsonrpc: '2.0', id, error: { code: UNUSABLE, message: 'unusable', data } };
}

function findUnusable(error: unknown, failure: Capabilities['failure']): SourceFailure | undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== UNUSABLE || !('data' in error))
    return undefined;
  const { data } = error;
  if (typeof data !== 'object' || data === null || !('unusable_answer' in data)) return undefined;
  const body = new TextEncoder().encode(String(data.unusable_answer));
  if ('not_json' in data)
    return failure('non_json', `the server did not answer with JSON: ${String(data.not_json)}`, { body });
  return failure('transport', 'the server answered with something that is not of the protocol', { body });
}

interface WireParts extends Pick<Capabilities, 'failure' | 'log' | 'parseJson'> {
  readonly isMessage: (message: object) => boolean;
}

class ProgramTransport implements Transport {
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  onmessage?: Transport['onmessage'];
  broken: SourceFailure | undefined;
  readonly #spawn: Spawn;
  readonly #parts: WireParts;
  #child: Child | undefined;
  #listeners = 0;
  #resume = (): void => {};
  #strays = 0;
  /** The requests of lists, of which each tool is looked at by itself. */
  readonly #lists = new Set<number | string>();
  #rest = '';
  #line_bytes_max = OVERHEAD.bytes;

  constructor(spawn: Spawn, parts: WireParts) {
    this.#spawn = spawn;
    this.#parts = parts;
  }

  allow(max_result_bytes: number): void {
    this.#line_bytes_max = Math.max(this.#line_bytes_max, max_result_bytes * OVERHEAD.factor + OVERHEAD.bytes);
  }

  async start(): Promise<void> {
    this.#child = await this.#spawn();
    void this.#read(this.#child);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if ('method' in message && 'id' in message && message.method === 'tools/list') this.#lists.add(message.id);
    await this.#child?.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    await this.#child?.stop();
  }

  listen(): () => void {
    this.#listeners += 1;
    this.#resume();
    return () => {
      this.#listeners -= 1;
    };
  }

  /**
   * Reads while somebody listens: what a program says between calls waits in its pipe. One whose output has ended cannot
   * answer again, and is stopped.
   */
  async #read(child: Child): Promise<void> {
    const decoder = new TextDecoder();
    void child.ended.then(() => this.listen());
    try {
      for await (const piece of child.output) {
        if (!this.#handleText(decoder.decode(piece, { stream: true }))) break;
        if (this.#listeners === 0) await new Promise<void>((resolve) => (this.#resume = resolve));
      }
    } catch {
      // Its pipe was closed: it has ended.
    }
    await child.stop();
    const { message, last_words } = await child.ended;
    this.broken ??= this.#parts.failure('transport', message, { body: last_words });
    this.onclose?.();
  }

  /** Adds a chunk of output; false where it exceeds the limit. */
  #handleText(text: string): boolean {
    // The line that is not yet whole is not looked at again with each chunk: it may have very many.
    const [first = '', ...more] = text.split('\n');
    const lines = [this.#rest + first, ...more];
    this.#rest = lines.pop() ?? '';
    const longest = Math.max(this.#rest.length, ...lines.map((line) => line.length));
    if (longest > this.#line_bytes_max) {
      const message = `the server said more than ${this.#line_bytes_max} bytes at once, and was ended`;
      this.broken = this.#parts.failure('result_too_large', message);
      return false;
    }
    for (const line of lines) this.#handleLine(line);
    return true;
  }

  #handleLine(line: string): void {
    const message = parseObject(line);
    if (message === undefined) return this.#logStray(line);
    const id = findAnswered(message);
    const isList = id !== undefined && this.#lists.delete(id);
    if (id === undefined) return this.onmessage?.(message as unknown as JSONRPCMessage);
    const parsed = isList ? admitList(line) : admitMessage(line, this.#parts.parseJson);
    if (parsed?.ok === false) return this.onmessage?.(toUnusable(id, line, parsed.reason));
    const meant = parsed?.replaced === undefined ? message : (parsed.value as object);
    this.onmessage?.(this.#parts.isMessage(meant) ? (meant as JSONRPCMessage) : toUnusable(id, line));
  }

  #logStray(line: string): void {
    if (line.trim() === '' || this.#strays === STRAYS_MAX) return;
    this.#strays += 1;
    this.#parts.log('a line on standard output that is no message', { length: line.length });
    if (this.#strays === STRAYS_MAX) this.#parts.log(`after ${STRAYS_MAX} such lines the rest is left out`);
  }
}

/** The request that a message means to answer. */
function findAnswered(message: object): number | string | undefined {
  if ('method' in message || !('id' in message)) return undefined;
  return typeof message.id === 'number' || typeof message.id === 'string' ? message.id : undefined;
}

function parseObject(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
