import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorldEvent } from '../../engine/core/world/world.js';
import type { Store } from '../../engine/store/open-store.js';
import { forEachDatabase, type OutsideView } from '../support/databases.js';
import { begin, beginning, DOCUMENTS, failing, makeWorld, NOON, playTurn, sayPatch } from './record-fixtures.js';

const STATES = ['rested', 'tired', 'asleep', 'awake', 'hungry'];

/** Plays further turns of a world; Zoe's state says which. */
async function playTurns(store: Store, world_slug: string, from: number, to: number): Promise<void> {
  for (let turn = from; turn <= to; turn += 1) {
    await playTurn(store, world_slug, { before: STATES[turn - 1] ?? '', after: STATES[turn] ?? '' });
  }
}

function fork(store: Store, source_slug: string, at_turn: number, world_slug: string): Promise<boolean> {
  const scenario_hash = DOCUMENTS.scenario.hash;
  return store.worlds.fork({ world_slug, source_slug, at_turn, scenario_hash, created_at: NOON });
}

/** The contents of a world at a turn, without its name. */
async function contentsAt(store: Store, world_slug: string, turn?: number): Promise<unknown> {
  const snapshot = await store.worlds.snapshot(world_slug, turn);
  assert.ok(snapshot, `${world_slug} has no turn ${turn}`);
  const { simulation_time, environments, entities } = snapshot;
  return { turn: snapshot.turn, simulation_time, environments, entities };
}

/** Rows of every table that has any. */
async function countRows(outside: OutsideView): Promise<ReadonlyMap<string, number>> {
  const tables = await outside.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`,
  );
  assert.ok(tables.length > 20, `${tables.length} tables`);
  const counts = new Map<string, number>();
  for (const { name } of tables) {
    const [row] = await outside.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${name}`);
    counts.set(name, row?.n ?? 0);
  }
  return counts;
}

/** The rows that some work writes, by table. */
async function rowsOf(outside: OutsideView, work: () => Promise<unknown>): Promise<Readonly<Record<string, number>>> {
  const before = await countRows(outside);
  await work();
  const after = await countRows(outside);
  return Object.fromEntries(
    [...after]
      .map(([table, count]) => [table, count - (before.get(table) ?? 0)] as const)
      .filter(([, count]) => count !== 0),
  );
}

const ASLEEP_TO_AWAKE = { before: 'asleep', after: 'awake' };

function describeEvent({ turn, subject_id, patch }: WorldEvent): string {
  const states = patch.effects.flatMap((effect) => (effect.op === 'set_entity_state' ? effect.state : []));
  return [turn, subject_id, ...states].join(' ');
}

