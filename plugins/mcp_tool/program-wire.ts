/**
 * The protocol's stdio transport: one JSON-RPC message a line, over the pipes of a program that we are handed. (The
 * library's own would start the program itself.) What is no message is passed by: many servers greet on standard output.
 */
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Capabilities, Child, SourceFailure, Spawn } from 'chukwa/plugin';
import type { Wire } from './wire.js';

/** As the manifest's `wire_overhead` has it for HTTP. */
export const OVERHEAD = { factor: 4, bytes: 1_048_576 };

/** The way to a server behind a command. Nothing is started yet. */
export function openProgramWire(spawn: Spawn, { failure, log }: Pick<Capabilities, 'failure' | 'log'>): Wire {
  const transport = new ProgramTransport(spawn, failure, log);
  return {
    transport,
    broken: () => transport.broken,
    lost: () => undefined,
    can_hang: true,
    allow: (max_result_bytes) => transport.allow(max_result_bytes),
    close: () => transport.close(),
  };
}

class ProgramTransport implements Transport {
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  onmessage?: Transport['onmessage'];
  broken: SourceFailure | undefined;
  readonly #spawn: Spawn;
  readonly #failure: Capabilities['failure'];
  readonly #log: Capabilities['log'];
  #child: Child | undefined;
  #rest = '';
  #line_bytes_max = OVERHEAD.bytes;

  constructor(spawn: Spawn, failure: Capabilities['failure'], log: Capabilities['log']) {
    this.#spawn = spawn;
    this.#failure = failure;
    this.#log = log;
  }

  allow(max_result_bytes: number): void {
    this.#line_bytes_max = Math.max(this.#line_bytes_max, max_result_bytes * OVERHEAD.factor + OVERHEAD.bytes);
  }

  async start(): Promise<void> {
    this.#child = await this.#spawn();
    void this.#listen(this.#child);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#child?.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    await this.#child?.stop();
  }

  /** Whoever says nothing more cannot be asked again, and is ended. */
  async #listen(child: Child): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const piece of child.output) {
        if (!this.#take(decoder.decode(piece, { stream: true }))) break;
      }
    } catch {
      // Its pipe was closed: it has ended.
    }
    await child.stop();
    const { message, last_words } = await child.ended;
    this.broken ??= this.#failure('transport', message, { body: last_words });
    this.onclose?.();
  }

  /** Takes what was read; false where it is more than anybody asked for. */
  #take(text: string): boolean {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    const longest = Math.max(this.#rest.length, ...lines.map((line) => line.length));
    if (longest > this.#line_bytes_max) {
      const message = `the server said more than ${this.#line_bytes_max} bytes at once, and was ended`;
      this.broken = this.#failure('result_too_large', message);
      return false;
    }
    for (const line of lines) this.#hear(line);
    return true;
  }

  #hear(line: string): void {
    const message = parseObject(line);
    if (message) this.onmessage?.(message as unknown as JSONRPCMessage);
    else if (line.trim() !== '') this.#log('a line on standard output that is no message', { length: line.length });
  }
}

function parseObject(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
