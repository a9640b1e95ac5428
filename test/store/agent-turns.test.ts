import assert from 'node:assert/strict';
import { test } from 'node:test';
import { v7 } from 'uuid';
import { agentTurnId } from '../../engine/core/agents/agent-turn.js';
import { namedUuid } from '../../engine/core/content/uuid.js';
import type {
  AgentHead,
  AgentHeads,
  AgentMove,
  AttemptLease,
  CallStart,
  Reserved,
  Written,
} from '../../engine/ports/attempts.js';
import type { Store } from '../../engine/store/open-store.js';
import { forEachDatabase, type TestDatabase } from '../support/databases.js';
import { waitUntil } from '../support/wait-until.js';
import { isHeldUp } from './held-up.js';
import {
  answered,
  begin,
  BY_HAND,
  committing,
  contentsOf,
  DOCUMENTS,
  endLease,
  failing,
  generationStart,
  makeWorld,
  message,
  NOON,
  patchOf,
  pended,
  pendingStart,
  refused,
  toyStart,
  finishCall,
  startCall,
} from './record-fixtures.js';

const SYSTEM = message('system', 'author', 'You are Zoe.');

/** Zoe in the middle of her turn: her model is being asked. */
interface Scene {
  readonly database: TestDatabase;
  readonly store: Store;
  readonly lease: AttemptLease;
  readonly heads: AgentHeads;
  readonly said: CallStart & { readonly llm_call_id: string };
}

let worlds = 0;

async function openScene(open: () => Promise<TestDatabase>): Promise<Scene> {
  const database = await open();
  const { store } = database;
  const world_slug = `scene-${(worlds += 1)}`;
  await makeWorld(store, world_slug);
  const { lease, heads } = await begin(store, world_slug);
  const said = generationStart(1, [SYSTEM]);
  assert.equal(await startCall(store, lease, said), 'written');
  return { database, store, lease, heads, said };
}

const moving = ({ heads }: Pick<Scene, 'heads'>, status: AgentMove['status']): readonly AgentMove[] => [
  { agent_id: 'zoe', status, head: heads.get('zoe') ?? assert.fail('zoe has no head') },
];

const failingIn = (scene: Pick<Scene, 'heads'>) => ({ ...failing(), agents: moving(scene, 'idle') });

/** Writes that a tool of Zoe's is answered later. */
async function pendTool({ store, lease }: Scene, key = 'zoe/act/round-1/try-1/tool', deadline_ms?: number) {
  const start = pendingStart(key, 2, deadline_ms);
  const command = {
    ...start.command,
    call: { ...start.command.call, effect: 'external_side_effect' as const },
    invocation_kind: 'model_elected_tool' as const,
    subject_id: 'zoe',
    node_id: 'act',
    tool_name: 'drink',
  };
  const tool: CallStart = { ...start, command };
  await startCall(store, lease, tool);
  await store.attempts.pendCall(lease, tool.source_invocation_id, pended(tool));
  return tool;
}

/** Suspends Zoe, who waits for a tool. */
async function suspend(scene: Scene): Promise<CallStart> {
  const { store, lease, said } = scene;
  const tool = await pendTool(scene);
  await finishCall(store, lease, answered(said, { text: '{}', finish_reason: 'stop' }));
  const agents = moving(scene, 'suspended');
  assert.equal(await store.attempts.suspend(lease, { at: NOON + 5_000, agents }), 'suspended');
  return tool;
}

async function headOf({ store, lease }: Pick<Scene, 'store' | 'lease'>) {
  const heads = await store.records.agents(lease.world_slug);
  return heads.find(({ agent_id }) => agent_id === 'zoe') ?? assert.fail('there is no head');
}

async function takeOver({ database, store, lease }: Scene) {
  await endLease(database.outside, lease.world_slug);
  return begin(store, lease.world_slug);
}

const turnIdOf = ({ lease }: Pick<Scene, 'lease'>): string => agentTurnId(lease.attempt_id, 'zoe');

/** Zoe's head in a world's table. */
async function storedHead({ database, lease }: Scene): Promise<object | undefined> {
  const [row] = await database.outside.query(
    `SELECT status::text AS status, turn_epoch::int AS turn_epoch, active_agent_turn_id FROM agent_state_heads
     WHERE world_slug = $1 AND agent_id = 'zoe'`,
    [lease.world_slug],
  );
  return row;
}

