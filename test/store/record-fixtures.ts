import { v7 } from 'uuid';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import { contentHash } from '../../engine/core/content/canonical.js';
import { sha256 } from '../../engine/core/content/sha256.js';
import type { Message, SegmentOrigin } from '../../engine/core/prompt/message.js';
import type { Fail, Invoke } from '../../engine/core/protocol/command.js';
import type { AppliedPatch } from '../../engine/core/world/world-patch.js';
import { offerAnswerSchema } from '../../engine/core/nodes/compose-schema.js';
import type { CallProgram } from '../../engine/core/protocol/program.js';
import type {
  AttemptLease,
  BeginAttempt,
  BeginOutcome,
  CallFinish,
  CallStart,
  CommitTurn,
  Written,
} from '../../engine/ports/attempts.js';
import type { ComponentToStore } from '../../engine/ports/components.js';
import type { Store } from '../../engine/store/open-store.js';
import type { CallPended, CallSucceeded, ChunkBatch } from '../../engine/ports/sources.js';
import type { ComponentKind } from '../../engine/ports/validation.js';
import type { OutsideView } from '../support/databases.js';

/** Noon of the first day of tests, in milliseconds since 1970. */
export const NOON = Date.UTC(2026, 0, 1, 12);
export const HOLDER = { host: 'here', pid: 4711 };
/** The person who settles a call. */
export const BY_HAND = { settled_by: 'operator', holder: HOLDER } as const;
const LEASE_MS = 60_000;

function component(
  kind: ComponentKind,
  content: JsonObject,
  refers_to: readonly ComponentToStore[] = [],
): ComponentToStore {
  return { kind, hash: contentHash(content), content, refers_to: refers_to.map(({ kind, hash }) => ({ kind, hash })) };
}

const schema = component('json_schema', { type: 'object' });
const source = component('response_source', { version: 1, label: 'toy', interface: { name: 'http_json' } });
const model = component('response_source', {
  version: 1,
  label: 'model',
  interface: { name: 'llm_chat', model: 'm-1' },
});
const workflow = component(
  'cognition_workflow',
  { version: 1, label: 'act', ambient_sources: [], apply: { from: 'act.final' } },
  [schema, source, model],
);
const policy = component('tool_policy', { version: 1, label: 'few' });
const profile = component('cognition_profile', { version: 1, label: 'mind' }, [workflow, policy]);
const scenario = component(
  'scenario',
  {
    version: 1,
    label: 'park',
    environments: [
      { label: 'park', content: 'a park' },
      { label: 'kiosk', content: 'a kiosk' },
    ],
    entities: [
      {
        id: 'zoe',
        name: 'Zoe',
        kind: 'agent',
        environment: 'park',
        state: 'rested',
        goal: 'run',
        memory: ['born', 'fed'],
      },
      { id: 'bench.old', name: 'Bench', kind: 'prop', state: 'wet' },
      { id: 'bob', name: 'Bob', kind: 'agent', state: 'hungry' },
    ],
  },
  [profile],
);

/** A scenario and all that it refers to. */
export const DOCUMENTS = { schema, source, model, workflow, policy, profile, scenario };

/** Stores the documents and makes a world of them. */
export async function makeWorld(store: Store, world_slug: string): Promise<void> {
  await store.components.put(Object.values(DOCUMENTS));
  const start_time = '2026-01-01T08:00:00Z';
  await store.worlds.create({ world_slug, scenario_hash: scenario.hash, start_time, created_at: NOON });
}

export type Begun = Extract<BeginOutcome, { readonly kind: 'begun' }>;

/** Begins an attempt that must begin. */
export async function begin(store: Store, world_slug: string, started_at = NOON, alive = true): Promise<Begun> {
  const outcome = await store.attempts.begin(beginning(world_slug, started_at), () => alive);
  if (outcome.kind !== 'begun') throw new Error(`the attempt was not begun: ${outcome.kind}`);
  return outcome;
}

/** Lets the lease of a world end. */
export async function endLease(outside: OutsideView, world_slug: string): Promise<void> {
  await outside.query(`UPDATE worlds SET lease_until = now() - interval '1 minute' WHERE world_slug = $1`, [
    world_slug,
  ]);
}

export function beginning(world_slug: string, started_at = NOON): BeginAttempt {
  return {
    attempt_id: v7(),
    world_slug,
    scenario_hash: scenario.hash,
    holder: HOLDER,
    started_at,
    lease_ms: LEASE_MS,
    renderer_version: '1',
    plugin_versions: { http_json: '1.0.0' },
    event_turns: 2,
    adopt: adoptAll,
  };
}

/** Adopts every call with an answer. */
const adoptAll: BeginAttempt['adopt'] = ({ calls }) => ({
  kind: 'adopts',
  source_invocation_ids: calls.flatMap(({ source_invocation_id, fact }) =>
    fact?.status === 'succeeded' ? [source_invocation_id] : [],
  ),
});

