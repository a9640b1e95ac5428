import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import pg from 'pg';
import { compose } from '../../engine/main.js';
import { putScenario } from '../../engine/operations/authoring/author.js';
import { runTurns } from '../../engine/operations/running/run-turns.js';
import { queueTurns, runWorker } from '../../engine/operations/running/run-worker.js';
import { createWorld } from '../../engine/operations/worlds/worlds.js';
import { scriptPath, startScriptedModel } from '../../fixtures/toys/scripted-model/index.js';
import { startToys } from '../../fixtures/toys/index.js';
import type { Answers } from '../../engine/generated/answers.js';
import { openTestDatabase } from '../support/databases.js';
import { must, ROOT } from '../support/park-stage.js';
import { waitUntil } from '../support/wait-until.js';

// The owner migrates a real PostgreSQL and grants what docs/operating.md says; then a park is run by the other role.

const ROLE = `runner_${process.pid}`;

/** The statements that the page tells the owner to run, for a role of this test's own. */
async function readGrants(): Promise<string> {
  const page = await readFile(`${ROOT}docs/operating.md`, 'utf8');
  const [, block] = /```sql\n(CREATE ROLE chukwa_runner[\s\S]*?)```/.exec(page) ?? [];
  assert.ok(block);
  return block.replaceAll('chukwa_runner', ROLE);
}

const ATTACKS = [
  `UPDATE entity_states SET state = 'rich'`,
  `UPDATE turns SET simulation_time = now()`,
  `UPDATE audit_entries SET details = '{}'`,
  `UPDATE components SET hash = hash`,
  `UPDATE attempts SET failure_message = NULL WHERE ended_at IS NOT NULL`,
  `UPDATE source_invocations SET response_json = '{}' WHERE ended_at IS NOT NULL`,
  `UPDATE worlds SET turn = 0`,
  `DELETE FROM worlds`,
  `DELETE FROM llm_chunks`,
  `SET chukwa.deletes_world = on; DELETE FROM llm_chunks`,
  `TRUNCATE attempts CASCADE`,
  `DROP TABLE worlds CASCADE`,
  `ALTER TABLE attempts DISABLE TRIGGER row_is_sound`,
  `SET session_replication_role = replica`,
  `INSERT INTO schema_migrations VALUES ('9999_mine', 'none')`,
  `CREATE OR REPLACE FUNCTION refuse_rewriting() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'`,
];

const OTHER_HASH = '0'.repeat(64);

/** Rows under the hash of content that comes later. */
const FORGERIES: readonly (readonly [string, readonly unknown[]])[] = [
  ...['tool_policies', 'scenarios', 'response_sources', 'json_schemas'].map(
    (table) => [`INSERT INTO ${table} (hash, content) VALUES ($1, '{"allow":["*"]}')`, [OTHER_HASH]] as const,
  ),
  [`INSERT INTO cognition_workflows (hash, content) VALUES ($1, '{}')`, [OTHER_HASH]],
  [`INSERT INTO prompt_texts (hash, content) VALUES ($1, '{}')`, [OTHER_HASH]],
  [`INSERT INTO offered_schemas (hash, name, content) VALUES ($1, 'any', '{}')`, [OTHER_HASH]],
  [`INSERT INTO llm_segments (segment_hash, text) VALUES ($1, 'forged')`, [OTHER_HASH]],
  [
    `INSERT INTO llm_messages (message_hash, role, content_hash, origins, texts, segment_hashes)
     VALUES ($1, 'user', $1, '{author}', '{forged}', '{NULL}')`,
    [OTHER_HASH],
  ],
];

test('a role with the documented rights runs and queues turns of the park, and falsifies nothing', async () => {
  const { outside, url = '', close } = await openTestDatabase('PostgreSQL');
  const as_runner = new URL(url);
  as_runner.username = ROLE;
  const script = JSON.parse(await readFile(scriptPath(ROOT, 'park'), 'utf8')) as Answers;
  const [toys, model] = await Promise.all([startToys(), startScriptedModel(script)]);
  try {
    await outside.query(await readGrants());
    const composition = await compose({
      ...toys.variables,
      CHUKWA_DATABASE_URL: as_runner.href,
      CHUKWA_LLM_BASE_URL: model.url,
      CHUKWA_LLM_API_KEY: 'loopback-needs-no-key',
      CHUKWA_BUDGET_TOKENS: '1000000',
    });
    const engine = must(await composition.openEngine());
    const place = { working_folder: `${ROOT}workflows`, root: `${ROOT}workflows` };
    const scenario_hash = must(await putScenario(engine, `${ROOT}workflows/park/scenario.json`, place));
    const world_slug = 'park';
    must(await createWorld(engine, { world_slug, scenario_hash }));
    const stop = new AbortController();
    const { turns } = must(await runTurns(engine, { world_slug, turns: 1, signal: stop.signal, onProgress: () => {} }));
    assert.deepEqual(
      turns.map(({ status }) => status),
      ['committed'],
    );
    must(await queueTurns(engine, { world_slug, turns: 2 }));
    const settings = { concurrency: 2, grace_ms: 1000, lease_ms: 10_000 };
    const silent = { onEvent: () => {}, onReady: () => {} };
    const working = runWorker(engine, { ...settings, ...silent, signal: stop.signal });
    await waitUntil(async () => (await engine.store.worlds.find(world_slug))?.turn === 3);
    stop.abort();
    must(await working);
    await engine.close();
    const attacker = new pg.Client({ connectionString: as_runner.href });
    await attacker.connect();
    for (const attack of ATTACKS) await assert.rejects(attacker.query(attack), { code: /^(42501|23000)$/ }, attack);
    await attacker.end();

    // Where PUBLIC may create in the schema, as PostgreSQL 14 lets it: an operator of one's own, and a search path to it.
    const planted = new pg.Client({ connectionString: as_runner.href });
    await outside.query(`CREATE SCHEMA planted AUTHORIZATION ${ROLE}`);
    await planted.connect();
    await planted.query(`
      INSERT INTO operator_actions (world_slug, action_id, action, acted_by, surface, details, acted_at, accepted, outcome)
      VALUES ('park', gen_random_uuid(), 'run_turns', 'ann', 'http', '{}', now(), true, 'done');
      SET search_path = planted, pg_catalog, public;
      CREATE FUNCTION never(bigint, bigint) RETURNS boolean LANGUAGE sql AS 'SELECT false';
      CREATE FUNCTION always(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT true';
      CREATE OPERATOR <> (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = never);
      CREATE OPERATOR = (LEFTARG = text, RIGHTARG = text, FUNCTION = always)`);
    for (const attack of [`UPDATE worlds SET turn = 0`, `UPDATE operator_actions SET outcome = 'none'`])
      await assert.rejects(planted.query(attack), { code: '23000' }, attack);
    await planted.query('SET search_path = public');
    for (const [attack, values] of FORGERIES)
      await assert.rejects(planted.query(attack, [...values]), { code: '23514' }, attack);
    await planted.end();
  } finally {
    await Promise.all([toys.close(), model.close()]);
    await outside.query(`DROP OWNED BY ${ROLE}; DROP ROLE ${ROLE}`);
    await close();
  }
});