forEachDatabase('a statement that writes calls', (open) => {
  test('a statement that writes calls leaves the state heads alone: not where calls begin, nor where they end', async () => {
    const { database, store, lease, said } = await openScene(open);
    const tool = toyStart('zoe/act/round-1/try-1/tool', 2);
    const finish = answered(said, { text: '{}', finish_reason: 'stop' });
    const denied = toyStart('turn/other', 3);
    const writes: readonly (() => Promise<Written | Reserved>)[] = [
      () => store.attempts.writeCalls(lease, { finished: [finish], started: [tool] }),
      () => finishCall(store, lease, answered(tool, {})),
      () => startCall(store, lease, { ...denied, refused: refused(denied) }),
    ];
    for (const write of writes) {
      const [text, ...more] = await database.statementsOf(write);
      assert.deepEqual(more, []);
      assert.doesNotMatch(text ?? assert.fail(), /agent_state_heads|agent_inbox/);
    }
  });
});

forEachDatabase('a statement that moves the head of an agent', (open) => {
  const writes: Readonly<Record<string, (scene: Scene) => Promise<Written | Reserved>>> = {
    'lets nothing rest': async (scene) => {
      const agents = moving(scene, 'running');
      const outcome = await scene.store.attempts.suspend(scene.lease, { at: NOON, agents });
      return outcome === 'suspended' ? 'written' : 'overtaken';
    },
    'commits nothing': (scene) => {
      const turn = committing(scene.said, [patchOf({ before: 'rested', after: 'tired' })]);
      return scene.store.attempts.commit(scene.lease, { ...turn, agents: moving(scene, 'idle') });
    },
    'does not end the attempt': async (scene) => {
      const failed = await scene.store.attempts.fail(scene.lease, failingIn(scene));
      return failed === 'overtaken' ? failed : 'written';
    },
  };
  for (const [name, write] of Object.entries(writes)) {
    test(`a statement that moves the head of an agent that has moved meanwhile ${name}, and writes nothing else either`, async () => {
      const scene = await openScene(open);
      const { outside } = scene.database;
      const change = (by: number) =>
        outside.query('UPDATE agent_state_heads SET turn_epoch = turn_epoch + $2 WHERE world_slug = $1', [
          scene.lease.world_slug,
          by,
        ]);
      await change(1);
      const before = await contentsOf(outside);
      assert.equal(await write(scene), 'overtaken');
      assert.equal(await contentsOf(outside), before);
      await change(-1);
      assert.equal(await write(scene), 'written');
    });

    test(`a statement that moves the head of an agent whose turn is another one now ${name}, and writes nothing else either`, async () => {
      const scene = await openScene(open);
      const { outside } = scene.database;
      await outside.query(
        `UPDATE agent_state_heads SET status = 'running', active_agent_turn_id = $2 WHERE world_slug = $1`,
        [scene.lease.world_slug, v7()],
      );
      const before = await contentsOf(outside);
      assert.equal(await write(scene), 'overtaken');
      assert.equal(await contentsOf(outside), before);
    });

    test(`a statement that moves the head of an agent is one statement: it ${name} without another`, async () => {
      const scene = await openScene(open);
      assert.equal((await scene.database.statementsOf(() => write(scene))).length, 1);
    });
  }
});