const LIMITS = { max_runtime_ms: 1000, max_request_bytes: 8192, max_result_bytes: 32_768 };

function call(definition: ComponentToStore, redaction: CallProgram['redaction']): CallProgram {
  const { label, interface: wire } = definition.content as {
    readonly label: string;
    readonly interface: JsonObject & { readonly model?: string };
  };
  const asked = wire.model === undefined ? {} : { model: wire.model };
  const program = { hash: definition.hash, label, plugin: 'toy', interface: wire, ...asked };
  return { source: program, effect: 'read_only', repeatable: false, redaction, limits: LIMITS };
}

/** The start of a call to a toy. */
export function toyStart(key: string, invocation_seq: number, change: Partial<Invoke> = {}): CallStart {
  const request: Json = { city: 'Bern' };
  return {
    source_invocation_id: v7(),
    invocation_seq,
    performance: 1,
    started_at: NOON + invocation_seq,
    command: {
      kind: 'invoke',
      key,
      invocation_kind: 'ambient_context',
      call: call(source, ['/temperature']),
      request,
      request_hash: contentHash(request),
      workflow_hash: workflow.hash,
      ambient_id: 'weather',
      deadline_ms: 1000,
      ...change,
    },
  };
}

/** A call that may be answered later. */
export function pendingStart(key: string, invocation_seq: number, pending_deadline_ms = 3_600_000): CallStart {
  const start = toyStart(key, invocation_seq);
  return { ...start, command: { ...start.command, call: { ...start.command.call, pending_deadline_ms } } };
}

/** That it will be. */
export function pended(start: CallStart, correlation_alias?: string): CallPended {
  return {
    status: 'pending',
    key: start.command.key,
    pended_at: NOON,
    deadline_ms: start.command.call.pending_deadline_ms ?? 0,
    http_status: 202,
    ...(correlation_alias === undefined ? {} : { correlation_alias }),
  };
}

/** A message of one piece. */
export function message(role: Message['role'], origin: SegmentOrigin, text: string): Message {
  return { role, segments: [{ origin, text }], hash: sha256(`${role}\n${text}`) };
}

/** The start of a generation of `zoe/act`. */
export function generationStart(
  invocation_seq: number,
  messages: readonly Message[],
  generation_try = 1,
): CallStart & { readonly llm_call_id: string } {
  const key = `zoe/act/round-1/try-${generation_try}`;
  const start = toyStart(key, invocation_seq, {
    invocation_kind: 'llm_generation',
    call: call(model, 'all'),
    subject_id: 'zoe',
    node_id: 'act',
    generation_try,
    round: 1,
    generation: {
      conversation: 'zoe/act',
      messages,
      prefix_hash: sha256(messages.map(({ hash }) => hash).join()),
      offered: offerAnswerSchema({ type: 'object' }),
      schema_delivery: 'prompt',
    },
  });
  const { ambient_id: _ambient, ...command } = start.command;
  return { ...start, command, llm_call_id: v7() };
}

/** Writes that a call starts, or that it was refused. */
export function startCall(store: Store, lease: AttemptLease, start: CallStart): Promise<Written> {
  return store.attempts.writeCalls(lease, { finished: [], started: [start] });
}

/** Writes that a call ends. */
export function finishCall(store: Store, lease: AttemptLease, finish: CallFinish): Promise<Written> {
  return store.attempts.writeCalls(lease, { finished: [finish], started: [] });
}

/** A successful end of a call. */
export function answered(start: CallStart, answer: Json, change: Partial<CallSucceeded> = {}): CallFinish {
  return {
    source_invocation_id: start.source_invocation_id,
    ...(start.llm_call_id === undefined ? {} : { llm_call_id: start.llm_call_id }),
    outcome: {
      key: start.command.key,
      status: 'succeeded',
      ended_at: start.started_at + 20,
      duration_ms: 20,
      validation_status: 'valid',
      answer,
      view: answer,
      ...change,
    },
  };
}

/** A refusal: nothing left the process. */
export function refused(start: CallStart): CallFinish {
  return {
    source_invocation_id: start.source_invocation_id,
    outcome: {
      key: start.command.key,
      status: 'failed',
      failure_class: 'policy_denied',
      failure_message: 'Not allowed.',
      refused: true,
      ended_at: start.started_at,
      duration_ms: 0,
      validation_status: 'not_checked',
    },
  };
}

/** Streamed pieces as one flush. */
export function batch(batch_seq: number, pieces: readonly (string | Uint8Array)[]): ChunkBatch {
  const bytes = pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : Buffer.from(piece)));
  return {
    batch_seq,
    text: Buffer.concat(bytes),
    lengths: bytes.map(({ length }) => length),
    offsets_ms: bytes.map((_piece, index) => index * 10),
  };
}

