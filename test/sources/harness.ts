import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import { contentHash } from '../../engine/core/content/canonical.js';
import type { Generation, Invoke } from '../../engine/core/protocol/command.js';
import type { CallProgram, SchemaProgram, Validate } from '../../engine/core/protocol/program.js';
import type { CallOutcome, CallRecorder, CallResult, ChunkBatch } from '../../engine/ports/sources.js';
import { compileShipped, createCompileSchema } from '../../engine/schema/compile-schema.js';
import { openSources, type Sources, type SourcesParts } from '../../engine/sources/index.js';
import type { Scope } from '../support/folder.js';

/** The plugins that ship. */
export const SHIPPED_PLUGINS = fileURLToPath(new URL('../../plugins', import.meta.url));

const compileSchema = createCompileSchema();

/** The check of `plugin.json`, as `main.ts` makes it. */
export async function loadManifestCheck(): Promise<Validate> {
  const file = new URL('../../schemas/plugin-manifest.schema.json', import.meta.url);
  return compileShipped(JSON.parse(await readFile(file, 'utf8')) as JsonObject);
}

/** Opens sources on the shipped plugins, and closes them with the test. */
export async function openTestSources(test: Scope, parts: Partial<SourcesParts> = {}): Promise<Sources> {
  const sources = await openSources({
    folders: [SHIPPED_PLUGINS],
    lookUp: () => undefined,
    compileSchema,
    validateManifest: parts.validateManifest ?? (await loadManifestCheck()),
    clock: { now: () => Date.now() },
    log: () => {},
    ...parts,
  });
  test.after(() => sources.close());
  return sources;
}

