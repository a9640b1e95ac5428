import { v7 as uuid } from 'uuid';
import type { OpenDatabase } from '../../../../engine/store/database.js';
import type { CapturedCall } from '../../stage/captured-call.js';
import type { BareClients } from '../bare-turn.js';
import { inOne, insert, type Runner, update } from './plain-sql.js';
import { type OpenAttempt, recordEnd, recordStart } from './record-call.js';
import { TABLES } from './tables.js';

/** Where it is written. */
type FloorDatabase = Pick<OpenDatabase, 'query' | 'pool'>;

/** A turn written by hand. */
interface HandWritten {
  turn(calls: readonly CapturedCall[]): Promise<void>;
}

interface SaidPatch {
  readonly call_id: string;
  readonly patch: {
    readonly narration: string;
    readonly effects: readonly { readonly op: string; readonly entity_id: string; readonly state: string }[];
  };
}

type States = Map<string, string>;

/** Makes the tables in a database that has none of them. */
export async function openHandWritten(database: FloorDatabase, clients: BareClients): Promise<HandWritten> {
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
  };
}

/** Claims the world, begins an attempt and reads the world. */
async function begin(database: FloorDatabase): Promise<{ readonly attempt: OpenAttempt; readonly states: States }> {
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
