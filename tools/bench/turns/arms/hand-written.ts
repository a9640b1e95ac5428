import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { QueryResultRow } from 'pg';
import { v7 as uuid } from 'uuid';
import type { JsonObject } from '../../../../engine/contract/json.js';
import { inTransaction } from '../../../../engine/store/database.js';
import { openInFolder } from '../../../../engine/store/embedded.js';
import { openServer } from '../../../../engine/store/server.js';
import type { Runner } from '../../../../engine/store/statement.js';
import { must } from '../../../must.js';
import type { CapturedCall } from '../../services.js';
import { ROOT } from '../../stage.js';
import type { OpenArm } from '../arm.js';
import { type BareAnswer, keyOf, makeCalls } from '../bare-turn.js';

// The record that a careful engineer writes by hand: the same facts of a turn as this program, by plain statements before and
// after each call and a transaction at the end, in plain tables with primary and foreign keys and no other indexes than those.

/** On a server, or in a folder with a new embedded database. */
export const openArm: OpenArm = async (place, clients) => {
  const template = join(ROOT, 'dist/template.tar.gz');
  const database = must(await (place.startsWith('postgres') ? openServer(place) : openInFolder(place, template)));
  await database.query(TABLES);
  return {
    turn: async (calls) => {
      const attempt = await inTransaction(database.pool, begin);
      await makeCalls(calls, async (call) => {
        const ids = { id: uuid(), llm_call_id: call.to === 'model' ? uuid() : undefined };
        // One row needs no transaction.
        if (ids.llm_call_id === undefined) await recordStart(database, attempt, ids, call);
        else await inTransaction(database.pool, (client) => recordStart(client, attempt, ids, call));
        const answer = await clients.ask(call);
        await inTransaction(database.pool, (client) => recordEnd(client, attempt, ids, answer));
      });
      await inTransaction(database.pool, (client) => commit(client, attempt));
    },
    close: () => database.close(),
  };
};

/** An attempt while it is recorded. */
interface OpenAttempt {
  readonly id: string;
  readonly turn: number;
  /** Before the turn. */
  readonly states: ReadonlyMap<string, string>;
  /** Issued calls, by key. */
  readonly calls: Map<string, string>;
  /** How many messages of each conversation are recorded. */
  readonly conversations: Map<string, number>;
  readonly patches: SaidPatch[];
}

interface SaidPatch {
  readonly call_id: string;
  readonly patch: { readonly effects: readonly { readonly entity_id: string; readonly state: string }[] };
}

/** The ids of a call, and of a generation's row beside it. */
interface Ids {
  readonly id: string;
  readonly llm_call_id: string | undefined;
}

/** Claims the world, begins an attempt and reads the world. */
async function begin(client: Runner): Promise<OpenAttempt> {
  const id = uuid();
  const [world] = await send<{ turn: number }>(client, `SELECT turn FROM floor_worlds WHERE slug = 'bench' FOR UPDATE`);
  const turn = Number(world?.turn) + 1;
  await insert(client, 'floor_attempts', { id, slug: 'bench', turn, status: 'running' });
  await send(client, `UPDATE floor_worlds SET holder = $1 WHERE slug = 'bench'`, [id]);
  const rows = await send<{ entity_id: string; state: string }>(
    client,
    `SELECT DISTINCT ON (entity_id) entity_id, state FROM floor_states WHERE slug = 'bench' ORDER BY entity_id, turn DESC`,
  );
  await insert(client, 'floor_timeline', { attempt_id: id, kind: 'attempt_began', call_id: null });
  const states = new Map(rows.map(({ entity_id, state }) => [entity_id, state]));
  return { id, turn, states, calls: new Map(), conversations: new Map(), patches: [] };
}

interface ChatBody {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly response_format?: JsonObject;
}

