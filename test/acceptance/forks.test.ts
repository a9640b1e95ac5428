import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import type { Json } from '../../engine/contract/json.js';
import { putScenario } from '../../engine/operations/authoring/author.js';
import { diffPlaces, type WorldDiff } from '../../engine/operations/worlds/diff-worlds.js';
import { type ForkRequest, forkWorld } from '../../engine/operations/worlds/fork-world.js';
import { type Edit, editWorkflows, loadScript, must, type ParkStage, sharedStage } from '../support/park-stage.js';
import { contentsOf, promptOf, requestAt } from './readings.js';

type Template = { readonly messages: readonly { readonly role: string; readonly content: Json }[] };

/** Puts a sentence at the beginning of all prompts of Bob's model. */
const saying =
  (sentence: string): Edit =>
  (workflow) => {
    const [node, ...others] = workflow['nodes'] as readonly { readonly prompt_template: Template }[];
    const [first, ...messages] = node?.prompt_template.messages ?? [];
    assert.ok(node && first);
    const said = { role: 'system', content: sentence };
    return {
      ...workflow,
      nodes: [{ ...node, prompt_template: { messages: [said, first, ...messages] } }, ...others],
    };
  };

/** Stores the park with some documents changed; its scenario's hash. */
async function putEdited(context: TestContext, stage: ParkStage, edits: Readonly<Record<string, Edit>>) {
  const folder = await editWorkflows(context, edits);
  const place = { working_folder: folder, root: folder };
  return must(await putScenario(stage.engine, join(folder, 'park', 'scenario.json'), place));
}

async function fork(stage: ParkStage, request: ForkRequest) {
  return must(await forkWorld(stage.engine, request));
}

async function blame(stage: ParkStage, world_slug: string, from_turn: number, to_turn: number): Promise<WorldDiff> {
  return must(
    await diffPlaces(stage.engine, {
      from: { world_slug, turn: from_turn },
      to: { world_slug, turn: to_turn },
      blame: true,
    }),
  );
}

async function refusalOf(stage: ParkStage, request: ForkRequest) {
  const done = await forkWorld(stage.engine, request);
  assert.ok(!done.ok, 'it was forked');
  assert.equal(done.because, 'content');
  return done.problems;
}