forEachDatabase('the record of an agent turn', (open) => {
  test('the record of an agent turn begins with an idle head for every agent of a world, and for every one of a fork', async () => {
    const { store } = await open();
    await makeWorld(store, 'original');
    const fork = { world_slug: 'forked', source_slug: 'original', at_turn: 0, created_at: NOON };
    await store.worlds.fork({ ...fork, scenario_hash: DOCUMENTS.scenario.hash });
    const idle = {
      status: 'idle',
      turn_epoch: 0,
      active_agent_turn_id: null,
      activity: null,
      current_tool: null,
      waiting_tool_count: 0,
      resume_deadline: null,
    };
    for (const world_slug of ['original', 'forked'])
      assert.deepEqual(await store.records.agents(world_slug), [
        { agent_id: 'bob', ...idle },
        { agent_id: 'zoe', ...idle },
      ]);
  });

  test('the record of an agent turn is there with the first call of its agent, and found by its id', async () => {
    const scene = await openScene(open);
    const agent_turn_id = turnIdOf(scene);
    const { status, turn_epoch, active_agent_turn_id, activity } = await headOf(scene);
    assert.deepEqual([status, turn_epoch, active_agent_turn_id, activity], ['running', 1, agent_turn_id, 'thinking']);
    for (const id of [agent_turn_id, agent_turn_id.toUpperCase()]) {
      const turn = await scene.store.records.agentTurn(id);
      assert.deepEqual([turn?.agent_turn_id, turn?.outcome, turn?.turn_epoch], [agent_turn_id, null, 1]);
    }
    await scene.store.attempts.fail(scene.lease, failingIn(scene));
    assert.equal((await scene.store.records.agentTurn(agent_turn_id))?.outcome, 'failed');
    assert.equal(await scene.store.records.agentTurn(v7()), undefined);
  });

  test('the record of an agent turn has a message in the inbox once its attempt has ended, which names it', async () => {
    const scene = await openScene(open);
    await scene.store.attempts.fail(scene.lease, failingIn(scene));
    const agent_turn_id = turnIdOf(scene);
    const rows = await scene.database.outside.query(
      `SELECT status, message_type, agent_id, turn_epoch::int AS turn_epoch, agent_turn_id, inbox_id, attempt_id
       FROM agent_inbox WHERE world_slug = $1`,
      [scene.lease.world_slug],
    );
    const { attempt_id } = scene.lease;
    const inbox_id = namedUuid(agent_turn_id, 'inbox');
    const turn = { message_type: 'turn', agent_id: 'zoe', turn_epoch: 1, agent_turn_id, inbox_id, attempt_id };
    assert.deepEqual(rows, [{ status: 'consumed', ...turn }]);
    assert.equal((await scene.store.records.agentTurn(agent_turn_id))?.inbox_id, inbox_id);
  });

  test('the record of an agent turn is named by the message to its attempt: a report, an expired deadline, a stop', async () => {
    const scene = await openScene(open);
    const { store, lease } = scene;
    await pendTool(scene, 'zoe/late', 1);
    await waitUntil(async () => (await store.pending.expire([v7()])) === 1);
    const { source_invocation_id } = scene.said;
    await store.inbox.report({ inbox_id: v7(), source_invocation_id, payload: {} });
    await store.inbox.stop({ inbox_id: v7(), attempt_id: lease.attempt_id, payload: {} });
    const messages = await scene.database.outside.query(
      `SELECT message_type, agent_id, turn_epoch::int AS turn_epoch, agent_turn_id FROM agent_inbox
       WHERE world_slug = $1 AND message_type <> 'turn' ORDER BY message_type::text`,
      [lease.world_slug],
    );
    const its = { agent_id: 'zoe', turn_epoch: 1, agent_turn_id: turnIdOf(scene) };
    assert.deepEqual(
      messages,
      ['stop', 'timeout', 'tool_result'].map((message_type) => ({ message_type, ...its })),
    );
  });

  test('the record of an agent turn keeps the calls that a suspended agent waits for, and its head is written suspended', async () => {
    const scene = await openScene(open);
    const tool = await suspend(scene);
    const agent_turn_id = turnIdOf(scene);
    assert.deepEqual(await storedHead(scene), {
      status: 'suspended',
      turn_epoch: 1,
      active_agent_turn_id: agent_turn_id,
    });
    const { status, activity, current_tool, waiting_tool_count, resume_deadline } = await headOf(scene);
    const [awaited] = await scene.store.pending.awaitedBy(scene.lease.attempt_id);
    assert.deepEqual(
      [status, activity, current_tool, waiting_tool_count, resume_deadline],
      ['suspended', 'awaiting_tool_result', 'drink', 1, awaited?.deadline],
    );
    const turn = await scene.store.records.agentTurn(agent_turn_id);
    assert.deepEqual(turn?.waiting_tools, [
      {
        tool_call_id: tool.source_invocation_id,
        registered_at: new Date(NOON + 5_000).toISOString(),
        received_at: null,
      },
    ]);
  });

  test('the record of an agent turn of an attempt that ended without a call of its agent says why it ended', async () => {
    const { store } = await open();
    await makeWorld(store, 'unasked');
    const { lease, heads } = await begin(store, 'unasked');
    await store.attempts.fail(lease, failingIn({ heads }));
    const { agent_turns } = (await store.records.attempt(lease.attempt_id)) ?? assert.fail();
    const turn = await store.records.agentTurn(agent_turns[0]?.agent_turn_id ?? '');
    assert.deepEqual(
      [agent_turns.length, turn?.agent_id, turn?.outcome, turn?.context_box],
      [1, 'zoe', 'failed', null],
    );
    assert.deepEqual(turn?.output_box.cards[0]?.content, {
      failure_class: 'http_status',
      message: 'The toy said 500.',
    });
  });
});