/** Records a call before it is made. Of a generation, its prompt has rows of its own. */
async function recordStart(client: Runner, attempt: OpenAttempt, ids: Ids, call: CapturedCall): Promise<void> {
  const { id, llm_call_id } = ids;
  const { messages, response_format, ...settings } = call.body as unknown as ChatBody;
  const command_key = keyOf(call);
  const parent_id = attempt.calls.get(command_key.replace(/\/tool$/, '')) ?? null;
  attempt.calls.set(command_key, id);
  const place = { id, attempt_id: attempt.id, slug: 'bench', turn: attempt.turn, seq: attempt.calls.size };
  const request = JSON.stringify(llm_call_id === undefined ? call.body : settings);
  const asked = { kind: call.to, request_hash: hashOf(JSON.stringify(call.body)), request, status: 'running' };
  await insert(client, 'floor_calls', { ...place, command_key, parent_id, ...asked });
  if (llm_call_id === undefined) return;
  const conversation = command_key.split('/').slice(0, 2).join('/');
  const schema_hash = await recordSchema(client, JSON.stringify(response_format ?? null));
  const recorded = attempt.conversations.get(conversation) ?? 0;
  for (const [index, { role, content }] of messages.entries()) {
    if (index < recorded) continue;
    const line = { attempt_id: attempt.id, conversation, position: index + 1 };
    await insert(client, 'floor_messages', { ...line, role, content });
  }
  attempt.conversations.set(conversation, messages.length);
  const said = { model: settings.model, schema_hash, conversation, message_count: messages.length };
  await insert(client, 'floor_llm_calls', { id: llm_call_id, call_id: id, ...said, status: 'running' });
}

const offered = new Set<string>();

/** A schema is recorded once. @returns its hash */
async function recordSchema(client: Runner, content: string): Promise<string> {
  const hash = hashOf(content);
  if (!offered.has(hash)) await insert(client, 'floor_schemas', { hash, content });
  offered.add(hash);
  return hash;
}

/** Records the end of a call: the answer, and of a generation its stream, its tokens and its verdict. */
async function recordEnd(client: Runner, attempt: OpenAttempt, ids: Ids, answer: BareAnswer): Promise<void> {
  const { id, llm_call_id } = ids;
  const { text, status, headers, pieces, usage, finish_reason } = answer;
  const ended = { status: 'succeeded', headers: JSON.stringify(headers), http_status: status, ended_at: new Date() };
  await update(client, 'floor_calls', id, llm_call_id === undefined ? { ...ended, response: text } : ended);
  if (llm_call_id === undefined) return;
  const parsed = JSON.parse(text) as { readonly kind: string; readonly patch: SaidPatch['patch'] };
  const verdict = { normalised_text: text.trim(), output_kind: parsed.kind, finish_reason };
  await update(client, 'floor_llm_calls', llm_call_id, { status: 'succeeded', ...verdict });
  const lengths = pieces.map((piece) => Buffer.byteLength(piece.text));
  const offsets_ms = pieces.map((piece) => Math.round(piece.offset_ms));
  await insert(client, 'floor_chunks', { llm_call_id, batch_seq: 1, text, lengths, offsets_ms });
  const { prompt_tokens: input_tokens, completion_tokens: output_tokens } = usage;
  await insert(client, 'floor_tokens', { llm_call_id, input_tokens, output_tokens });
  const artifacts = { provider: { finish_reason }, parsed, output_kind: parsed.kind };
  for (const [index, [kind, value]] of Object.entries(artifacts).entries())
    await insert(client, 'floor_artifacts', { llm_call_id, seq: index + 1, kind, value: JSON.stringify(value) });
  if (parsed.kind === 'final_patch') attempt.patches.push({ call_id: id, patch: parsed.patch });
}

