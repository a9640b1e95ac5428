import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invocationList, llmCallList } from '../../engine/catalogue/resources/calls.js';
import type { Asked } from '../../engine/catalogue/resource.js';
import { misbehave } from '../support/faults.js';
import { must, onEachDatabase } from '../support/park-stage.js';

onEachDatabase('lists of calls', (open) => {
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
    const generations = must(await llmCallList.read(engine, asked({ world: park })));
    assert.ok(generations.rows.length > 0);
    assert.equal(
      generations.states.reduce((sum, { count }) => sum + count, 0),
      generations.rows.length,
    );
  });
});
