import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { readScenario } from '../../engine/operations/authoring/author.js';
import { forkWorld } from '../../engine/operations/worlds/fork-world.js';
import type { UsableScenario } from '../../engine/operations/running/load-program.js';
import { createWorld } from '../../engine/operations/worlds/worlds.js';
import { editWorkflows, must, type ParkStage, sharedStage } from '../support/park-stage.js';

/** The park by another name, starting at another time, and not stored. */
async function readOther(context: TestContext, stage: ParkStage, label: string): Promise<UsableScenario> {
  const folder = await editWorkflows(context, {
    'park/scenario.json': (scenario) => ({ ...scenario, label, start_time: '2031-01-01T08:00:00Z' }),
  });
  const place = { working_folder: folder, root: folder };
  return must(await readScenario(stage.engine, join(folder, 'park', 'scenario.json'), place));
}

describe('a world that is refused', () => {
  const open = sharedStage('PostgreSQL');
  test('leaves none of its documents behind, and one that is made has them', async (context) => {
    const stage = await open();
    const { engine } = stage;
    const { world_slug: there } = await stage.makeWorld({ scenario: 'park' });
    const usable = await readOther(context, stage, 'another-park');
    const before = await engine.store.components.count();
    const refusals = [
      await createWorld(engine, { world_slug: 'No Slug', usable }),
      await createWorld(engine, { world_slug: there, usable }),
      await forkWorld(engine, { source_slug: there, at_turn: 0, world_slug: 'other', scenario: { usable } }),
      await forkWorld(engine, { source_slug: 'nowhere', at_turn: 0, world_slug: 'other', scenario: { usable } }),
      await forkWorld(engine, { source_slug: there, at_turn: 9, world_slug: 'other', scenario: { usable } }),
    ];
    assert.deepEqual(
      refusals.map((done) => (done.ok ? 'made' : done.problems[0]?.code)),
      ['WORLD_SLUG_INVALID', 'WORLD_EXISTS', 'SCENARIO_DIFFERS', 'WORLD_UNKNOWN', 'TURN_UNKNOWN'],
    );
    assert.deepEqual(await engine.store.components.count(), before);
    const made = must(await createWorld(engine, { world_slug: 'another', usable }));
    assert.equal(made.scenario_hash, usable.hash);
    assert.ok(await engine.store.components.find('scenario', usable.hash));
  });

  test('for want of one scenario stores nothing either', async (context) => {
    const stage = await open();
    const folder = await editWorkflows(context, {
      'park/scenario.json': (scenario) => ({ ...scenario, label: 'third-park' }),
    });
    const place = { working_folder: folder, root: folder };
    const before = await stage.engine.store.components.count();
    const codes = [];
    for (const path of [folder, join(folder, 'park', 'bob-profile.json')]) {
      const read = await readScenario(stage.engine, path, place);
      codes.push(read.ok ? 'read' : read.problems[0]?.code);
    }
    assert.deepEqual(codes, ['SEVERAL_SCENARIOS', 'NO_SCENARIO']);
    assert.deepEqual(await stage.engine.store.components.count(), before);
  });
});
