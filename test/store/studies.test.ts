import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { SealedWorld } from '../../engine/ports/studies.js';
import { forEachDatabase, MIGRATIONS } from '../support/databases.js';
import { DOCUMENTS, makeWorld } from './record-fixtures.js';

const HASH = 'a'.repeat(64);

const worldOf = (world_slug: string, more: Partial<SealedWorld> = {}): SealedWorld => ({
  world_slug,
  seed: 1,
  condition: 'calm',
  probe: null,
  scenario_hash: DOCUMENTS.scenario.hash,
  parent: null,
  until_turn: 3,
  roster: ['bob', 'zoe'],
  ...more,
});

const studyOf = (study_label: string, worlds: readonly SealedWorld[], limits = {}) => ({
  study_label,
  study_hash: HASH,
  document: { label: study_label, question: 'Why?' },
  probes: {},
  answered_by: 'models (gpt-4.1-mini)',
  worlds,
  limits,
  sealed_at: 0,
});

forEachDatabase('a study', (open) => {
  test('is sealed once with its worlds, is found sealed again, and is refused with another hash', async () => {
    const { store } = await open();
    await makeWorld(store, 'lived');
    const shared = worldOf('one-shared', { condition: null, until_turn: 2 });
    const run = worldOf('one-run', { parent: { world_slug: 'one-shared', turn: 2 } });
    const probe = worldOf('one-probe', { probe: './ask.json', parent: { world_slug: 'one-run', turn: 3 } });
    const study = studyOf('one', [shared, run, probe]);
    assert.equal((await store.studies.seal(study)).kind, 'sealed');
    assert.deepEqual(
      await store.studies.worlds('one'),
      [shared, run, probe].map((world) => ({ ...world, turn: null })),
    );
    assert.equal((await store.studies.seal({ ...study, worlds: [], sealed_at: 5_000 })).kind, 'known');
    assert.equal((await store.studies.find('one'))?.sealed_at, '1970-01-01T00:00:00.000Z');
    const changed = await store.studies.seal({ ...study, study_hash: 'b'.repeat(64) });
    assert.equal(changed.kind === 'changed' && changed.study.study_hash, HASH);
    const other = await store.studies.seal({ ...study, answered_by: 'workers' });
    assert.equal(other.kind === 'changed' && other.study.answered_by, 'models (gpt-4.1-mini)');
    assert.deepEqual(
      (await store.studies.list({ limit: 5 })).map(({ study_label, question, runs, runs_done }) => [
        study_label,
        question,
        runs,
        runs_done,
      ]),
      [['one', 'Why?', 1, 0]],
    );
  });

  test('takes no world that is there already, or that is of another study, and then writes nothing', async () => {
    const { store } = await open();
    await makeWorld(store, 'mine');
    const refused = await store.studies.seal(studyOf('two', [worldOf('two-a'), worldOf('mine')]));
    assert.deepEqual(refused, { kind: 'taken', world_slugs: ['mine'] });
    assert.equal(await store.studies.find('two'), undefined);
    await store.studies.seal(studyOf('three', [worldOf('three-a')]));
    const other = await store.studies.seal(studyOf('four', [worldOf('three-a')]));
    assert.deepEqual(other, { kind: 'taken', world_slugs: ['three-a'] });
  });

  test('is sealed by one of two that do so at once', async () => {
    const { store, anotherStore } = await open();
    const other = await anotherStore();
    await makeWorld(store, 'before');
    const study = studyOf('both', [worldOf('both-a'), worldOf('both-b')]);
    const ends = await Promise.all([store.studies.seal(study), other.studies.seal(study)]);
    assert.deepEqual(ends.map(({ kind }) => kind).toSorted(), ['known', 'sealed']);
    assert.equal((await store.studies.worlds('both')).length, 2);
  });

  test('has a budget that its worlds find, that may be raised, and that other worlds do not have', async () => {
    const { store } = await open();
    await makeWorld(store, 'free');
    const study = studyOf('dear', [worldOf('dear-a')], { tokens: 100, money: 5 });
    await store.studies.seal(study);
    assert.deepEqual(await store.studies.budgetOf('dear-a'), {
      study_label: 'dear',
      limits: { tokens: 100, money: 5 },
    });
    await store.studies.seal({ ...study, limits: { tokens: 200 } });
    assert.deepEqual(await store.studies.budgetOf('dear-a'), { study_label: 'dear', limits: { tokens: 200 } });
    await store.studies.seal({ ...study, limits: {} });
    assert.equal(await store.studies.budgetOf('dear-a'), undefined);
    assert.equal(await store.studies.budgetOf('free'), undefined);
  });

  test('does not change and does not go, and nor do its worlds', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'kept');
    await store.studies.seal(studyOf('kept', [worldOf('kept-a')]));
    for (const attack of [
      `UPDATE studies SET study_hash = '${HASH}'`,
      'DELETE FROM studies',
      'UPDATE study_worlds SET seed = 2',
      'DELETE FROM study_worlds',
    ])
      await assert.rejects(outside.query(attack), { code: '23000' }, attack);
  });

  test('which an earlier version has sealed goes on with any model', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'old');
    const study = studyOf('old', [worldOf('old-a')]);
    await store.studies.seal(study);
    await outside.query('ALTER TABLE studies DROP COLUMN answered_by');
    const migration = await readFile(join(MIGRATIONS, '0063_answerers_of_studies.sql'), 'utf8');
    for (const statement of migration.split(/(?<=;)\n/)) await outside.query(statement);
    assert.equal((await store.studies.find('old'))?.answered_by, 'unknown');
    assert.equal((await store.studies.seal({ ...study, answered_by: 'workers' })).kind, 'known');
    assert.equal((await store.studies.seal({ ...study, study_hash: 'b'.repeat(64) })).kind, 'changed');
    await assert.rejects(outside.query(`INSERT INTO studies VALUES ('new', '${HASH}', '{}', '{}', now())`));
  });
});
