import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { loadMigrations } from '../../engine/store/migrations.js';
import { importWorlds } from '../../engine/store/transfer/import-worlds.js';
import { sha256 } from '../../engine/core/content/sha256.js';
import { forEachDatabase } from '../support/databases.js';
import { ROOT } from '../support/park-stage.js';
import { readAll } from './read-all.js';

// A world that an earlier version has exported, at the migration before the last that it knew.
const EARLIER = `${ROOT}test/store/world-of-before.jsonl`;
const readEarlier = async function* () {
  yield* (await readFile(EARLIER, 'utf8')).trimEnd().split('\n');
};

forEachDatabase('an export of an earlier version', (open) => {
  test('is carried forward by the later migrations, once, and leaves nothing else behind', async () => {
    const { store, outside, database } = await open();
    const migrations = await loadMigrations(`${ROOT}migrations`);
    const imported = await importWorlds(database, readEarlier(), migrations);
    assert.equal(imported.kind, 'imported', JSON.stringify(imported));
    assert.ok((await store.worlds.snapshot('ek'))?.entities.length);
    assert.deepEqual((await store.worlds.scenarios('ek')).length, 1);
    assert.ok((await store.records.attempts('ek')).every(({ status }) => status === 'failed'));
    await readAll(store, 'ek');
    assert.equal((await importWorlds(database, readEarlier(), migrations)).kind, 'world_exists');
    const schemas = await outside.query(`SELECT FROM pg_namespace WHERE nspname LIKE 'chukwa%'`);
    assert.equal(schemas.length, 0);
    const lines: string[] = [];
    await store.transfer.export(['ek'], async (line) => void lines.push(line));
    await store.worlds.delete('ek');
    const again = async function* () {
      yield* lines;
    };
    assert.equal((await importWorlds(database, again(), migrations)).kind, 'imported');
  });

  test('of a migration that this version does not know is refused, with which of both is later', async () => {
    const { database } = await open();
    const migrations = await loadMigrations(`${ROOT}migrations`);
    for (const [found, is_later] of [
      ['9999_of_tomorrow', true],
      ['0000_of_yesterday', false],
    ] as const) {
      const head = JSON.stringify({ format: 'chukwa worlds', version: 1, migration: found, worlds: ['ek'] });
      const lines = async function* () {
        yield head;
        yield JSON.stringify({ rows: 0, sha256: sha256(`${head}\n`) });
      };
      const imported = await importWorlds(database, lines(), migrations);
      assert.deepEqual(imported, { kind: 'other_version', found, expected: migrations.at(-1)?.name, is_later });
    }
  });
});
