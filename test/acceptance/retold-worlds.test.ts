import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { make } from '../../engine/catalogue/act.js';
import { deleteWorld } from '../../engine/catalogue/actions/worlds.js';
import { personHere, userName } from '../../engine/operations/people/person-here.js';
import { diffPlaces } from '../../engine/operations/worlds/diff-worlds.js';
import { forkWorld } from '../../engine/operations/worlds/fork-world.js';
import { readStory } from '../../engine/operations/worlds/world-story.js';
import { must, type ParkStage, sharedStage } from '../support/park-stage.js';

/** How many rows of a world are left, in every table that has worlds. */
async function countRows({ outside }: ParkStage, world_slug: string): Promise<number> {
  const tables = await outside?.query(
    `SELECT table_name FROM information_schema.columns
     WHERE table_schema = current_schema() AND column_name = 'world_slug'
       AND table_name IN (SELECT table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE')`,
  );
  let count = 0;
  for (const { table_name } of (tables ?? []) as readonly { table_name: string }[]) {
    const found = await outside?.query(`SELECT FROM ${table_name} WHERE world_slug = $1`, [world_slug]);
    count += found?.length ?? 0;
  }
  return count;
}

describe('a world retold, compared and deleted', () => {
  const open = sharedStage('PostgreSQL');
  test('its story is every narration by turn, time, place and subject, a shared turn included', async () => {
    const stage = await open();
    const { world_slug, attempts } = await stage.play({ scenario: 'park', turns: 2 });
    const story = must(await readStory(stage.engine, { world_slug }));
    assert.deepEqual(
      story.turns.map(({ turn, patches }) => [
        turn,
        patches.map((patch) => [patch.workflow_subject_entity_id, patch.narration]),
      ]),
      attempts.map(({ attempted_turn, patches }) => [
        attempted_turn,
        patches.map((patch) => [patch.workflow_subject_entity_id, patch.narration]),
      ]),
    );
    const first = await stage.world(world_slug, 1);
    assert.equal(story.turns[0]?.simulation_time, first.simulation_time);
    assert.deepEqual(
      story.turns[0]?.patches.map(({ name, environment }) => [name, environment]),
      story.turns[0]?.patches.map(({ workflow_subject_entity_id: id }) => {
        const entity = first.entities.find((one) => one.id === id);
        return [entity?.name, entity?.environment];
      }),
    );
    const fork = `${world_slug}-fork`;
    must(await forkWorld(stage.engine, { source_slug: world_slug, at_turn: 1, world_slug: fork }));
    assert.deepEqual(must(await readStory(stage.engine, { world_slug: fork })).turns, story.turns.slice(0, 1));
    const late = must(await readStory(stage.engine, { world_slug, from: 2, to: 2, subject: 'ant' }));
    assert.deepEqual(
      late.turns.map(({ turn, patches }) => [turn, patches.map((patch) => patch.workflow_subject_entity_id)]),
      [[2, ['ant']]],
    );
    const of_bob = must(await readStory(stage.engine, { world_slug, entity: 'bob' }));
    for (const { workflow_subject_entity_id: by, touched_entities } of of_bob.turns.flatMap((turn) => turn.patches))
      assert.ok(by === 'bob' || touched_entities.includes('bob'));
    const unknown = await readStory(stage.engine, { world_slug, subject: 'bobb' });
    assert.ok(!unknown.ok);
    assert.equal(unknown.problems[0]?.code, 'ENTITY_UNKNOWN');
    assert.match(unknown.problems[0]?.repair ?? '', /Did you mean bob\?/);
  });

  test('two worlds are compared at any turns and with any entities, and a change is found by entity and subject', async () => {
    const stage = await open();
    const { world_slug } = await stage.play({ scenario: 'park', turns: 2 });
    const other = await stage.makeWorld({ scenario: 'simple' });
    const diff = must(
      await diffPlaces(stage.engine, { from: { world_slug }, to: { world_slug: other.world_slug }, blame: false }),
    );
    assert.deepEqual([diff.from.world_slug, diff.from.turn], [world_slug, 2]);
    assert.deepEqual([diff.to.world_slug, diff.to.turn], [other.world_slug, 0]);
    const names = new Set(
      diff.changes.map((change) => ('entity_id' in change ? change.entity_id : change.environment_label)),
    );
    const machine = diff.changes.find((change) => 'entity_id' in change && change.entity_id === 'vending_machine');
    assert.equal(machine?.after, null, [...names].join());
    const turns = { from: { world_slug, turn: 0 }, to: { world_slug, turn: 2 }, blame: false };
    const whole = must(await diffPlaces(stage.engine, turns)).changes;
    const of_bob = must(await diffPlaces(stage.engine, { ...turns, entity: 'bob' })).changes;
    assert.deepEqual(
      of_bob,
      whole.filter((change) => 'entity_id' in change && change.entity_id === 'bob'),
    );
    const blamed = must(await diffPlaces(stage.engine, { ...turns, blame: true })).changes;
    const by_ant = must(await diffPlaces(stage.engine, { ...turns, subject: 'ant' })).changes;
    assert.equal(
      by_ant.length,
      blamed.filter(({ blame = [] }) => blame.some((effect) => effect.workflow_subject_entity_id === 'ant')).length,
    );
    assert.ok(by_ant.length > 0 && by_ant.length < whole.length);
  });

  test('it is deleted with all of its rows, once it has no forks and no driver', async () => {
    const stage = await open();
    const { worlds } = stage.engine.store;
    const { world_slug } = await stage.play({ scenario: 'park', turns: 1 });
    const kept = (await stage.play({ scenario: 'park', turns: 1 })).after;
    const fork = `${world_slug}-fork`;
    must(await forkWorld(stage.engine, { source_slug: world_slug, at_turn: 1, world_slug: fork }));
    const refused = await make(stage.engine, deleteWorld, { world_slug }, personHere());
    assert.ok(!refused.ok);
    assert.equal(refused.problems[0]?.code, 'WORLD_HAS_FORKS');
    assert.match(refused.problems[0]?.message ?? '', new RegExp(fork));
    must(await make(stage.engine, deleteWorld, { world_slug: fork }, personHere()));
    assert.ok(must(await make(stage.engine, deleteWorld, { world_slug }, personHere())).rows > 10);
    assert.equal(await worlds.find(world_slug), undefined);
    assert.equal(await countRows(stage, world_slug), 0);
    assert.deepEqual(await stage.world(kept.world_slug), kept);
    assert.equal((await stage.engine.store.actions.deletion(world_slug))?.acted_by, userName());
    assert.equal(await stage.engine.store.actions.deletion(kept.world_slug), undefined);
    const gone = await make(stage.engine, deleteWorld, { world_slug }, personHere());
    assert.ok(!gone.ok);
    assert.equal(gone.problems[0]?.code, 'WORLD_UNKNOWN');
  });

  test('a world whose lease is held is not deleted', async () => {
    const stage = await open();
    const world = await stage.makeWorld({ scenario: 'simple' });
    const begun = await stage.engine.runtime.attempts.begin(
      {
        attempt_id: stage.engine.runtime.clock.uuid(),
        world_slug: world.world_slug,
        scenario_hash: world.scenario_hash,
        holder: { host: 'elsewhere', pid: 7 },
        started_at: Date.now(),
        lease_ms: 600_000,
        event_turns: 0,
        renderer_version: 'any',
        plugin_versions: {},
        adopt: () => ({ kind: 'adopts', source_invocation_ids: [] }),
      },
      () => true,
    );
    assert.equal(begun.kind, 'begun');
    const refused = await make(stage.engine, deleteWorld, { world_slug: world.world_slug }, personHere());
    assert.ok(!refused.ok);
    assert.equal(refused.problems[0]?.code, 'WORLD_BUSY');
    assert.ok(await stage.engine.store.worlds.find(world.world_slug));
  });
});
