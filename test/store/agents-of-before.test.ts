import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import type { AgentHeadRecord, AgentTurnRecord, AgentTurnSummary } from '../../engine/core/agents/agent-turn.js';
import { unreachable } from '../../engine/contract/unreachable.js';
import type { RecordReader } from '../../engine/ports/records.js';
import { loadMigrations, migrate } from '../../engine/store/migrations.js';
import { forEachDatabase, MIGRATIONS, type OutsideView } from '../support/databases.js';

const FIRST_WITHOUT = '0019_facts_once';

/**
 * The rows of a database when agent turns had tables of their own, and their projections: three turns of the park, one
 * that failed, and one of the letters that is suspended. Of the last the beginning is that of its attempt: as no
 * reading came before it, the tables had the moment at which its driver looked at its clock.
 */
type Line =
  | { readonly kind: 'row'; readonly table: string; readonly row: JsonObject }
  | { readonly kind: 'agents'; readonly world_slug: string; readonly agents: readonly AgentHeadRecord[] }
  | {
      readonly kind: 'attempt';
      readonly attempt_id: string;
      readonly agent_turns: readonly OfBefore<AgentTurnSummary>[];
    }
  | { readonly kind: 'agent_turn'; readonly agent_turn: OfBefore<AgentTurnRecord> };

/** Until when an agent worked, and a word for how its turn stands, were not shown. */
type OfBefore<Turn extends AgentTurnSummary> = Omit<Turn, 'worked_until' | 'state'>;

const FILE = await readFile(new URL('agents-of-before.jsonl', import.meta.url), 'utf8');
const BEFORE = FILE.trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Line);

/** Writes the rows; the rows that they refer to do not matter here. */
async function writeAsBefore(outside: OutsideView): Promise<void> {
  await outside.query('SET session_replication_role = replica');
  for (const line of BEFORE) {
    if (line.kind !== 'row') continue;
    const { table, row } = line;
    const columns = Object.keys(row).join(', ');
    await outside.query(
      `INSERT INTO ${table} (${columns}) OVERRIDING SYSTEM VALUE
       SELECT ${columns} FROM json_populate_record(NULL::${table}, $1::json)`,
      [JSON.stringify(row)],
    );
  }
  await outside.query('SET session_replication_role = DEFAULT');
}

function ofBefore<Turn extends AgentTurnSummary>({ worked_until, state: _state, ...turn }: Turn): OfBefore<Turn> {
  assert.ok(worked_until === null || worked_until >= turn.began_at);
  return turn;
}

/** As it is printed. */
const shown = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;

async function assertShown(records: RecordReader, line: Line): Promise<void> {
  switch (line.kind) {
    case 'agents':
      return assert.deepEqual(shown(await records.agents(line.world_slug)), line.agents);
    case 'attempt':
      return assert.deepEqual(
        shown((await records.attempt(line.attempt_id))?.agent_turns.map(ofBefore)),
        line.agent_turns,
      );
    case 'agent_turn': {
      const turn = await records.agentTurn(line.agent_turn.agent_turn_id);
      return assert.deepEqual(shown(turn && ofBefore(turn)), line.agent_turn);
    }
    case 'row':
      return;
    default:
      return unreachable(line);
  }
}

forEachDatabase('agent turns that were written into tables of their own', (open) => {
  test('agent turns that were written into tables of their own are shown as they were, of turns that ended and of one that is suspended', async () => {
    const { database, outside, store } = await open();
    const migrations = await loadMigrations(MIGRATIONS);
    await outside.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    const earlier = migrations.filter(({ name }) => name < FIRST_WITHOUT);
    assert.ok((await migrate(database, earlier)).ok);
    await writeAsBefore(outside);
    assert.ok((await migrate(database, migrations)).ok);

    const [table] = await outside.query("SELECT FROM pg_tables WHERE tablename IN ('agent_turns', 'cards', 'boxes')");
    assert.equal(table, undefined);
    const outcomes = BEFORE.map((line) => (line.kind === 'agent_turn' ? line.agent_turn.outcome : undefined));
    for (const outcome of ['success', 'failed', null] as const) assert.ok(outcomes.includes(outcome), `${outcome}`);
    for (const line of BEFORE) await assertShown(store.records, line);
  });
});