forEachDatabase('the epoch of an agent turn', (open) => {
  test('the epoch of an agent turn rises when its driver is taken over, and a write with the epoch before changes nothing', async () => {
    const scene = await openScene(open);
    const { store, database } = scene;
    const { lease, heads } = await takeOver(scene);
    assert.deepEqual(heads.get('zoe'), { turn_epoch: 2, is_active: true } satisfies AgentHead);
    assert.deepEqual(heads.get('bob'), { turn_epoch: 0, is_active: false } satisfies AgentHead);
    assert.equal((await headOf(scene)).turn_epoch, 2);
    assert.equal((await store.records.agentTurn(turnIdOf(scene)))?.turn_epoch, 2);
    const before = await contentsOf(database.outside);
    assert.equal(await store.attempts.fail(lease, failingIn(scene)), 'overtaken');
    assert.equal(await contentsOf(database.outside), before);
    assert.equal(await store.attempts.fail(lease, failingIn({ heads })), 'written');
    assert.deepEqual(await storedHead(scene), { status: 'idle', turn_epoch: 2, active_agent_turn_id: null });
  });

  test('the epoch of an agent turn is raised by the statement that takes the world', async () => {
    const scene = await openScene(open);
    await endLease(scene.database.outside, scene.lease.world_slug);
    const statements = await scene.database.statementsOf(() => begin(scene.store, scene.lease.world_slug));
    const raising = statements.filter((text) => text.includes('UPDATE agent_state_heads'));
    assert.notEqual(raising.length, 0);
    for (const text of raising) assert.match(text, /UPDATE worlds/);
  });

  test('the epoch of an agent turn is said by the end of the turn, and what happened before the take-over keeps its own', async () => {
    const scene = await openScene(open);
    const { store } = scene;
    const { lease, heads } = await takeOver(scene);
    await store.attempts.fail(lease, failingIn({ heads }));
    const turn = (await store.records.agentTurn(turnIdOf(scene))) ?? assert.fail();
    const states = turn.events.filter(({ subject }) => subject === 'evt.agent.zoe.state');
    assert.deepEqual(
      states.map(({ payload }) => [payload['status'], payload['turn_epoch']]),
      [
        ['dispatched', 1],
        ['running', 1],
        ['idle', 2],
      ],
    );
  });

  test('the epoch of an agent turn is followed by that of the next turn, and a turn that has ended keeps its own', async () => {
    const scene = await openScene(open);
    const first = await takeOver(scene);
    await scene.store.attempts.fail(first.lease, failingIn(first));
    const next = await begin(scene.store, scene.lease.world_slug);
    await startCall(scene.store, next.lease, generationStart(1, [SYSTEM]));
    await takeOver(scene);
    assert.equal((await headOf(scene)).turn_epoch, 4);
    assert.equal((await scene.store.records.agentTurn(turnIdOf(scene)))?.turn_epoch, 2);
  });

  test('the epoch of an agent turn stays where its attempt was handed over, and is written when that is continued', async () => {
    const scene = await openScene(open);
    await scene.store.attempts.handOver(scene.lease, { at: NOON, has_broken: false });
    const { lease, heads } = await begin(scene.store, scene.lease.world_slug);
    assert.deepEqual(heads.get('zoe'), { turn_epoch: 1, is_active: true } satisfies AgentHead);
    await scene.store.attempts.fail(lease, failingIn({ heads }));
    const turn = await scene.store.records.agentTurn(turnIdOf(scene));
    assert.deepEqual([turn?.outcome, turn?.turn_epoch], ['failed', 1]);
  });

  test('the epoch of an agent turn stays where a suspended attempt is resumed', async () => {
    const scene = await openScene(open);
    const { source_invocation_id } = await suspend(scene);
    await scene.store.inbox.report({ inbox_id: v7(), source_invocation_id, payload: {} });
    const { heads } = await begin(scene.store, scene.lease.world_slug);
    assert.deepEqual(heads.get('zoe'), { turn_epoch: 1, is_active: true } satisfies AgentHead);
    assert.equal((await headOf(scene)).turn_epoch, 1);
  });

  test('the epoch of an agent turn can be raised while the driver before ends the attempt: that waits for the world, and holds no head', async () => {
    const scene = await openScene(open);
    const { kind, database, outside } = scene.database;
    if (kind === 'embedded') return;
    const taker = await database.pool.connect();
    try {
      await taker.query('BEGIN');
      await taker.query('SELECT FROM worlds WHERE world_slug = $1 FOR UPDATE', [scene.lease.world_slug]);
      const late = scene.store.attempts.fail(scene.lease, failingIn(scene));
      assert.equal(await isHeldUp(late, outside), true);
      await taker.query('SELECT FROM agent_state_heads WHERE world_slug = $1 FOR UPDATE NOWAIT', [
        scene.lease.world_slug,
      ]);
      await taker.query('UPDATE worlds SET lease_epoch = lease_epoch + 1 WHERE world_slug = $1', [
        scene.lease.world_slug,
      ]);
      await taker.query('COMMIT');
      assert.equal(await late, 'overtaken');
    } finally {
      taker.release(true);
    }
  });
});