forEachDatabase('forks', (open) => {
  test('a world that is made again under its name, and a fork, ask services under ids of their own', async () => {
    const { store } = await open();
    const markOf = async (world_slug: string): Promise<string> => {
      const { lease } = await begin(store, world_slug);
      await store.attempts.fail(lease, failing());
      return lease.request_mark;
    };
    await makeWorld(store, 'again');
    const first = await markOf('again');
    assert.equal(await markOf('again'), first, 'the next attempt has the ids of the one before');
    await store.worlds.delete('again');
    await makeWorld(store, 'again');
    await fork(store, 'again', 0, 'forked');
    assert.equal(new Set([first, await markOf('again'), await markOf('forked')]).size, 3);
  });

  test('a fork writes a row for itself, its turn, each ancestor and each idle agent, and copies nothing', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'old');
    await playTurns(store, 'old', 1, 3);
    assert.deepEqual(await rowsOf(outside, () => fork(store, 'old', 2, 'young')), {
      agent_state_heads: 2,
      turns: 1,
      world_lineage: 1,
      world_scenarios: 1,
      worlds: 1,
    });
    await playTurns(store, 'young', 3, 3);
    assert.deepEqual(await rowsOf(outside, () => fork(store, 'young', 3, 'younger')), {
      agent_state_heads: 2,
      turns: 1,
      world_lineage: 2,
      world_scenarios: 1,
      worlds: 1,
    });
  });

  test('a world, its forks and theirs are one family, whichever of them is asked', async () => {
    const { store } = await open();
    await makeWorld(store, 'elder');
    await makeWorld(store, 'stranger');
    await playTurns(store, 'elder', 1, 2);
    await fork(store, 'elder', 1, 'child');
    await fork(store, 'child', 1, 'grandchild');
    await fork(store, 'elder', 2, 'another');
    const family = async (slug: string) => (await store.browse.family(slug, 50)).map(({ world_slug }) => world_slug);
    for (const slug of ['elder', 'child', 'grandchild', 'another'])
      assert.deepEqual(await family(slug), ['another', 'child', 'elder', 'grandchild'], slug);
    assert.deepEqual(await family('stranger'), ['stranger']);
  });

  test('a turn of a fork costs the rows that the same turn costs anywhere', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'plain');
    await playTurns(store, 'plain', 1, 2);
    await fork(store, 'plain', 2, 'branch');
    const ofBranch = await rowsOf(outside, () => playTurns(store, 'branch', 3, 3));
    assert.deepEqual(ofBranch, await rowsOf(outside, () => playTurns(store, 'plain', 3, 3)));
    assert.equal(ofBranch['entity_states'], 1);
  });

  test('a fork shows the turns that it shares as its ancestor does, and later ones as its own', async () => {
    const { store } = await open();
    await makeWorld(store, 'trunk');
    await playTurns(store, 'trunk', 1, 3);
    assert.equal(await fork(store, 'trunk', 2, 'twig'), true);
    for (const turn of [0, 1, 2])
      assert.deepEqual(await contentsAt(store, 'twig', turn), await contentsAt(store, 'trunk', turn));
    assert.equal(await store.worlds.snapshot('twig', 3), undefined);
    await playTurn(store, 'twig', { before: 'asleep', after: 'dreaming' });
    const state = async (slug: string) =>
      (await store.worlds.snapshot(slug, 3))?.entities.find(({ id }) => id === 'zoe')?.state;
    assert.equal(await state('twig'), 'dreaming');
    assert.equal(await state('trunk'), 'awake');
    assert.deepEqual((await store.worlds.find('twig'))?.forked_from, { world_slug: 'trunk', turn: 2 });
    assert.equal((await store.worlds.find('trunk'))?.forked_from, undefined);
  });

  test('a fork of a fork reads all its ancestors, each as far as it goes', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'first');
    await playTurns(store, 'first', 1, 2);
    await fork(store, 'first', 1, 'second');
    await playTurn(store, 'second', { before: 'tired', after: 'singing' });
    await playTurn(store, 'second', { before: 'singing', after: 'hoarse' });
    await fork(store, 'second', 2, 'third');
    await playTurn(store, 'third', { before: 'singing', after: 'silent' });
    const zoe = (await store.worlds.snapshot('third'))?.entities.find(({ id }) => id === 'zoe');
    assert.equal(zoe?.state, 'silent');
    assert.deepEqual(
      zoe.memory.map(({ turn, content }) => `${turn} ${content}`),
      ['0 born', '0 fed', '1 I was rested.', '2 I was tired.', '3 I was singing.'],
    );
    assert.deepEqual(await contentsAt(store, 'third', 1), await contentsAt(store, 'first', 1));
    assert.deepEqual(await contentsAt(store, 'third', 2), await contentsAt(store, 'second', 2));
    assert.deepEqual((await store.worlds.find('third'))?.forked_from, { world_slug: 'second', turn: 2 });
    const roots = await outside.query<{ root: string }>(
      `SELECT DISTINCT root_world_slug AS root FROM worlds WHERE world_slug IN ('first', 'second', 'third')`,
    );
    assert.deepEqual(roots, [{ root: 'first' }]);
  });

  test('a fork can be left at a turn that it only shares', async () => {
    const { store } = await open();
    await makeWorld(store, 'oak');
    await playTurns(store, 'oak', 1, 3);
    await fork(store, 'oak', 3, 'bough');
    assert.equal(await fork(store, 'bough', 1, 'bud'), true);
    assert.deepEqual(await contentsAt(store, 'bud'), await contentsAt(store, 'oak', 1));
    assert.deepEqual((await store.worlds.find('bud'))?.forked_from, { world_slug: 'bough', turn: 1 });
    await playTurn(store, 'bud', { before: 'tired', after: 'blooming' });
    assert.deepEqual(
      (await store.worlds.effects('bud', { after: 0, until: 2 })).map(
        ({ world_slug, turn, effect_index }) => `${world_slug} ${turn}.${effect_index}`,
      ),
      ['oak 1.0', 'oak 1.1', 'oak 1.2', 'bud 2.0', 'bud 2.1', 'bud 2.2'],
    );
  });

  test('a fork inherits no attempts and no lease, and its first attempt is at the next turn', async () => {
    const { store } = await open();
    await makeWorld(store, 'busy');
    await playTurns(store, 'busy', 1, 2);
    await begin(store, 'busy');
    await fork(store, 'busy', 2, 'free');
    assert.deepEqual(await store.records.attempts('free'), []);
    const { lease, world, past } = await begin(store, 'free');
    assert.deepEqual([lease.attempted_turn, lease.epoch], [3, 1]);
    assert.equal(world.entities.get('zoe')?.state, 'asleep');
    assert.equal(past, undefined);
  });

  test('later turns of the ancestor do not reach the fork, nor those of the fork the ancestor', async () => {
    const { store } = await open();
    await makeWorld(store, 'left');
    await playTurns(store, 'left', 1, 1);
    await fork(store, 'left', 1, 'right');
    const before = await contentsAt(store, 'right');
    await playTurns(store, 'left', 2, 4);
    assert.deepEqual(await contentsAt(store, 'right'), before);
    assert.deepEqual(await store.worlds.effects('right', { after: 1, until: 4 }), []);
  });

  test('a fork begins with the events of its ancestors, as far as it shares them, and then with its own', async () => {
    const { store } = await open();
    await makeWorld(store, 'spoken');
    await playTurns(store, 'spoken', 1, 3);
    await fork(store, 'spoken', 2, 'heard');
    const inherited = await begin(store, 'heard');
    assert.deepEqual(inherited.world.events.map(describeEvent), ['1 zoe tired', '2 zoe asleep']);
    await store.attempts.commit(inherited.lease, await sayPatch(store, inherited.lease, ASLEEP_TO_AWAKE));
    const own = await begin(store, 'heard');
    assert.deepEqual(own.world.events.map(describeEvent), ['2 zoe asleep', '3 zoe awake'], 'of the last two turns');
    assert.deepEqual((await begin(store, 'spoken')).world.events.map(describeEvent), ['2 zoe asleep', '3 zoe awake']);
  });

  test('a world whose program asks for no events is given none', async () => {
    const { store } = await open();
    await makeWorld(store, 'deaf');
    await playTurns(store, 'deaf', 1, 2);
    const begun = await store.attempts.begin({ ...beginning('deaf'), event_turns: 0 }, () => true);
    assert.ok(begun.kind === 'begun');
    assert.deepEqual(begun.world.events, []);
  });

  test('a taken name makes no fork, and neither does a turn that was not reached', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'taken');
    await makeWorld(store, 'source');
    const forks = async () => [await fork(store, 'source', 0, 'taken'), await fork(store, 'source', 1, 'early')];
    assert.deepEqual(await rowsOf(outside, async () => assert.deepEqual(await forks(), [false, false])), {});
  });

  test('effects name the patch, the invocation and the LLM call, and leave out those that changed nothing', async () => {
    const { store } = await open();
    await makeWorld(store, 'told');
    await playTurns(store, 'told', 1, 1);
    await playTurn(store, 'told', { before: 'tired', after: 'tired' });
    const [first, ...others] = await store.worlds.effects('told', { after: 0, until: 2 });
    const [attempt] = await store.records.attempts('told');
    const record = await store.records.attempt(attempt?.attempt_id ?? '');
    const [call] = record?.invocations ?? [];
    assert.ok(first && call?.llm_call_id);
    assert.deepEqual(first, {
      world_slug: 'told',
      turn: 1,
      origins: ['author', 'model'],
      patch_seq: 1,
      effect_index: 0,
      op: 'set_entity_state',
      entity_id: 'zoe',
      environment_label: null,
      state_before: 'rested',
      state_after: 'tired',
      sources: null,
      narration: 'Zoe is tired.',
      workflow_subject_entity_id: 'zoe',
      workflow_node_id: 'act',
      cognition_workflow_hash: DOCUMENTS.workflow.hash,
      attempt_id: attempt?.attempt_id,
      source_invocation_id: call.source_invocation_id,
      llm_call_id: call.llm_call_id,
    });
    assert.deepEqual(
      others.map(({ turn, op }) => `${turn} ${op}`),
      ['1 append_entity_memory', '1 set_environment_content', '2 append_entity_memory', '2 set_environment_content'],
    );
  });
});
