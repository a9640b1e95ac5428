import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { invocationList, llmCallList } from '../../engine/catalogue/resources/calls.js';
import { worldAttempts } from '../../engine/catalogue/resources/worlds.js';
import type { Asked } from '../../engine/catalogue/resource.js';
import { misbehave } from '../support/faults.js';
import { loadScript, must, sharedStage } from '../support/park-stage.js';

describe('lists of calls', () => {
  const open = sharedStage('PostgreSQL');

  test('show those of a state, a world, a source or a failure alone, and count each state', async () => {
    const { engine, ...stage } = await open();
    const park = (await stage.play({ scenario: 'park', turns: 1 })).world_slug;
    misbehave(stage.toys.vending, 'reset_connection');
    const { world_slug: failing } = await stage.play({ scenario: 'tools' });
    misbehave(stage.toys.vending);
    const asked = (query: Asked['query']): Asked => ({
      parameters: {} as Asked['parameters'],
      query,
      reader: 'operator',
    });
    const list = async (query: Asked['query']) => must(await invocationList.read(engine, asked(query)));

    const all = await list({});
    const total = all.states.reduce((sum, { count }) => sum + count, 0);
    assert.equal(total, all.rows.length);
    const failed = await list({ state: 'failed' });
    assert.deepEqual(
      failed.rows.map(({ world_slug, status, failure_class }) => [world_slug, status, failure_class]),
      [[failing, 'failed', 'transport']],
    );
    assert.equal(failed.states.find(({ status }) => status === 'failed')?.count, 1);
    assert.deepEqual((await list({ failure: 'transport' })).rows, failed.rows);
    assert.ok((await list({ world: park })).rows.every(({ world_slug }) => world_slug === park));
    assert.deepEqual((await list({ world: park, state: 'failed' })).rows, []);
    assert.deepEqual((await list({ state: 'no such state' })).rows, []);
    const bobs = (await list({ world: park, subject: 'bob' })).rows;
    assert.ok(bobs.length > 0 && bobs.every(({ workflow_subject_entity_id: subject }) => subject === 'bob'));
    const generations = must(await llmCallList.read(engine, asked({ world: park })));
    assert.ok(generations.rows.length > 0);
    assert.equal(
      generations.states.reduce((sum, { count }) => sum + count, 0),
      generations.rows.length,
    );
  });

  test('of attempts show those of a state, a turn or a failure alone, and count each state', async () => {
    const { engine, ...stage } = await open();
    const script = await loadScript('park');
    const silent = {
      ...script,
      turns: { ...script.turns, '1': { ...script.turns['1'], 'ant/act/round-1/try-1': { status: 500 } } },
    };
    const { before, world_slug } = await stage.play({ scenario: 'park', says: silent });
    stage.model.setScript(script);
    await stage.run(before, { turns: 2 });
    const list = async (query: Asked['query']) =>
      must(
        await worldAttempts.read(engine, {
          parameters: { world_slug } as Asked['parameters'],
          query,
          reader: 'consumer',
        }),
      );
    const turnsOf = async (query: Asked['query']) =>
      (await list(query)).rows.map(({ attempted_turn, status }) => [attempted_turn, status]);
    const all = await list({});
    const [failed] = all.rows.filter(({ status }) => status === 'failed');
    assert.deepEqual(all.states, [
      { status: 'committed', count: 2 },
      { status: 'failed', count: 1 },
    ]);
    assert.deepEqual(await turnsOf({ state: 'failed' }), [[1, 'failed']]);
    assert.deepEqual(await turnsOf({ turn: '2' }), [[2, 'committed']]);
    assert.deepEqual(await turnsOf({ failure: failed?.failure_class ?? '' }), [[1, 'failed']]);
    assert.deepEqual((await list({ state: 'failed' })).states, all.states);
  });
});