forEachDatabase('a call in doubt', (open) => {
  test('a call in doubt that is settled as performed leaves its answer on a card of the agent turn, behind the others', async () => {
    const scene = await openScene(open);
    const { store, lease } = scene;
    const { source_invocation_id } = await pendTool(scene);
    assert.equal(await store.attempts.fail(lease, failingIn(scene)), 'written');
    const cardsNow = async () => (await store.records.agentTurn(turnIdOf(scene)))?.output_box.cards ?? [];
    const before = await cardsNow();
    assert.deepEqual(
      before.map(({ kind }) => kind),
      ['tool.call', 'task.deliverable'],
    );
    const { attempt_id } = lease;
    const settlement = { attempt_id, source_invocation_id, answer: { temperature: 7 }, settled_at: NOON, ...BY_HAND };
    assert.equal((await store.attempts.settle(settlement)).kind, 'settled');
    const [result, ...more] = (await cardsNow()).slice(before.length);
    assert.deepEqual([result?.kind, result?.source_invocation_id, more], ['tool.result', source_invocation_id, []]);
    const [shown] = await store.records.exchanges(lease.world_slug, [source_invocation_id]);
    assert.deepEqual([shown?.response_json, shown?.failure_class], [{ temperature: 7 }, null]);
  });
});

forEachDatabase('the database itself', (open) => {
  test('the database itself names agent turns as the program does', async () => {
    const { outside } = await open();
    for (const names of [
      [v7(), 'bob'],
      [v7(), 'a-b_c9'],
      [v7(), 'inbox'],
    ] as const) {
      const [row] = await outside.query<{ id: string }>('SELECT named_uuid($1, $2) AS id', names);
      assert.equal(row?.id, namedUuid(...names));
    }
  });

  test('the database itself gives an agent one turn at a time', async () => {
    const scene = await openScene(open);
    await suspend(scene);
    await assert.rejects(
      scene.database.outside.query(
        `INSERT INTO agent_inbox (world_slug, inbox_id, agent_id, message_type, status, next_retry_at)
         VALUES ($1, $2, 'zoe', 'turn', 'pending', 'infinity')`,
        [scene.lease.world_slug, v7()],
      ),
      /agent_inbox_agent_turn_idx/,
    );
  });
});
