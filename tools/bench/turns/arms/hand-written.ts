import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { v7 as uuid } from 'uuid';
import type { JsonObject } from '../../../../engine/contract/json.js';
import type { Connections, OpenDatabase } from '../../../../engine/store/database.js';
import { openInFolder } from '../../../../engine/store/embedded.js';
import { openServer } from '../../../../engine/store/server.js';
import type { CapturedCall } from '../../stage.js';
import { must } from '../../../must.js';
import { ROOT } from '../../worlds.js';
import type { OpenArm } from '../arm.js';
import type { BareAnswer } from '../bare-turn.js';

// The record that a careful engineer writes by hand: the same facts of a turn as this program, by plain statements before and
// after each call and a transaction at the end, in plain tables with primary and foreign keys and no other indexes than those.

const TEMPLATE = join(ROOT, 'dist/template.tar.gz');

type Database = Pick<OpenDatabase, 'query' | 'pool'>;
/** Runs a statement: a database, or the connection of a transaction. */
type Runner = Pick<OpenDatabase, 'query'>;

/** On a server, or in a folder with a new embedded database. */
export const open: OpenArm = async (place, clients) => {
  const opened = place.startsWith('postgres') ? openServer(place) : openInFolder(place, TEMPLATE);
  const database = must(await opened);
  await database.query(TABLES);
  return {
    turn: async (calls) => {
      const { attempt, states } = await begin(database);
      const patches: SaidPatch[] = [];
      await clients.turn(calls, async (call, ask) => {
        const begun = await recordStart(database, attempt, call);
        const answer = await ask();
        await recordEnd(database, begun, answer);
        if (call.to === 'model') patches.push(...findPatch(begun.id, answer.text));
        return answer;
      });
      await inOne(database.pool, (client) => commit(client, attempt, { patches, states }));
    },
    close: () => database.close(),
  };
};

interface SaidPatch {
  readonly call_id: string;
  readonly patch: {
    readonly narration: string;
    readonly effects: readonly { readonly op: string; readonly entity_id: string; readonly state: string }[];
  };
}

type States = Map<string, string>;

/** Claims the world, begins an attempt and reads the world. */
async function begin(database: Database): Promise<{ readonly attempt: OpenAttempt; readonly states: States }> {
  const id = uuid();
  return inOne(database.pool, async (client) => {
    const lock = { name: 'lock', text: `SELECT turn FROM floor_worlds WHERE slug = 'bench' FOR UPDATE` };
    const { rows } = await client.query<{ turn: number }>(lock);
    const turn = Number(rows[0]?.turn) + 1;
    await insert(client, 'floor_attempts', { id, slug: 'bench', turn, status: 'running' });
    await client.query({
      name: 'hold',
      text: `UPDATE floor_worlds SET holder = $1 WHERE slug = 'bench'`,
      values: [id],
    });
    const read = await client.query<{ entity_id: string; state: string }>({
      name: 'read states',
      text: `SELECT DISTINCT ON (entity_id) entity_id, state FROM floor_states WHERE slug = 'bench'
             ORDER BY entity_id, turn DESC`,
    });
    await insert(client, 'floor_timeline', { attempt_id: id, kind: 'attempt_began', call_id: null });
    const states = new Map(read.rows.map(({ entity_id, state }) => [entity_id, state]));
    return { attempt: { id, turn, calls: new Map(), conversations: new Map() }, states };
  });
}

function findPatch(call_id: string, text: string): readonly SaidPatch[] {
  const said = JSON.parse(text) as { readonly kind: string; readonly patch: SaidPatch['patch'] };
  return said.kind === 'final_patch' ? [{ call_id, patch: said.patch }] : [];
}

interface ToCommit {
  readonly patches: readonly SaidPatch[];
  readonly states: States;
}

/** Makes the turn: patches and their effects, the states that changed, the audit, and the world's new head. */
async function commit(client: Runner, attempt: OpenAttempt, { patches, states }: ToCommit): Promise<void> {
  const { id: attempt_id, turn } = attempt;
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
  for (const agent_id of agentsOf(attempt)) {
    await insert(client, 'floor_inbox', { id: uuid(), attempt_id, agent_id, epoch: turn, status: 'consumed' });
    await update(client, 'floor_agents', agent_id, { status: 'idle', epoch: turn });
  }
  const ended = { status: 'committed', call_count: attempt.calls.size, ended_at: new Date() };
  await update(client, 'floor_attempts', attempt_id, ended);
  const advance = `UPDATE floor_worlds SET turn = $1, holder = NULL WHERE slug = 'bench'`;
  await client.query({ name: 'advance', text: advance, values: [turn] });
}

/** Keys begin with the subject; those of once-per-turn calls begin with `turn`. */
function agentsOf({ calls }: OpenAttempt): ReadonlySet<string> {
  const askers = [...calls.keys()].map((key) => key.split('/')[0] ?? '');
  return new Set(askers.filter((asker) => asker !== 'turn'));
}

/** An attempt while it is recorded. */
interface OpenAttempt {
  readonly id: string;
  readonly turn: number;
  /** Issued calls, by key. */
  readonly calls: Map<string, string>;
  /** How many messages of each conversation are recorded. */
  readonly conversations: Map<string, number>;
}

/** A call that was recorded as begun. */
interface BegunCall {
  readonly id: string;
  readonly key: string;
  readonly llm_call_id: string | undefined;
}

interface ChatBody {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly response_format?: JsonObject;
}

const offered = new Set<string>();