/** A patch as the core hands it over: Zoe runs, remembers it, and the park changes. */
export function patchOf(change: { readonly before: string; readonly after: string }): AppliedPatch {
  const { before, after } = change;
  return {
    patch: {
      narration: `Zoe is ${after}.`,
      effects: [
        { op: 'set_entity_state', entity_id: 'zoe', state: after },
        { op: 'append_entity_memory', entity_id: 'zoe', content: `I was ${before}.` },
        { op: 'set_environment_content', environment_label: 'park', content: `a park where Zoe is ${after}` },
      ],
    },
    effects: [
      { effect_index: 0, op: 'set_entity_state', entity_id: 'zoe', state_before: before, state_after: after },
      { effect_index: 1, op: 'append_entity_memory', entity_id: 'zoe', state_after: `I was ${before}.` },
      {
        effect_index: 2,
        op: 'set_environment_content',
        environment_label: 'park',
        state_before: 'a park',
        state_after: `a park where Zoe is ${after}`,
      },
    ],
    touched_entities: ['zoe'],
  };
}

/** Plays a turn of one generation and one patch to its commit. */
export async function playTurn(
  store: Store,
  world_slug: string,
  change: { before: string; after: string },
): Promise<Begun> {
  const begun = await begin(store, world_slug);
  const said = await sayPatch(store, begun.lease, change);
  await store.attempts.commit(begun.lease, said);
  return begun;
}

/** A generation that gives a patch, started and finished. @returns the commit */
export async function sayPatch(
  store: Store,
  lease: AttemptLease,
  change: { readonly before: string; readonly after: string },
): Promise<CommitTurn> {
  const start = generationStart(1, [message('system', 'author', 'You are Zoe.')]);
  await startCall(store, lease, start);
  await finishCall(store, lease, answered(start, { text: '{}', finish_reason: 'stop' }));
  return committing(start, [patchOf(change)]);
}

/** A seal over one entry, for tests that write attempts without a driver. */
export const SEAL = { leaf_hashes: [new Uint8Array(32)], tree_root: new Uint8Array(32) };

/** A commit of patches that one generation gave. */
export function committing(
  start: CallStart & { readonly llm_call_id: string },
  patches: readonly AppliedPatch[],
): CommitTurn {
  return {
    simulation_time: '2026-01-01T08:10:00.000Z',
    ended_at: NOON + 500,
    agents: [],
    seal: SEAL,
    patches: patches.map((applied, index) => ({
      patch_seq: index + 1,
      subject_id: 'zoe',
      node_id: 'act',
      workflow_hash: workflow.hash,
      call_key: start.command.key,
      applied,
      origins: ['author', 'model'],
      source_invocation_id: start.source_invocation_id,
    })),
  };
}

/** The failure that ends an attempt. */
export function failing(source_invocation_id?: string) {
  return {
    failure: {
      kind: 'fail' as const,
      failure_class: 'http_status' as const,
      message: 'The toy said 500.',
      subject_id: 'zoe',
      node_id: 'act',
    },
    ...(source_invocation_id === undefined ? {} : { source_invocation_id }),
    ended_at: NOON + 900,
    agents: [],
    seal: SEAL,
  };
}

/** Everything that is in the tables, as one text. */
export async function contentsOf(outside: OutsideView): Promise<string> {
  const tables = await outside.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
  );
  const contents: string[] = [];
  for (const { name } of tables) {
    const [row] = await outside.query<{ rows: string | null }>(
      `SELECT string_agg(t::text, E'\\n' ORDER BY t::text) AS rows FROM ${name} t`,
    );
    contents.push(`${name}\n${row?.rows ?? ''}`);
  }
  return contents.join('\n\n');
}

/** Fails an attempt of a world over a sale that nobody saw end. */
export async function doubt(
  store: Store,
  world_slug: string,
  failure_class: Fail['failure_class'] = 'interrupted',
): Promise<{ readonly lease: AttemptLease; readonly call: string }> {
  const { lease } = await begin(store, world_slug);
  const start = toyStart('sale', 1);
  const command = { ...start.command, call: { ...start.command.call, effect: 'external_side_effect' as const } };
  await startCall(store, lease, { ...start, command });
  const call = start.source_invocation_id;
  const { failure, ...ended } = failing(call);
  const failed = { ...ended, failure: { ...failure, failure_class } };
  await store.attempts.fail(lease, failed);
  return { lease, call };
}

/** Makes a world: two turns, and before the second an attempt that failed with a call that was to be answered later. */
export async function liveUntil(store: Store, world_slug: string, last: string): Promise<void> {
  await makeWorld(store, world_slug);
  await playTurn(store, world_slug, { before: 'rested', after: 'tired' });
  const { lease } = await begin(store, world_slug);
  const call = pendingStart('a', 1);
  await startCall(store, lease, call);
  await store.attempts.pendCall(lease, call.source_invocation_id, pended(call));
  await store.attempts.fail(lease, failing());
  await playTurn(store, world_slug, { before: 'tired', after: last });
}

/** The lines of a file. */
export async function* toStream(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}
