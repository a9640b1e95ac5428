import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '../../engine/contract/json.js';
import { act } from '../../engine/catalogue/act.js';
import { editWorld } from '../../engine/catalogue/actions/worlds.js';
import { diffPlaces } from '../../engine/operations/worlds/diff-worlds.js';
import { forkWorld } from '../../engine/operations/worlds/fork-world.js';
import { verifyWorld } from '../../engine/operations/ledger/verify.js';
import { readStory } from '../../engine/operations/worlds/world-story.js';
import { must, type ParkStage, sharedStage } from '../support/park-stage.js';

const PATCH = {
  narration: 'The lamp goes out.',
  effects: [
    { op: 'set_environment_content', environment_label: 'park', content: 'A dark park.' },
    { op: 'append_entity_memory', entity_id: 'bob', content: 'Somebody put out the lamp.' },
  ],
};

const ACTOR = { acted_by: 'ada', surface: 'library', address: 'here', reason: 'it is to be dark' } as const;

function edit({ engine }: ParkStage, world_slug: string, patch: Json) {
  return act(engine, editWorld, { world_slug, patch }, ACTOR);
}

describe('a world that a person edits', () => {
  const open = sharedStage('PostgreSQL');

  test('the patch is a turn of its own, blamed on the person, sealed, forked and shown to the agents', async () => {
    const stage = await open();
    const { world_slug, before } = await stage.play({ scenario: 'simple' });
    assert.ok(must(await edit(stage, world_slug, PATCH)).accepted);
    const world = await stage.world(world_slug);
    assert.equal(world.turn, 2);
    assert.equal(world.environments[0]?.content, 'A dark park.');
    const diff = must(
      await diffPlaces(stage.engine, { from: { world_slug, turn: 1 }, to: { world_slug, turn: 2 }, blame: true }),
    );
    const blamed = diff.changes.flatMap(({ blame = [] }) => blame);
    assert.deepEqual(
      blamed.map((effect) => [effect.workflow_subject_entity_id, effect.op, effect.llm_call_id]),
      [
        ['person', 'set_environment_content', null],
        ['person', 'append_entity_memory', null],
      ],
    );
    const call = await stage.invocation(blamed[0]?.source_invocation_id ?? '');
    assert.deepEqual(call.request_json, { edited_by: 'ada', reason: 'it is to be dark' });
    assert.deepEqual(call.response_json, PATCH);
    const story = must(await readStory(stage.engine, { world_slug }));
    assert.equal(story.turns.at(-1)?.patches[0]?.narration, 'The lamp goes out.');
    assert.equal(must(await verifyWorld(stage.engine, world_slug)).ok, true);
    must(await forkWorld(stage.engine, { source_slug: world_slug, at_turn: 2, world_slug: `${world_slug}-fork` }));
    for (const slug of [world_slug, `${world_slug}-fork`]) {
      const { attempts } = await stage.run(await stage.world(slug));
      assert.equal(attempts[0]?.status, 'committed');
      const generation = attempts[0]?.invocations.find(({ llm_call_id }) => llm_call_id !== null);
      const { messages } = await stage.llmCall(generation?.llm_call_id ?? null);
      const prompt = messages.map(({ content }) => content).join('');
      assert.match(prompt, /A dark park\./);
      assert.match(prompt, /Somebody put out the lamp\./);
      assert.equal(must(await verifyWorld(stage.engine, slug)).ok, true);
    }
    assert.equal(before.turn, 0);
  });

  test('a patch that names what is not there, or is none, is refused at its place, and the world stays', async () => {
    const stage = await open();
    const { world_slug } = await stage.play({ scenario: 'simple' });
    const faults = async (patch: Json): Promise<readonly string[]> => {
      const done = await edit(stage, world_slug, patch);
      return done.ok ? ['nothing'] : done.problems.map(({ code }) => code);
    };
    const effect = { op: 'set_entity_state', entity_id: 'boob', state: 'x' };
    assert.deepEqual(await faults({ ...PATCH, effects: [effect] }), ['EDIT_FAULTY']);
    assert.deepEqual(await faults({ ...PATCH, narration: ' ' }), ['EDIT_FAULTY']);
    assert.deepEqual(await faults({ narration: 'No effects.' }), ['MISSING_FIELD']);
    assert.equal((await stage.world(world_slug)).turn, 1);
    assert.ok(must(await edit(stage, world_slug, PATCH)).accepted);
  });
});