describe('diff, blame and fork through the engine', () => {
  const open = sharedStage('PostgreSQL');
  test('every change leads to the text that the model saw and to the words that made it', async () => {
    const stage = await open();
    const { world_slug, attempts } = await stage.play({ scenario: 'park', turns: 2 });
    const { changes } = await blame(stage, world_slug, 0, 2);
    assert.ok(changes.length >= 5, `${changes.length} changes`);
    for (const { blame: effects = [], after } of changes) {
      const last = effects.at(-1);
      assert.ok(last, 'nothing is to blame');
      assert.equal(last.state_after, after);
      const attempt = attempts.find(({ attempt_id }) => attempt_id === last.attempt_id);
      const patch = attempt?.patches.find(({ patch_seq }) => patch_seq === last.patch_seq);
      assert.equal(patch?.effects[last.effect_index]?.state_after, after);
      const call = await stage.llmCall(last.llm_call_id);
      assert.equal(call.source_invocation_id, last.source_invocation_id);
      assert.ok(call.raw_text.includes(JSON.stringify(after).slice(1, -1)), call.raw_text);
      const key = (await stage.invocation(last.source_invocation_id)).command_key;
      const sent = promptOf(requestAt(stage.model, last.turn, key));
      assert.equal(call.messages.map(({ content }) => content).join('\n\n'), sent);
    }
  });

  test('a fork continues by edited workflows from its turn, and leaves its parent unchanged', async (context) => {
    const stage = await open();
    const played = await stage.play({ scenario: 'park', turns: 2 });
    const source_slug = played.world_slug;
    const scenario_hash = await putEdited(context, stage, { 'park/bob-workflow.json': saying('Think twice.') });
    const world_slug = `${source_slug}-edited`;
    const forked = await fork(stage, { source_slug, at_turn: 1, world_slug, scenario: { scenario_hash } });
    assert.deepEqual(forked.forked_from, { world_slug: source_slug, turn: 1 });
    assert.deepEqual(contentsOf(forked), contentsOf(await stage.world(source_slug, 1)));
    stage.model.reset();
    stage.model.setScript(await loadScript('park'));
    stage.toys.reset();
    const { attempts } = await stage.run(forked, { turns: 1 });
    assert.deepEqual(
      attempts.map(({ attempted_turn, status, scenario_hash: by }) => [attempted_turn, status, by]),
      [[2, 'committed', scenario_hash]],
    );
    assert.match(promptOf(requestAt(stage.model, 2, 'bob/act/round-1/try-1')), /^Think twice\.\n/);
    assert.deepEqual(await stage.world(source_slug), played.after);
    const { changes } = await blame(stage, world_slug, 0, 2);
    const worlds = new Set(changes.flatMap(({ blame: effects = [] }) => effects.map((effect) => effect.world_slug)));
    assert.deepEqual(worlds, new Set([source_slug, world_slug]));
    for (const effect of changes.flatMap(({ blame: effects = [] }) => effects))
      assert.equal(effect.world_slug, effect.turn === 1 ? source_slug : world_slug);
    const apart = await diffPlaces(stage.engine, {
      from: { world_slug: source_slug },
      to: { world_slug },
      blame: true,
    });
    for (const { blame: effects = [] } of must(apart).changes) {
      assert.ok(effects.length > 0, 'nothing is to blame');
      for (const effect of effects) assert.equal(effect.turn, 2);
    }
  });

  test('a scenario with another history is refused, difference by difference, and makes no world', async (context) => {
    const stage = await open();
    const { world_slug: source_slug } = await stage.play({ scenario: 'park', turns: 1 });
    const scenario_hash = await putEdited(context, stage, {
      'park/scenario.json': (scenario) => ({
        ...scenario,
        chronon_seconds: 1,
        entities: [
          ...(scenario['entities'] as readonly never[]),
          { id: 'kite', name: 'Kite', kind: 'prop', state: 'in a tree' },
        ],
      }),
    });
    const problems = await refusalOf(stage, {
      source_slug,
      at_turn: 1,
      world_slug: 'other-history',
      scenario: { scenario_hash },
    });
    assert.deepEqual(
      problems.map(({ code, pointer }) => [code, pointer?.replace(/\d+$/, 'N')]),
      [
        ['SCENARIO_DIFFERS', '/chronon_seconds'],
        ['SCENARIO_DIFFERS', '/entities/N'],
      ],
    );
    assert.match(problems.map(({ message }) => message).join('\n'), /kite is new/);
    assert.equal(await stage.engine.store.worlds.find('other-history'), undefined);
  });

  test('a fork of nothing, at no turn, under no name or under a taken one is refused', async () => {
    const stage = await open();
    const { world_slug: source_slug } = await stage.makeWorld({ scenario: 'park' });
    const request = { source_slug, at_turn: 0, world_slug: 'fine' };
    const codes = async (change: Partial<ForkRequest>) =>
      (await refusalOf(stage, { ...request, ...change })).map(({ code }) => code);
    assert.deepEqual(await codes({ source_slug: 'nowhere' }), ['WORLD_UNKNOWN']);
    assert.deepEqual(await codes({ at_turn: 1 }), ['TURN_UNKNOWN']);
    assert.deepEqual(await codes({ world_slug: 'Not a slug' }), ['WORLD_SLUG_INVALID']);
    assert.deepEqual(await codes({ world_slug: source_slug }), ['WORLD_EXISTS']);
    assert.deepEqual(await codes({ scenario: { scenario_hash: 'f'.repeat(64) } }), ['UNKNOWN_SCENARIO']);
  });

  test('a difference of turns that were not reached is refused, and one of a turn with itself is empty', async () => {
    const stage = await open();
    const { world_slug } = await stage.makeWorld({ scenario: 'park' });
    const diff = (from_turn: number, to_turn: number) =>
      diffPlaces(stage.engine, {
        from: { world_slug, turn: from_turn },
        to: { world_slug, turn: to_turn },
        blame: true,
      });
    for (const [from, to] of [
      [0, 1],
      [1, 0],
    ] as const) {
      const refused = await diff(from, to);
      assert.ok(!refused.ok);
      assert.equal(refused.problems[0]?.code, 'TURN_UNKNOWN');
    }
    assert.deepEqual(must(await diff(0, 0)).changes, []);
  });
});
