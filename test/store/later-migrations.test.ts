import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha256 } from '../../engine/core/content/sha256.js';
import { loadMigrations, migrate, type Migration } from '../../engine/store/migrations.js';
import { importWorlds } from '../../engine/store/transfer/import-worlds.js';
import { forEachDatabase, MIGRATIONS, type OutsideView } from '../support/databases.js';
import { begin, failing, makeWorld, playTurn } from './record-fixtures.js';

const toMigration = (name: string, text: string): Migration => ({ name, text, digest: sha256(text) });

/** Does what migrations do: rows that are final get a new column, a closed list a new value, and there is a new table. */
const LATER = toMigration(
  '9998_counted_patches',
  `ALTER TYPE action_surface ADD VALUE 'telephone';
   ALTER TABLE turns DISABLE TRIGGER append_only;
   ALTER TABLE turns ADD COLUMN patches natural_int NOT NULL DEFAULT 0;
   UPDATE turns SET patches = (
     SELECT count(*) FROM world_patches
     WHERE world_patches.world_slug = turns.world_slug AND world_patches.turn = turns.turn);
   ALTER TABLE turns ENABLE TRIGGER append_only;
   CREATE TABLE paintings (world_slug human_id_text PRIMARY KEY REFERENCES worlds DEFERRABLE);`,
);
const BASELINE = await loadMigrations(MIGRATIONS);
const MIGRATED = [...BASELINE, LATER];

async function countPatches(outside: OutsideView): Promise<readonly number[]> {
  const rows = await outside.query<{ patches: number }>('SELECT patches::int AS patches FROM turns ORDER BY turn');
  return rows.map(({ patches }) => patches);
}

const toStream = async function* (lines: readonly string[]) {
  yield* lines;
};

/** An export whose head names another migration. */
/** An export of before the baseline, with what its rows lacked. */
function exportedBeforeBaseline(lines: readonly string[]): readonly string[] {
  const without = (line: string): string => line.replace(/"(request_mark|surface)":"[^"]*",?/g, '').replace(/,}/, '}');
  const known = lines.filter((line) => !line.startsWith('{"table":"seals"'));
  return exportedAt([...known.slice(0, -1).map(without), ''], '0030_streams_end_with_their_call');
}

function exportedAt(lines: readonly string[], migration: string): readonly string[] {
  const kept = lines.slice(0, -1).map((line) => line.replace(/"migration":"[^"]*"/, `"migration":"${migration}"`));
  return [...kept, JSON.stringify({ rows: kept.length - 1, sha256: sha256(kept.map((line) => `${line}\n`).join('')) })];
}

forEachDatabase('a later migration', (open) => {
  let exported: readonly string[] = [];

  test('a later migration runs over a lived database, once: what was played is shown as before, and turns go on', async () => {
    const { database, outside, store } = await open();
    await makeWorld(store, 'lived');
    await playTurn(store, 'lived', { before: 'rested', after: 'tired' });
    const { lease } = await begin(store, 'lived');
    await store.attempts.fail(lease, failing());
    const lines: string[] = [];
    await store.transfer.export(['lived'], async (line) => void lines.push(line));
    exported = lines;
    const read = async () => {
      const attempts = await store.records.attempts('lived');
      const records = await Promise.all(attempts.map(({ attempt_id }) => store.records.attempt(attempt_id)));
      return [attempts, records, await store.worlds.snapshot('lived', 1), await store.records.agents('lived')];
    };
    const before = await read();

    assert.deepEqual(await migrate(database, MIGRATED), { ok: true, value: [LATER.name] });
    assert.deepEqual(await migrate(database, MIGRATED), { ok: true, value: [] });
    assert.deepEqual(await read(), before);
    assert.deepEqual(await countPatches(outside), [0, 1]);
    await assert.rejects(outside.query('UPDATE turns SET patches = 9'), { code: '23000' });
    await playTurn(store, 'lived', { before: 'tired', after: 'asleep' });
    assert.equal((await store.worlds.find('lived'))?.turn, 2);
  });

  test('after a later migration, programs without it, with another text of it or with one before it change nothing', async () => {
    const { database } = await open();
    const between = toMigration('9997_between', 'CREATE TABLE never_made (id int)');
    for (const [known, code, named] of [
      [BASELINE, 'DATABASE_TOO_NEW', LATER.name],
      [[...BASELINE, toMigration(LATER.name, 'SELECT 1')], 'DATABASE_MIGRATION_CHANGED', LATER.name],
      [[...BASELINE, between, LATER], 'DATABASE_MIGRATION_MISSED', between.name],
    ] as const) {
      const refused = await migrate(database, known);
      const problems = refused.ok ? [] : refused.problems.map(({ code, details }) => [code, details]);
      assert.deepEqual(problems, [[code, { migration: named }]]);
    }
  });

  test('a world that was exported before a later migration is carried forward by it, once, and leaves nothing else behind', async () => {
    const { database, outside, store } = await open();
    await store.worlds.delete('lived');
    const importExported = () => importWorlds(database, toStream(exported), MIGRATED, () => undefined);
    assert.equal((await importExported()).kind, 'imported');
    assert.deepEqual(await countPatches(outside), [0, 1]);
    assert.deepEqual(
      (await store.records.attempts('lived')).map(({ status }) => status),
      ['committed', 'failed'],
    );
    assert.equal((await importExported()).kind, 'world_exists');
    assert.equal((await outside.query(`SELECT FROM pg_namespace WHERE nspname LIKE 'chukwa%'`)).length, 0);
    const lines: string[] = [];
    await store.transfer.export(['lived'], async (line) => void lines.push(line));
    for (const file of [lines, exportedBeforeBaseline(exported)]) {
      await store.worlds.delete('lived');
      assert.equal((await importWorlds(database, toStream(file), MIGRATED, () => undefined)).kind, 'imported');
    }
  });

  test('a world that was exported at a migration that this version does not know is refused, with which of both is later', async () => {
    const { database } = await open();
    for (const [found, is_later] of [
      ['9999_of_tomorrow', true],
      ['0000_of_yesterday', false],
    ] as const) {
      const imported = await importWorlds(database, toStream(exportedAt(exported, found)), MIGRATED, () => undefined);
      assert.deepEqual(imported, { kind: 'other_version', found, expected: LATER.name, is_later });
    }
  });

  test('a database of before the baseline is refused with the way that its worlds can take', async () => {
    const { database, outside } = await open();
    await outside.query('DELETE FROM schema_migrations');
    for (const name of ['0001_foundation', '0036_search_in_every_script'])
      await outside.query(`INSERT INTO schema_migrations (name, digest) VALUES ('${name}', 'of before')`);
    const refused = await migrate(database, BASELINE);
    const [problem] = refused.ok ? [] : refused.problems;
    assert.deepEqual([problem?.code, problem?.details], ['DATABASE_MIGRATION_MISSED', { migration: '0001_baseline' }]);
    assert.match(problem?.repair ?? '', /^Export its worlds .* import them .* new database/);
  });
});
