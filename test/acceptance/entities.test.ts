import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { diffPlaces } from '../../engine/operations/worlds/diff-worlds.js';
import { type EntityPlace, showEntityLife } from '../../engine/operations/worlds/entities.js';
import { forkWorld } from '../../engine/operations/worlds/fork-world.js';
import { readStory } from '../../engine/operations/worlds/world-story.js';
import { must, type ParkStage, sharedStage } from '../support/park-stage.js';

/** The whole history of an entity, read in parts of so many rows. */
async function historyOf({ engine }: ParkStage, place: EntityPlace, limit: string): Promise<readonly string[]> {
  const said: string[] = [];
  for (let after: string | undefined; ; ) {
    const { history } = must(await showEntityLife(engine, place, { limit, ...(after === undefined ? {} : { after }) }));
    said.push(...history.rows.map(({ turn, op, state_after }) => `${turn} ${op} ${state_after}`));
    if (history.next === null) return said;
    after = history.next;
  }
}

describe('an entity of a world', () => {
  const open = sharedStage('PostgreSQL');

  test('an id as a person types it finds the entity, its state and memories at a turn, and each change up to it', async () => {
    const stage = await open();
    const { world_slug, after } = await stage.play({ scenario: 'park', turns: 2 });
    const bob = after.entities.find(({ id }) => id === 'bob');
    const life = must(await showEntityLife(stage.engine, { world_slug, entity_id: ' BOB ' }, {}));
    assert.deepEqual([life.state, life.memory, life.turn, life.last_turn], [bob?.state, bob?.memory, 2, 2]);
    const [latest] = life.history.rows;
    assert.deepEqual([latest?.turn, latest?.workflow_subject_entity_id], [2, 'bob']);
    assert.equal(typeof latest?.llm_call_id, 'string');
    const before = must(await showEntityLife(stage.engine, { world_slug, entity_id: 'bob', turn: 1 }, {}));
    assert.deepEqual([before.turn, before.last_turn], [1, 2]);
    assert.deepEqual(new Set(before.history.rows.map(({ turn }) => turn)), new Set([1]));
  });

  test('a history that is read row by row is the one that is read at once, also where a fork shares its turns', async () => {
    const stage = await open();
    const { world_slug } = await stage.play({ scenario: 'park', turns: 2 });
    const as = `${world_slug}-twin`;
    must(await forkWorld(stage.engine, { source_slug: world_slug, at_turn: 2, world_slug: as }));
    const whole = await historyOf(stage, { world_slug, entity_id: 'bob' }, '50');
    assert.ok(whole.length >= 4, whole.join('\n'));
    assert.deepEqual(await historyOf(stage, { world_slug, entity_id: 'bob' }, '1'), whole);
    assert.deepEqual(await historyOf(stage, { world_slug: as, entity_id: 'bob' }, '3'), whole);
  });

  test('a text that cannot be an id is BAD_ENTITY_ID wherever one is typed, and an id of nobody is ENTITY_UNKNOWN', async () => {
    const stage = await open();
    const { world_slug } = await stage.play({ scenario: 'simple' });
    const places = { from: { world_slug, turn: 0 }, to: { world_slug }, blame: false };
    const codesFor = async (entity: string): Promise<readonly (string | undefined)[]> => {
      const done = [
        await showEntityLife(stage.engine, { world_slug, entity_id: entity }, {}),
        await diffPlaces(stage.engine, { ...places, entity }),
        await diffPlaces(stage.engine, { ...places, subject: entity }),
        await readStory(stage.engine, { world_slug, entity }),
      ];
      return done.map((one) => (one.ok ? 'done' : one.problems[0]?.code));
    };
    assert.deepEqual(new Set(await codesFor('plate..crumb')), new Set(['BAD_ENTITY_ID']));
    assert.deepEqual(new Set(await codesFor('Nobody Here')), new Set(['ENTITY_UNKNOWN']));
    assert.deepEqual(new Set(await codesFor('BOB')), new Set(['done']));
  });
});
