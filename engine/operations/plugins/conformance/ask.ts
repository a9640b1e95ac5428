import type { Json } from '../../../contract/json.js';
import type { ChatRequest } from '../../../contract/source.js';
import type { Generation, Invoke } from '../../../core/protocol/command.js';
import type { Example } from '../../../generated/plugin-conformance.js';
import type { PluginManifest } from '../../../generated/plugin-manifest.js';
import type { BareEnd, BareSource, BenchSession, PluginBench } from '../../../ports/plugin-bench.js';
import type { CallPended, CallResult } from '../../../ports/sources.js';
import { FORGETFUL, toInvoke } from '../../running/unrecorded-call.js';
import { type PlayedExample, placeFiles } from './examples.js';
import { answerAs, fillToken, makeToken, type Respond, type SeenRequest, withServer } from './server.js';

/** Nothing listens there; a plugin's default endpoint is overridden by it. */
export const DEAD_URL = 'http://127.0.0.1:9';

interface Manner {
  readonly token?: string;
  readonly deadline_ms?: number;
  readonly max_result_bytes?: number;
  readonly signal?: AbortSignal;
}

const DEADLINE_MS = 20_000;
const RESULT_BYTES = 32_768;
const PENDING_DEADLINE_MS = 3_600_000;

/** The variables with which an example is played against a server. */
export function variablesFor(
  { origin, secret_variables = [] }: PluginManifest,
  example: Example,
  url: string | undefined,
): Readonly<Record<string, string>> {
  const secrets = Object.fromEntries(secret_variables.map((name) => [name, `secret-of-the-suite-${name.length}`]));
  const given = { ...secrets, ...example.variables };
  if (!origin) return given;
  const named: Json | undefined =
    origin.interface_field === undefined ? undefined : example.interface[origin.interface_field];
  if (typeof named === 'string') return url === undefined ? given : { ...given, [named]: url };
  if (!('variables' in origin)) return given;
  const [name = ''] = origin.variables;
  const address = url ?? (origin.default === undefined ? undefined : DEAD_URL);
  return address === undefined ? given : { ...given, [name]: address };
}

/** Begins a session for one task, and ends it in any case. */
export async function withSession<Value>(
  bench: PluginBench,
  variables: Readonly<Record<string, string>>,
  task: (session: BenchSession) => Promise<Value>,
): Promise<Value> {
  const session = bench.begin(variables);
  try {
    return await task(session);
  } finally {
    await session.close();
  }
}

/** A source's server and a session that calls it. */
interface Exchange {
  readonly session: BenchSession;
  readonly seen: readonly SeenRequest[];
}

/** Runs a task with a session whose variables name its own server, where the example has one. */
export function withExchange<Value>(
  bench: PluginBench,
  { example, respond = answerAs(example) }: { readonly example: PlayedExample; readonly respond?: Respond },
  task: (exchange: Exchange) => Promise<Value>,
): Promise<Value> {
  return withServer(respond, ({ url, seen }) =>
    withSession(bench, variablesFor(bench.manifest, example, example.server && url), (session) =>
      task({ session, seen }),
    ),
  );
}

/** Calls through the pipeline, as a turn does. */
export async function askThrough(
  { manifest }: PluginBench,
  session: BenchSession,
  example: PlayedExample,
  manner: Manner = {},
): Promise<CallResult> {
  const { token = makeToken(), signal = new AbortController().signal } = manner;
  await placeFiles(example, token);
  const command = toCommand(manifest, example, { ...manner, token });
  const surroundings = {
    client_request_id: `conformance/turn-1/${token}`,
    correlation_id: toCorrelation(token),
    signal,
  };
  return session.callSource(command, surroundings, FORGETFUL);
}

/** Calls without the pipeline. */
export async function askBare(source: BareSource, example: PlayedExample, manner: Manner = {}): Promise<BareEnd> {
  const { token = makeToken() } = manner;
  await placeFiles(example, token);
  return askBareWith(source, fillToken(example.request, token), { ...manner, token, may_pend: mayPend(example) });
}

/** Calls without the pipeline, passing this very request object. */
export function askBareWith(
  source: BareSource,
  request: Json,
  manner: Manner & { readonly token: string; readonly may_pend?: boolean },
): Promise<BareEnd> {
  return source.ask(request, {
    signal: manner.signal ?? new AbortController().signal,
    deadline_ms: manner.deadline_ms ?? DEADLINE_MS,
    max_result_bytes: manner.max_result_bytes ?? RESULT_BYTES,
    client_request_id: `conformance/turn-1/${manner.token}`,
    correlation_id: toCorrelation(manner.token),
    may_repeat: true,
    actor_id: 'service:chukwa',
    tenant_id: 'world:conformance',
    acts: () => {},
    ...(manner.may_pend === true ? { pending: { deadline_ms: PENDING_DEADLINE_MS } } : {}),
  });
}

/** The id for later reports of a call; it differs from the call's token. */
export function toCorrelation(token: string): string {
  return `correlation-of-${token.slice('call-'.length)}`;
}

/** Only an example of a pending call may be answered later. */
function mayPend({ expect }: Example): boolean {
  return 'pending' in expect;
}

function toCommand(manifest: PluginManifest, example: Example, manner: Manner & { readonly token: string }): Invoke {
  const request = fillToken(example.request, manner.token);
  const { deadline_ms = DEADLINE_MS, max_result_bytes = RESULT_BYTES } = manner;
  return toInvoke({
    key: manner.token,
    label: 'conformance',
    interface: example.interface,
    request,
    ...(manifest.speaks === 'chat' ? { generation: toGeneration(request as unknown as ChatRequest) } : {}),
    max_runtime_ms: deadline_ms,
    max_request_bytes: 1_048_576,
    max_result_bytes,
    ...(mayPend(example) ? { pending_deadline_ms: PENDING_DEADLINE_MS } : {}),
  });
}

function toGeneration({ messages, output_schema }: ChatRequest): Generation {
  const { name, schema } = output_schema ?? { name: 'none', schema: {} };
  const hash = 'of no schema';
  return {
    conversation: 'conformance',
    messages: messages.map(({ role, content }) => ({
      role,
      segments: [{ origin: 'author', text: content }],
      hash: 'of no conversation',
    })),
    prefix_hash: 'of no conversation',
    offered: { name, schema, hash, delivered: { schema, hash } },
    schema_delivery: output_schema ? 'response_format' : 'prompt',
  };
}

export function describeEnd(end: BareEnd | undefined): string {
  if (!end) return 'it did not end';
  if (end.kind === 'answered') return 'it answered';
  if (end.failure) return `it failed as ${end.failure.failure_class}: ${end.failure.message}`;
  return `it threw what capabilities.failure had not made: ${String(end.thrown)}`;
}

export function describeOutcome(outcome: CallResult): string {
  if (outcome.status === 'succeeded') return `it answered ${shorten(JSON.stringify(outcome.answer))}`;
  if (outcome.status === 'pending') return `it said that the answer comes later${describeAlias(outcome)}`;
  if (outcome.status === 'unapproved') return 'a person has to approve it';
  return `it failed as ${outcome.failure_class}: ${shorten(outcome.failure_message)}`;
}

function describeAlias({ correlation_alias }: CallPended): string {
  return correlation_alias === undefined ? '' : `, for ${shorten(JSON.stringify(correlation_alias))}`;
}

export function shorten(text: string): string {
  const LENGTH_MAX = 200;
  return text.length > LENGTH_MAX ? `${text.slice(0, LENGTH_MAX)}...` : text;
}