/** Answers a request. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Serves on the loopback address until the test ends; gives the origin. */
export async function serve(test: TestContext, listener: Listener): Promise<string> {
  const server = createServer((request, response) => void listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An origin at which nobody listens any more. */
export async function findFreeOrigin(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

/** Writes a plugin whose entry is the given module text. @param fields the interface members that the manifest names */
export async function writePlugin(
  folder: string,
  name: string,
  entry: string,
  manifest: JsonObject = {},
  fields: readonly string[] = [],
): Promise<void> {
  const home = join(folder, name);
  await mkdir(home, { recursive: true });
  const whole = {
    version: 1,
    name,
    description: 'Made by a test.',
    contract_version: 1,
    speaks: 'json',
    interface_schema: './interface.schema.json',
    entry: './index.js',
    ...manifest,
  };
  await writeFile(join(home, 'plugin.json'), JSON.stringify(whole));
  await writeFile(
    join(home, 'interface.schema.json'),
    JSON.stringify({
      type: 'object',
      ...(fields.length > 0 && { properties: Object.fromEntries(fields.map((field) => [field, {}])) }),
    }),
  );
  await writeFile(join(home, 'package.json'), JSON.stringify({ type: 'module' }));
  await writeFile(join(home, 'index.js'), entry);
}

export type Wanted = Partial<Omit<Invoke, 'call'>> & {
  readonly call?: Partial<CallProgram>;
  /** The schema of the source's requests. */
  readonly takes?: SchemaProgram;
};

type Settings = JsonObject & { readonly name?: string };

/** A call of an `http_json` source at `/answer` of the service that `CHUKWA_TEST_URL` names. */
export function jsonCall({ call, ...rest }: Wanted = {}, settings: Settings = {}): Invoke {
  const source = { name: 'http_json', method: 'POST', url_env: 'CHUKWA_TEST_URL', path: '/answer', ...settings };
  return invoke(source, { request: { candy: 'mars' }, ...rest, call: call ?? {} });
}

/** A generation by an `llm_chat` source. */
export function chatCall({ call, ...rest }: Wanted = {}, settings: Settings = {}): Invoke {
  const source = {
    name: 'llm_chat',
    model: 'tiny',
    schema_delivery: 'response_format',
    tool_calling: 'json_control',
    ...settings,
  };
  return invoke(source, { invocation_kind: 'llm_generation', generation: GENERATION, ...rest, call: call ?? {} });
}

const GENERATION: Generation = {
  conversation: 'bob/act',
  messages: [
    {
      role: 'system',
      segments: [
        { origin: 'author', text: 'You are ' },
        { origin: 'subject', text: 'Bob.' },
      ],
      hash: 'a',
    },
    { role: 'user', segments: [{ origin: 'author', text: 'Act.' }], hash: 'b' },
  ],
  prefix_hash: 'c',
  offered: {
    name: 'final',
    schema: { type: 'object', maxProperties: 9 },
    hash: 'd',
    delivered: { schema: { type: 'object' }, hash: 'e' },
  },
  schema_delivery: 'response_format',
};

function invoke(source: JsonObject & { readonly name: string }, { call, takes, ...rest }: Wanted): Invoke {
  const max_runtime_ms = Number(source['timeout_ms'] ?? 20_000);
  return {
    kind: 'invoke',
    key: 'bob/act/round-1/try-1',
    invocation_kind: 'model_elected_tool',
    request: null,
    request_hash: 'unused',
    workflow_hash: 'unused',
    deadline_ms: 20_000,
    ...rest,
    call: {
      source: {
        hash: contentHash(source),
        label: 'tested',
        plugin: source.name,
        interface: source,
        ...(takes === undefined ? {} : { request: takes }),
      },
      effect: 'read_only',
      repeatable: false,
      redaction: 'all',
      limits: { max_runtime_ms, max_request_bytes: 8_192, max_result_bytes: 32_768 },
      ...call,
    },
  };
}

/** A recorder that remembers. */
export interface TestRecorder extends CallRecorder {
  readonly events: string[];
  readonly batches: ChunkBatch[];
}

export function makeRecorder(parts: Partial<CallRecorder> = {}): TestRecorder {
  const events: string[] = [];
  const batches: ChunkBatch[] = [];
  return {
    events,
    batches,
    started: async (resolved) => {
      await parts.started?.(resolved);
      events.push('started');
    },
    flushed: async (batch) => {
      batches.push(batch);
      await parts.flushed?.(batch);
    },
  };
}

/** Makes one call and gives its outcome. */
export async function ask(
  sources: Sources,
  command: Invoke,
  recorder: CallRecorder = makeRecorder(),
): Promise<CallOutcome> {
  return ended(await askOnce(sources, command, recorder));
}

/** Makes one call, and gives its outcome. */
export async function askOnce(
  sources: Sources,
  command: Invoke,
  recorder: CallRecorder = makeRecorder(),
): Promise<CallResult> {
  const { signal } = new AbortController();
  const client_request_id = 'park/turn-1/bob/act/round-1/try-1';
  return sources.callSource(command, { client_request_id, correlation_id: 'call-1', signal }, recorder);
}

/** The outcome of a call that has ended. */
export function ended(result: CallResult): CallOutcome {
  if (result.status === 'pending' || result.status === 'unapproved') throw new Error('the answer comes later');
  return result;
}

/** An outcome in a line, with the parts under test. */
export function summary(outcome: CallResult): Json {
  if (outcome.status === 'pending') return { pending: outcome.correlation_alias ?? null };
  if (outcome.status === 'unapproved') return { unapproved: outcome.approval_id };
  if (outcome.status === 'succeeded') return { succeeded: outcome.view };
  return { failed: outcome.failure_class, refused: outcome.refused };
}

/** Everything that an outcome would store, as one text. */
export function storedText(result: CallResult): string {
  const trace = 'trace' in result ? result.trace : undefined;
  const body = Buffer.from(('response_body' in result ? result.response_body : undefined) ?? []).toString('latin1');
  const chunks = Buffer.from(trace?.chunks?.text ?? []).toString('latin1');
  return [JSON.stringify(result), body, chunks].join('\n');
}

/** A process that has ended may stand in the table until somebody asks how; where nobody ever does, it is dead all the same. */
export function isAlive(pid: Json | undefined): boolean {
  const status = `/proc/${Number(pid)}/status`;
  try {
    process.kill(Number(pid), 0);
    return !existsSync(status) || !/^State:\tZ/m.test(readFileSync(status, 'utf8'));
  } catch {
    return false;
  }
}

export async function untilDead(pid: Json | undefined): Promise<void> {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
}