/** Records a call before it is made: the call, and of a generation its prompt. */
async function recordStart(database: Database, attempt: OpenAttempt, call: CapturedCall): Promise<BegunCall> {
  const id = uuid();
  const key = call.client_request_id.split('/').slice(2).join('/');
  const parent = attempt.calls.get(key.replace(/\/tool$/, '')) ?? null;
  attempt.calls.set(key, id);
  const row = {
    id,
    attempt_id: attempt.id,
    slug: 'bench',
    turn: attempt.turn,
    seq: attempt.calls.size,
    command_key: key,
    parent_id: parent,
    kind: call.to,
    request_hash: hashOf(JSON.stringify(call.body)),
    status: 'running',
  };
  if (call.to === 'toy') {
    await insert(database, 'floor_calls', { ...row, request: JSON.stringify(call.body) });
    return { id, key, llm_call_id: undefined };
  }
  const llm_call_id = uuid();
  const body = call.body as unknown as ChatBody;
  const { messages: _messages, response_format: _schema, ...settings } = body;
  await inOne(database.pool, async (client) => {
    await insert(client, 'floor_calls', { ...row, request: JSON.stringify(settings) });
    await recordSaid(client, attempt, { key, llm_call_id, call_id: id, body });
  });
  return { id, key, llm_call_id };
}

interface Said {
  readonly key: string;
  readonly llm_call_id: string;
  readonly call_id: string;
  readonly body: ChatBody;
}

/** Messages that earlier rounds have recorded are not recorded again, nor is a schema. */
async function recordSaid(client: Runner, attempt: OpenAttempt, said: Said): Promise<void> {
  const { model, messages, response_format } = said.body;
  const conversation = said.key.split('/').slice(0, 2).join('/');
  const schema = JSON.stringify(response_format ?? null);
  const schema_hash = hashOf(schema);
  if (!offered.has(schema_hash)) await insert(client, 'floor_schemas', { hash: schema_hash, content: schema });
  offered.add(schema_hash);
  const recorded = attempt.conversations.get(conversation) ?? 0;
  for (const [index, { role, content }] of messages.entries()) {
    if (index < recorded) continue;
    const place = { attempt_id: attempt.id, conversation, position: index + 1 };
    await insert(client, 'floor_messages', { ...place, role, content });
  }
  attempt.conversations.set(conversation, messages.length);
  const { llm_call_id: id, call_id } = said;
  const row = { id, call_id, model, schema_hash, conversation, message_count: messages.length, status: 'running' };
  await insert(client, 'floor_llm_calls', row);
}

/** Records the end of a call: the answer, and of a generation its stream, its tokens and its verdict. */
async function recordEnd(database: Database, call: BegunCall, answer: BareAnswer): Promise<void> {
  const { id, llm_call_id } = call;
  const ended = {
    status: 'succeeded',
    headers: JSON.stringify(answer.headers),
    http_status: answer.status,
    ended_at: new Date(),
    ...(llm_call_id === undefined ? { response: answer.text } : {}),
  };
  await inOne(database.pool, async (client) => {
    await update(client, 'floor_calls', id, ended);
    if (llm_call_id !== undefined) await recordGeneration(client, llm_call_id, answer);
  });
}

async function recordGeneration(client: Runner, llm_call_id: string, answer: BareAnswer): Promise<void> {
  const { text, pieces, usage, finish_reason } = answer;
  const parsed = JSON.parse(text) as { readonly kind: string };
  await update(client, 'floor_llm_calls', llm_call_id, {
    status: 'succeeded',
    normalised_text: text.trim(),
    output_kind: parsed.kind,
    finish_reason,
  });
  await insert(client, 'floor_chunks', {
    llm_call_id,
    batch_seq: 1,
    text,
    lengths: pieces.map((piece) => Buffer.byteLength(piece.text)),
    offsets_ms: pieces.map((piece) => Math.round(piece.offset_ms)),
  });
  const { prompt_tokens: input_tokens, completion_tokens: output_tokens } = usage;
  await insert(client, 'floor_tokens', { llm_call_id, input_tokens, output_tokens });
  const artifacts = { provider: { finish_reason }, parsed, output_kind: parsed.kind };
  for (const [index, [kind, value]] of Object.entries(artifacts).entries())
    await insert(client, 'floor_artifacts', { llm_call_id, seq: index + 1, kind, value: JSON.stringify(value) });
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Values by column. */
type Columns = Readonly<Record<string, unknown>>;

/** Inserts one row, by a statement that is parsed once. */
async function insert(runner: Runner, table: string, columns: Columns): Promise<void> {
  const names = Object.keys(columns);
  const places = names.map((_name, index) => `$${index + 1}`);
  const text = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${places.join(', ')})`;
  await runner.query({ name: toName(text), text, values: Object.values(columns) });
}

/** Changes the row with an id, by a statement that is parsed once. */
async function update(runner: Runner, table: string, id: string, columns: Columns): Promise<void> {
  const changes = Object.keys(columns).map((name, index) => `${name} = $${index + 2}`);
  const text = `UPDATE ${table} SET ${changes.join(', ')} WHERE id = $1`;
  await runner.query({ name: toName(text), text, values: [id, ...Object.values(columns)] });
}

/** PostgreSQL keeps 63 characters of a statement's name, so a hash keeps long names distinct. */
function toName(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Runs work in one transaction, which a throw ends with its connection. */
async function inOne<Value>(pool: Connections, work: (client: Runner) => Promise<Value>): Promise<Value> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const value = await work(client);
    await client.query('COMMIT');
    client.release();
    return value;
  } catch (error) {
    client.release(true);
    throw error;
  }
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