/** Makes the turn: patches and their effects, the states that changed, the audit, and the world's new head. */
async function commit(client: Runner, attempt: OpenAttempt): Promise<void> {
  const { id: attempt_id, turn, states, patches, calls } = attempt;
  const place = { slug: 'bench', turn };
  await insert(client, 'floor_turns', { ...place, attempt_id });
  for (const [index, { call_id, patch }] of patches.entries()) {
    const patch_seq = index + 1;
    await insert(client, 'floor_patches', { ...place, patch_seq, call_id, patch: JSON.stringify(patch) });
    for (const [seq, { entity_id, state: state_after }] of patch.effects.entries()) {
      const state_before = states.get(entity_id) ?? null;
      await insert(client, 'floor_effects', { ...place, patch_seq, seq, entity_id, state_before, state_after });
      await insert(client, 'floor_states', { ...place, entity_id, state: state_after });
    }
    const details = JSON.stringify({ patch_seq, touched: patch.effects.map(({ entity_id }) => entity_id) });
    await insert(client, 'floor_audit', { attempt_id, kind: 'patch_applied', call_id, details });
    await insert(client, 'floor_timeline', { attempt_id, kind: 'patch_applied', call_id });
  }
  const details = JSON.stringify({ turn, patches: patches.length });
  await insert(client, 'floor_audit', { attempt_id, kind: 'turn_complete', details });
  await insert(client, 'floor_timeline', { attempt_id, kind: 'turn_committed', call_id: null });
  // Keys begin with the subject; those of once-per-turn calls begin with `turn`.
  const agents = new Set([...calls.keys()].map((key) => key.split('/')[0] ?? '').filter((asker) => asker !== 'turn'));
  for (const agent_id of agents) {
    await insert(client, 'floor_inbox', { id: uuid(), attempt_id, agent_id, epoch: turn, status: 'consumed' });
    await update(client, 'floor_agents', agent_id, { status: 'idle', epoch: turn });
  }
  const ended = { status: 'committed', call_count: calls.size, ended_at: new Date() };
  await update(client, 'floor_attempts', attempt_id, ended);
  await send(client, `UPDATE floor_worlds SET turn = $1, holder = NULL WHERE slug = 'bench'`, [turn]);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Sends a statement that is parsed once: its name is a hash, since PostgreSQL keeps 63 characters of it. */
async function send<Row extends QueryResultRow>(
  runner: Runner,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  return (await runner.query<Row>({ name: hashOf(text).slice(0, 32), text, values: [...values] })).rows;
}

/** Values by column. */
type Columns = Readonly<Record<string, unknown>>;

async function insert(runner: Runner, table: string, columns: Columns): Promise<void> {
  const names = Object.keys(columns);
  const places = names.map((_name, index) => `$${index + 1}`);
  const text = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${places.join(', ')})`;
  await send(runner, text, Object.values(columns));
}

/** Changes the row with an id. */
async function update(runner: Runner, table: string, id: string, columns: Columns): Promise<void> {
  const changes = Object.keys(columns).map((name, index) => `${name} = $${index + 2}`);
  await send(runner, `UPDATE ${table} SET ${changes.join(', ')} WHERE id = $1`, [id, ...Object.values(columns)]);
}

const TABLES = `
  CREATE TABLE floor_worlds (slug text PRIMARY KEY, turn bigint NOT NULL, holder text);
  CREATE TABLE floor_attempts (id uuid PRIMARY KEY, slug text NOT NULL REFERENCES floor_worlds, turn bigint NOT NULL,
    status text NOT NULL, call_count int NOT NULL DEFAULT 0,
    started_at timestamptz NOT NULL DEFAULT now(), ended_at timestamptz);
  CREATE TABLE floor_schemas (hash text PRIMARY KEY, content json NOT NULL);
  CREATE TABLE floor_calls (id uuid PRIMARY KEY, attempt_id uuid NOT NULL REFERENCES floor_attempts,
    slug text NOT NULL REFERENCES floor_worlds, turn bigint NOT NULL, seq int NOT NULL, command_key text NOT NULL,
    parent_id uuid REFERENCES floor_calls, kind text NOT NULL, request_hash text NOT NULL, request json NOT NULL,
    status text NOT NULL, response json, headers json, http_status int,
    started_at timestamptz NOT NULL DEFAULT now(), ended_at timestamptz, UNIQUE (attempt_id, command_key));
  CREATE TABLE floor_llm_calls (id uuid PRIMARY KEY, call_id uuid NOT NULL REFERENCES floor_calls, model text NOT NULL,
    schema_hash text REFERENCES floor_schemas, conversation text NOT NULL, message_count int NOT NULL,
    status text NOT NULL, normalised_text text, output_kind text, finish_reason text);
  CREATE TABLE floor_messages (attempt_id uuid NOT NULL REFERENCES floor_attempts, conversation text NOT NULL,
    position int NOT NULL, role text NOT NULL, content text NOT NULL, PRIMARY KEY (attempt_id, conversation, position));
  CREATE TABLE floor_chunks (llm_call_id uuid NOT NULL REFERENCES floor_llm_calls, batch_seq int NOT NULL,
    text text NOT NULL, lengths int[] NOT NULL, offsets_ms int[] NOT NULL, PRIMARY KEY (llm_call_id, batch_seq));
  CREATE TABLE floor_artifacts (llm_call_id uuid NOT NULL REFERENCES floor_llm_calls, seq int NOT NULL,
    kind text NOT NULL, value json NOT NULL, PRIMARY KEY (llm_call_id, seq));
  CREATE TABLE floor_tokens (llm_call_id uuid PRIMARY KEY REFERENCES floor_llm_calls, input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL);
  CREATE TABLE floor_turns (slug text NOT NULL REFERENCES floor_worlds, turn bigint NOT NULL,
    attempt_id uuid REFERENCES floor_attempts, committed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (slug, turn));
  CREATE TABLE floor_patches (slug text NOT NULL, turn bigint NOT NULL, patch_seq int NOT NULL,
    call_id uuid NOT NULL REFERENCES floor_calls, patch json NOT NULL, PRIMARY KEY (slug, turn, patch_seq),
    FOREIGN KEY (slug, turn) REFERENCES floor_turns);
  CREATE TABLE floor_effects (slug text NOT NULL, turn bigint NOT NULL, patch_seq int NOT NULL, seq int NOT NULL,
    entity_id text NOT NULL, state_before text, state_after text NOT NULL,
    PRIMARY KEY (slug, turn, patch_seq, seq),
    FOREIGN KEY (slug, turn, patch_seq) REFERENCES floor_patches);
  CREATE TABLE floor_states (slug text NOT NULL, entity_id text NOT NULL, turn bigint NOT NULL, state text NOT NULL,
    PRIMARY KEY (slug, entity_id, turn), FOREIGN KEY (slug, turn) REFERENCES floor_turns);
  CREATE TABLE floor_audit (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    attempt_id uuid NOT NULL REFERENCES floor_attempts, kind text NOT NULL, call_id uuid REFERENCES floor_calls,
    details json NOT NULL, occurred_at timestamptz NOT NULL DEFAULT now());
  CREATE TABLE floor_timeline (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    attempt_id uuid NOT NULL REFERENCES floor_attempts, kind text NOT NULL, call_id uuid REFERENCES floor_calls,
    occurred_at timestamptz NOT NULL DEFAULT now());
  CREATE TABLE floor_inbox (id uuid PRIMARY KEY, attempt_id uuid NOT NULL REFERENCES floor_attempts,
    agent_id text NOT NULL, epoch bigint NOT NULL, status text NOT NULL);
  CREATE TABLE floor_agents (id text PRIMARY KEY, status text NOT NULL DEFAULT 'idle', epoch bigint NOT NULL DEFAULT 0);
  INSERT INTO floor_agents (id) VALUES ('bob'), ('ant');
  INSERT INTO floor_worlds (slug, turn) VALUES ('bench', 0);
  INSERT INTO floor_turns (slug, turn) VALUES ('bench', 0);
  INSERT INTO floor_states (slug, entity_id, turn, state)
    SELECT 'bench', entity_id, 0, 'as it was'
    FROM unnest(ARRAY['bob', 'ant', 'plate', 'vending_machine', 'drinking_fountain']) AS row (entity_id);`;
