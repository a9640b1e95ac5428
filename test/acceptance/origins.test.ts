import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { diffPlaces } from '../../engine/operations/worlds/diff-worlds.js';
import { forkWorld } from '../../engine/operations/worlds/fork-world.js';
import { verifyWorld } from '../../engine/operations/ledger/verify.js';
import { purgeMemories } from '../../engine/operations/worlds/purge-memories.js';
import { editWorkflows, must, type ParkStage, sharedStage } from '../support/park-stage.js';

const WEATHER = 'source:toy_park_weather';
const SAW = ['author', 'model', 'scenario', WEATHER];

/** The clerk may answer visitors whom the scenario names. */
const KNOWN_VISITORS = {
  'policies/park-tools.json': (policy: object) => ({
    ...policy,
    allow: [],
    rules: [{ tools: ['send_text'], arguments: { '/to': 'known' }, decide: 'allow', because: 'known visitors' }],
  }),
};

describe('where values come from', () => {
  const open = sharedStage('PostgreSQL');

  test('a call, a patch and what it wrote carry the origins of what their generation saw', async (t) => {
    const stage = await open();
    const play = await stage.play({ scenario: 'clerk', workflows: await editWorkflows(t, KNOWN_VISITORS) });
    const [attempt] = play.attempts;
    assert.equal(attempt?.status, 'committed', JSON.stringify(attempt, null, 1).slice(0, 3000));
    const sent = attempt?.invocations.find(({ tool_name }) => tool_name === 'send_text');
    const call = await stage.invocation(sent?.source_invocation_id ?? '');
    assert.equal(call.policy_ruling?.rule, '/rules/0');
    assert.deepEqual(call.argument_origins, { '': SAW, '/from': ['scenario'], '/to': ['scenario'] });
    const looked = attempt?.invocations.find(({ workflow_node_id }) => workflow_node_id === 'look_up');
    const look = await stage.invocation(looked?.source_invocation_id ?? '');
    assert.deepEqual(look.argument_origins, {
      '': ['author', 'model', 'scenario'],
      '/simulation_time': ['scenario'],
      '/turn': ['scenario'],
    });
    const [patch] = attempt?.patches ?? [];
    const seen = ['author', 'model', 'scenario', 'source:dummy_send_text', WEATHER];
    assert.deepEqual(patch?.origins, seen);
    const prompt = await stage.llmCall(patch?.llm_call_id ?? null);
    const results = prompt.messages.flatMap(({ segments }) =>
      segments.filter(({ origin }) => origin === 'tool_result'),
    );
    assert.deepEqual(
      results.map(({ origins }) => origins),
      [['model', 'source:dummy_send_text']],
    );
    const written = [...seen, 'world'];
    const [ivy, note, phone] = play.after.entities;
    assert.deepEqual([ivy?.origins, note?.origins, phone?.origins], [undefined, written, undefined]);
    const content = 'I told Bob that he needs no coat.';
    assert.deepEqual(ivy?.memory, [{ memory_id: '1.1', content, turn: 1, origins: written }]);
    const { changes } = must(await diffPlaces(stage.engine, toDiff(play.world_slug)));
    assert.deepEqual(
      new Set(changes.flatMap(({ blame = [] }) => blame.map(({ origins }) => origins?.join()))),
      new Set([seen.join()]),
    );
  });

  test('what a patch has written is unknown to policy in later turns, whatever it says', async (t) => {
    const stage = await open();
    const play = await stage.play({ scenario: 'clerk', workflows: await editWorkflows(t, KNOWN_VISITORS) });
    const first = { from: 'kiosk_phone', to: 'Bob', body: 'Still warm.' };
    const rest = { narration: 'Ivy rests.', effects: [] };
    stage.model.setScript({
      version: 1,
      label: 'again',
      turns: {
        '2': {
          'ivy/sort/round-1/try-1': { json: { from: 'Bob', topic: 'weather', place: 'park' } },
          'ivy/act/round-1/try-1': { json: { kind: 'tool_call', tool_call: { name: 'send_text', arguments: first } } },
          'ivy/act/round-1/try-2': { json: { kind: 'final_patch', patch: rest } },
        },
      },
    });
    const second = await stage.run(play.after);
    const tries = second.attempts[0]?.invocations.map(({ failure_detail }) => failure_detail);
    assert.deepEqual(tries, [null, null, 'policy_denied', null]);
  });

  test('a purge takes the memories of an origin out of the present, and nothing else anywhere', async () => {
    const stage = await open();
    const play = await stage.play({ scenario: 'clerk', turns: 2 });
    const { world_slug } = play;
    await fork(stage, world_slug, `${world_slug}-before`);
    const [before, past] = [await stage.world(world_slug), await stage.world(world_slug, 1)];
    assert.match(must(await purgeMemories(stage.engine, world_slug, 'source:unheard')).message, /^Purged 0 memories/);
    assert.deepEqual(await stage.world(world_slug), before);
    assert.match(must(await purgeMemories(stage.engine, world_slug, WEATHER)).message, /^Purged 1 memory of /);
    await fork(stage, world_slug, `${world_slug}-after`);
    const after = await stage.world(world_slug);
    const withoutMemory = before.entities.map((entity) => ({ ...entity, memory: [] }));
    assert.deepEqual(after, { ...before, entities: withoutMemory });
    assert.deepEqual(await stage.world(world_slug, 1), past);
    const memoriesOf = async (slug: string) => (await stage.world(slug)).entities[0]?.memory.length;
    assert.deepEqual([await memoriesOf(`${world_slug}-before`), await memoriesOf(`${world_slug}-after`)], [1, 0]);
    assert.equal(must(await verifyWorld(stage.engine, world_slug)).ok, true);
    const third = await stage.run(after);
    const prompts = await Promise.all(
      (third.attempts[0]?.invocations ?? []).flatMap(({ llm_call_id }) =>
        llm_call_id === null ? [] : [stage.llmCall(llm_call_id)],
      ),
    );
    assert.doesNotMatch(JSON.stringify(prompts.map(({ messages }) => messages)), /needs no coat/);
    assert.equal(must(await verifyWorld(stage.engine, world_slug)).ok, true);
  });
});

const toDiff = (world_slug: string) => ({
  from: { world_slug, turn: 0 },
  to: { world_slug, turn: 1 },
  blame: true,
});

async function fork({ engine }: ParkStage, source_slug: string, world_slug: string): Promise<void> {
  must(await forkWorld(engine, { source_slug, world_slug, at_turn: 2 }));
}
