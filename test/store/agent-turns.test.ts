import assert from 'node:assert/strict';
import { test } from 'node:test';
import { v7 } from 'uuid';
import type { AgentBook } from '../../engine/core/agents/book.js';
import { endTurns } from '../../engine/core/agents/end-turns.js';
import type { AgentRecord } from '../../engine/core/agents/record.js';
import { recordTransitions } from '../../engine/core/agents/record-transitions.js';
import { type AgentTransition, timed } from '../../engine/core/agents/transition.js';
import type { AttemptLease, CallStart, Written } from '../../engine/ports/attempts.js';
import type { Store } from '../../engine/ports/records.js';
import { forEachDatabase, type TestDatabase } from '../support/databases.js';
import { waitUntil } from '../support/wait-until.js';
import { isHeldUp } from './held-up.js';
import {
  answered,
  begin,
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

const TASK = { workflow_hash: DOCUMENTS.workflow.hash, answer_schema_hash: DOCUMENTS.schema.hash };
const SYSTEM = message('system', 'author', 'You are Zoe.');

/** Zoe in the middle of her turn: she was given it, has entered, and her model is being asked. */
interface Scene {
  readonly database: TestDatabase;
  readonly store: Store;
  readonly lease: AttemptLease;
  readonly said: CallStart & { readonly llm_call_id: string };
  readonly book: AgentBook;
}

let worlds = 0;

const secondsAfterNoon = (seconds: number): string => new Date(NOON + seconds * 1_000).toISOString();

async function openScene(open: () => Promise<TestDatabase>): Promise<Scene> {
  const database = await open();
  const { store } = database;
  const world_slug = `scene-${(worlds += 1)}`;
  await makeWorld(store, world_slug);
  const { lease, agents } = await begin(store, world_slug);
  const said = generationStart(1, [SYSTEM]);
  const { book, record } = tell(agents, [
    { kind: 'dispatched', subject_id: 'zoe' },
    { kind: 'entered', subject_id: 'zoe', ...TASK, reading_keys: [] },
  ]);
  assert.equal(await startCall(store, lease, said), 'written');
  assert.equal(await store.attempts.tellOfAgents(lease, record), 'written');
  return { database, store, lease, said, book };
}

/** What transitions leave, of which each takes a second, the first of them at noon. */
function tell(book: AgentBook, transitions: readonly AgentTransition[], call?: CallStart) {
  const happened = transitions.flatMap((transition, index) => timed([transition], NOON + index * 1_000));
  return recordTransitions(book, happened, () => call ?? assert.fail('no call is pointed at'));
}

const answering = ({ book, said }: Scene): AgentRecord =>
  tell(book, [{ kind: 'answered', subject_id: 'zoe', call_key: said.command.key }], said).record;

const succeeding = ({ book, said }: Scene): AgentRecord => {
  const answer: AgentTransition = { kind: 'answered', subject_id: 'zoe', call_key: said.command.key };
  const ending = { kind: 'commit', patches: [{ subject_id: 'zoe', patch_seq: 1 }], at: NOON } as const;
  return tell(book, [answer, ...endTurns(book, ending)], said).record;
};

const givingUp = ({ book }: Scene): AgentRecord => tell(book, endTurns(book, FAILURE)).record;

const FAILURE = { ...failing().failure, at: NOON };

/** The tables that tell of agents, and nothing else. */
const OF_AGENTS = /agent_(state_heads|turns|events)|boxes|\bcards|execution_edges|turn_waiting_tools/;

forEachDatabase('a statement that tells of no agent', (open) => {
  test('opens none of their tables: not where calls begin, nor where they end', async () => {
    const { database, store, lease, said } = await openScene(open);
    const tool = toyStart('zoe/act/round-1/try-1/tool', 2);
    const finish = answered(said, { text: '{}', finish_reason: 'stop' });
    const denied = toyStart('turn/other', 3);
    const writes: readonly (() => Promise<Written>)[] = [
      () => store.attempts.writeCalls(lease, { finished: [finish], started: [tool] }),
      () => finishCall(store, lease, answered(tool, {})),
      () => startCall(store, lease, { ...denied, refused: refused(denied) }),
    ];
    for (const write of writes) {
      const [text, ...more] = await database.statementsOf(write);
      assert.deepEqual(more, []);
      assert.doesNotMatch(text ?? assert.fail(), OF_AGENTS);
    }
  });
});

forEachDatabase('a statement that tells of an agent', (open) => {
  const writes: Readonly<Record<string, (scene: Scene) => Promise<Written>>> = {
    'tells nothing': (scene) => scene.store.attempts.tellOfAgents(scene.lease, answering(scene)),
    'lets nothing rest': async (scene) => {
      const rested = await scene.store.attempts.suspend(scene.lease, { at: NOON, agents: answering(scene) });
      return rested === 'rested' ? 'written' : 'overtaken';
    },
    'commits nothing': (scene) => {
      const turn = committing(scene.said, [patchOf({ before: 'rested', after: 'tired' })]);
      return scene.store.attempts.commit(scene.lease, { ...turn, agents: succeeding(scene) });
    },
    'does not end the attempt': async (scene) => {
      const failed = await scene.store.attempts.fail(scene.lease, { ...failing(), agents: givingUp(scene) });
      return failed === 'overtaken' ? failed : 'written';
    },
  };
  for (const [name, write] of Object.entries(writes)) {
    test(`whose head has moved meanwhile ${name}, and nothing else either`, async () => {
      const scene = await openScene(open);
      const { outside } = scene.database;
      await outside.query('UPDATE agent_state_heads SET turn_epoch = turn_epoch + 1 WHERE world_slug = $1', [
        scene.lease.world_slug,
      ]);
      const before = await contentsOf(outside);
      assert.equal(await write(scene), 'overtaken');
      assert.equal(await contentsOf(outside), before);
      await outside.query('UPDATE agent_state_heads SET turn_epoch = turn_epoch - 1 WHERE world_slug = $1', [
        scene.lease.world_slug,
      ]);
      assert.equal(await write(scene), 'written');
    });
  }

  for (const [name, write] of Object.entries(writes)) {
    test(`costs no statement more than one that does not: it ${name} by one`, async () => {
      const scene = await openScene(open);
      assert.equal((await scene.database.statementsOf(() => write(scene))).length, 1);
    });
  }
});

forEachDatabase('the record of an agent turn', (open) => {
  test('begins with an idle head for every agent of a world, and for every one of a fork', async () => {
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

  test('is read back by whoever goes on with the attempt, as its driver knew it', async () => {
    const scene = await openScene(open);
    const finish = answered(scene.said, { text: '{}', finish_reason: 'stop' });
    const known = tell(scene.book, [{ kind: 'answered', subject_id: 'zoe', call_key: 'said' }], scene.said);
    await finishCall(scene.store, scene.lease, finish);
    await scene.store.attempts.tellOfAgents(scene.lease, known.record);
    await scene.store.attempts.handOver(scene.lease, { at: NOON, has_broken: false });
    const { agents } = await begin(scene.store, scene.lease.world_slug);
    const { source_invocation_id, llm_call_id } = scene.said;
    const turn = known.book.turns.get('zoe') ?? assert.fail();
    assert.deepEqual(agents.turns.get('zoe'), { ...turn, answer: { source_invocation_id, llm_call_id } });
    assert.deepEqual([agents.recorded, agents.turn_epochs], [known.book.recorded, known.book.turn_epochs]);
  });

  test('has a message in the inbox, which is over when the attempt is', async () => {
    const scene = await openScene(open);
    const { outside } = scene.database;
    const read = () =>
      outside.query(
        `SELECT status, message_type, agent_id, turn_epoch::int AS turn_epoch, agent_turn_id = $2 AS is_its
         FROM agent_inbox WHERE world_slug = $1`,
        [scene.lease.world_slug, scene.book.turns.get('zoe')?.agent_turn_id],
      );
    const turn = { message_type: 'turn', agent_id: 'zoe', turn_epoch: 1, is_its: true };
    assert.deepEqual(await read(), [{ status: 'pending', ...turn }]);
    await scene.store.attempts.fail(scene.lease, { ...failing(), agents: givingUp(scene) });
    assert.deepEqual(await read(), [{ status: 'consumed', ...turn }]);
  });

  test('is named by what its attempt is told: a report, a deadline that passed, a stop', async () => {
    const scene = await openScene(open);
    const { store, lease } = scene;
    const ofZoe = (call: CallStart): CallStart => ({ ...call, command: { ...call.command, subject_id: 'zoe' } });
    const [late, reported] = [ofZoe(pendingStart('zoe/late', 2, 1)), ofZoe(pendingStart('zoe/reported', 3))];
    for (const call of [late, reported]) {
      await startCall(store, lease, call);
      await store.attempts.pendCall(lease, call.source_invocation_id, pended(call));
    }
    await waitUntil(async () => (await store.pending.expire([v7()])) === 1);
    const { source_invocation_id } = reported;
    await store.inbox.report({ inbox_id: v7(), source_invocation_id, payload: {} });
    await store.inbox.stop({ inbox_id: v7(), attempt_id: lease.attempt_id, payload: {} });
    const told = await scene.database.outside.query(
      `SELECT message_type, agent_id, turn_epoch::int AS turn_epoch, agent_turn_id FROM agent_inbox
       WHERE world_slug = $1 AND message_type <> 'turn' ORDER BY message_type::text`,
      [lease.world_slug],
    );
    const agent_turn_id = scene.book.turns.get('zoe')?.agent_turn_id;
    const its = { agent_id: 'zoe', turn_epoch: 1, agent_turn_id };
    assert.deepEqual(
      told,
      ['stop', 'timeout', 'tool_result'].map((message_type) => ({ message_type, ...its })),
    );
  });

  test('may begin and end in one statement', async () => {
    const { store } = await open();
    await makeWorld(store, 'at-once');
    const { lease, agents } = await begin(store, 'at-once');
    const begun = tell(agents, [{ kind: 'dispatched', subject_id: 'zoe' }]);
    const { record } = tell(agents, [
      { kind: 'dispatched', subject_id: 'zoe' },
      ...endTurns(begun.book, {
        kind: 'fail',
        failure_class: 'template_unresolved',
        message: 'Nothing is there.',
        at: NOON,
      }),
    ]);
    assert.equal(await store.attempts.fail(lease, { ...failing(), agents: record }), 'written');
    const [head] = (await store.records.agents('at-once')).filter(({ agent_id }) => agent_id === 'zoe');
    assert.deepEqual([head?.status, head?.turn_epoch], ['idle', 1]);
    const turn = await store.records.agentTurn(record.turns[0]?.agent_turn_id ?? '');
    assert.deepEqual([turn?.outcome, turn?.context_box], ['failed', null]);
    assert.deepEqual([turn?.began_at, turn?.ended_at], [secondsAfterNoon(0), secondsAfterNoon(1)]);
    assert.deepEqual(turn?.output_box.cards[0]?.content, {
      failure_class: 'template_unresolved',
      message: 'Nothing is there.',
    });
  });

  test('may be whole in one statement, in which each row has its own time', async () => {
    const { store } = await open();
    await makeWorld(store, 'whole');
    const { lease, agents } = await begin(store, 'whole');
    const said = generationStart(1, [SYSTEM]);
    await startCall(store, lease, said);
    const told: readonly AgentTransition[] = [
      { kind: 'dispatched', subject_id: 'zoe' },
      { kind: 'entered', subject_id: 'zoe', ...TASK, reading_keys: [] },
      { kind: 'tool_called', subject_id: 'zoe', call_key: 'said', tool_name: 'drink' },
      { kind: 'suspended', subject_id: 'zoe', call_keys: ['said'], resume_deadline: NOON },
      { kind: 'tool_answered', subject_id: 'zoe', call_key: 'said', tool_name: 'drink' },
      { kind: 'answered', subject_id: 'zoe', call_key: 'said' },
    ];
    const { book } = tell(agents, told, said);
    const { record } = tell(agents, [...told, ...endTurns(book, FAILURE)], said);
    await store.attempts.fail(lease, { ...failing(), agents: record });
    const turn = (await store.records.agentTurn(record.turns[0]?.agent_turn_id ?? '')) ?? assert.fail();
    assert.deepEqual(
      [turn.began_at, turn.ended_at, turn.outcome],
      [secondsAfterNoon(0), secondsAfterNoon(6), 'failed'],
    );
    const secondsOf = (rows: readonly { readonly occurred_at: string }[]) =>
      rows.map(({ occurred_at }) => (Date.parse(occurred_at) - NOON) / 1_000);
    assert.deepEqual(secondsOf(turn.events), [0, 0, 1, 2, 2, 3, 4, 4, 5, 5, 6, 6]);
    assert.deepEqual(secondsOf(turn.execution_edges), [0, 0, 2, 4, 6]);
    assert.deepEqual(
      turn.waiting_tools.map(({ registered_at, received_at }) => [registered_at, received_at]),
      [[secondsAfterNoon(3), secondsAfterNoon(4)]],
    );
    assert.deepEqual(
      turn.output_box.cards.map(({ kind }) => kind),
      ['tool.call', 'tool.result', 'task.deliverable'],
    );
    const [head] = (await store.records.agents('whole')).filter(({ agent_id }) => agent_id === 'zoe');
    assert.deepEqual([head?.status, head?.turn_epoch, head?.active_agent_turn_id], ['idle', 1, null]);
  });

  test('keeps the calls that a suspended agent waits for', async () => {
    const scene = await openScene(open);
    const tool = toyStart('zoe/act/round-1/try-1/tool', 2);
    const suspended = tell(
      scene.book,
      [
        { kind: 'tool_called', subject_id: 'zoe', call_key: 'tool', tool_name: 'drink' },
        { kind: 'suspended', subject_id: 'zoe', call_keys: ['tool'], resume_deadline: NOON + 5000 },
      ],
      tool,
    );
    await startCall(scene.store, scene.lease, tool);
    await scene.store.attempts.tellOfAgents(scene.lease, suspended.record);
    const head = (await scene.store.records.agents(scene.lease.world_slug)).find(({ agent_id }) => agent_id === 'zoe');
    assert.deepEqual(
      [head?.status, head?.activity, head?.waiting_tool_count, head?.resume_deadline],
      ['suspended', 'awaiting_tool_result', 1, new Date(NOON + 5000).toISOString()],
    );
    await scene.store.attempts.handOver(scene.lease, { at: NOON, has_broken: false });
    const next = await begin(scene.store, scene.lease.world_slug);
    assert.deepEqual(next.agents.turns.get('zoe'), suspended.book.turns.get('zoe'));
    const heard = tell(
      next.agents,
      [{ kind: 'tool_answered', subject_id: 'zoe', call_key: 'tool', tool_name: 'drink' }],
      tool,
    );
    await scene.store.attempts.tellOfAgents(next.lease, heard.record);
    const turn = await scene.store.records.agentTurn(head?.active_agent_turn_id ?? '');
    const [waited] = turn?.waiting_tools ?? [];
    assert.equal(waited?.tool_call_id, tool.source_invocation_id);
    assert.deepEqual([waited?.registered_at, waited?.received_at], [secondsAfterNoon(1), secondsAfterNoon(0)]);
  });
});

forEachDatabase('the epoch of an agent turn', (open) => {
  const readEpochs = async ({ store, lease, book }: Scene) => {
    const agent_turn_id = book.turns.get('zoe')?.agent_turn_id ?? assert.fail();
    const heads = await store.records.agents(lease.world_slug);
    return {
      heads: Object.fromEntries(heads.map(({ agent_id, turn_epoch }) => [agent_id, turn_epoch])),
      turn: (await store.records.agentTurn(agent_turn_id))?.turn_epoch,
    };
  };

  const takeOver = async ({ database, store, lease }: Scene) => {
    await endLease(database.outside, lease.world_slug);
    return begin(store, lease.world_slug);
  };

  test('rises when its driver is taken over, and a write with the epoch before changes nothing', async () => {
    const scene = await openScene(open);
    const { store, database } = scene;
    const { lease, agents } = await takeOver(scene);
    assert.deepEqual(await readEpochs(scene), { heads: { bob: 0, zoe: 2 }, turn: 2 });
    assert.deepEqual([agents.turn_epochs.get('zoe'), agents.turns.get('zoe')?.turn_epoch], [2, 2]);
    const before = await contentsOf(database.outside);
    assert.equal(await store.attempts.tellOfAgents(lease, answering(scene)), 'overtaken');
    assert.equal(await contentsOf(database.outside), before);
    assert.equal(await store.attempts.tellOfAgents(lease, answering({ ...scene, book: agents })), 'written');
  });

  test('is raised by the statement that takes the world', async () => {
    const scene = await openScene(open);
    const { outside } = scene.database;
    await endLease(outside, scene.lease.world_slug);
    const statements = await scene.database.statementsOf(() => begin(scene.store, scene.lease.world_slug));
    const raising = statements.filter((text) => /UPDATE (agent_state_heads|agent_turns)/.test(text));
    assert.notEqual(raising.length, 0);
    for (const text of raising) assert.match(text, /UPDATE worlds/);
  });

  test('is said by the end of the turn, and what was written before the take-over keeps its own', async () => {
    const scene = await openScene(open);
    const { store, database } = scene;
    const { world_slug } = scene.lease;
    const { lease, agents } = await takeOver(scene);
    await store.attempts.fail(lease, { ...failing(), agents: givingUp({ ...scene, book: agents }) });
    const agent_turn_id = scene.book.turns.get('zoe')?.agent_turn_id ?? assert.fail();
    const turn = (await store.records.agentTurn(agent_turn_id)) ?? assert.fail();
    const states = turn.events.filter(({ subject }) => subject === 'evt.agent.zoe.state');
    assert.deepEqual(
      states.map(({ payload }) => [payload['status'], payload['turn_epoch']]),
      [
        ['dispatched', 1],
        ['running', 1],
        ['idle', 2],
      ],
    );
    const [message] = await database.outside.query<{ readonly turn_epoch: number }>(
      'SELECT turn_epoch::int AS turn_epoch FROM agent_inbox WHERE world_slug = $1',
      [world_slug],
    );
    assert.equal(message?.turn_epoch, 1);
  });

  test('is followed by the next turn, and a turn that has ended keeps its own', async () => {
    const scene = await openScene(open);
    const { store } = scene;
    const { world_slug } = scene.lease;
    const first = await takeOver(scene);
    await store.attempts.fail(first.lease, { ...failing(), agents: givingUp({ ...scene, book: first.agents }) });
    const next = await begin(store, world_slug);
    const dispatched = tell(next.agents, [{ kind: 'dispatched', subject_id: 'zoe' }]);
    await store.attempts.tellOfAgents(next.lease, dispatched.record);
    await takeOver({ ...scene, lease: next.lease });
    assert.deepEqual(await readEpochs(scene), { heads: { bob: 0, zoe: 4 }, turn: 2 });
  });

  test('stays where a suspended attempt is resumed', async () => {
    const scene = await openScene(open);
    const { store, lease } = scene;
    const tool = pendingStart('zoe/act/round-1/try-1/tool', 2);
    await startCall(store, lease, tool);
    await finishCall(store, lease, answered(scene.said, { text: '{}', finish_reason: 'stop' }));
    await store.attempts.pendCall(lease, tool.source_invocation_id, pended(tool));
    const { book, record } = tell(
      scene.book,
      [
        { kind: 'tool_called', subject_id: 'zoe', call_key: 'tool', tool_name: 'drink' },
        { kind: 'suspended', subject_id: 'zoe', call_keys: ['tool'], resume_deadline: NOON },
      ],
      tool,
    );
    assert.equal(await store.attempts.suspend(lease, { at: NOON, agents: record }), 'rested');
    const { source_invocation_id } = tool;
    await store.inbox.report({ inbox_id: v7(), source_invocation_id, payload: {} });
    const { agents } = await begin(store, lease.world_slug);
    assert.deepEqual(agents.turns.get('zoe'), book.turns.get('zoe'));
    assert.deepEqual(await readEpochs(scene), { heads: { bob: 0, zoe: 1 }, turn: 1 });
  });

  const lateWrites: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
    'tells of agents': (scene) => scene.store.attempts.tellOfAgents(scene.lease, answering(scene)),
    'ends the attempt': (scene) => scene.store.attempts.fail(scene.lease, { ...failing(), agents: givingUp(scene) }),
  };
  for (const [name, write] of Object.entries(lateWrites))
    test(`can be raised while the driver before ${name}: that waits for the world, and holds no head`, async () => {
      const scene = await openScene(open);
      const { kind, database, outside } = scene.database;
      if (kind === 'embedded') return;
      const taker = await database.pool.connect();
      try {
        await taker.query('BEGIN');
        await taker.query('SELECT FROM worlds WHERE world_slug = $1 FOR UPDATE', [scene.lease.world_slug]);
        const late = write(scene);
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

forEachDatabase('the database itself', (open) => {
  const CARD = `INSERT INTO cards (world_slug, box_id, position, card_id, agent_turn_id, card_limit, kind, content)
    SELECT world_slug, box_id, $2::int, $3::uuid, $4::uuid, card_limit, 'tool.result', '{}' FROM boxes
    WHERE world_slug = $1 AND kind = $5::box_kind AND agent_turn_id = $6::uuid`;

  test('lets nobody but its agent turn write into an output box', async () => {
    const scene = await openScene(open);
    const { world_slug } = scene.lease;
    const turn = scene.book.turns.get('zoe')?.agent_turn_id;
    const stranger = tell(scene.book, [{ kind: 'dispatched', subject_id: 'bob' }]);
    await scene.store.attempts.tellOfAgents(scene.lease, stranger.record);
    const other = stranger.book.turns.get('bob')?.agent_turn_id;
    const { outside } = scene.database;
    await assert.rejects(outside.query(CARD, [world_slug, 1, v7(), other, 'output', turn]), /cards.*fkey/);
    await outside.query(CARD, [world_slug, 1, v7(), turn, 'output', turn]);
  });

  test('lets nobody change a context box, nor add to it', async () => {
    const scene = await openScene(open);
    const { world_slug } = scene.lease;
    const turn = scene.book.turns.get('zoe')?.agent_turn_id;
    const { outside } = scene.database;
    await assert.rejects(outside.query(CARD, [world_slug, 3, v7(), turn, 'context', turn]), /cards_check/);
    await assert.rejects(outside.query(CARD, [world_slug, 2, v7(), turn, 'context', turn]), /cards_pkey/);
    for (const change of [
      `UPDATE cards SET content = '{}' WHERE world_slug = $1`,
      'DELETE FROM cards WHERE world_slug = $1',
      'UPDATE boxes SET card_limit = 9 WHERE world_slug = $1',
      'DELETE FROM agent_events WHERE world_slug = $1',
      'DELETE FROM execution_edges WHERE world_slug = $1',
    ])
      await assert.rejects(outside.query(change, [world_slug]), /append-only/);
  });

  test('has room for one end of an agent turn, with a deliverable in its own output box', async () => {
    const scene = await openScene(open);
    const { world_slug } = scene.lease;
    const turn = scene.book.turns.get('zoe')?.agent_turn_id;
    const { outside } = scene.database;
    const end = (deliverable: string | null) =>
      outside.query(
        `UPDATE agent_turns SET outcome = 'success', ended_at = now(), deliverable_card_id = $3
         WHERE world_slug = $1 AND agent_turn_id = $2`,
        [world_slug, turn, deliverable],
      );
    await assert.rejects(end(null), /agent_turns_check/);
    await assert.rejects(end(v7()), /agent_turns_deliverable_fk/);
    await scene.store.attempts.fail(scene.lease, { ...failing(), agents: givingUp(scene) });
    const again = (transition: string) =>
      outside.query(
        `INSERT INTO agent_events (world_slug, agent_turn_id, transition, kind, agent_id, occurred_at, payload)
         VALUES ($1, $2, $3, 'task', 'zoe', now(), '{}')`,
        [world_slug, turn, transition],
      );
    await assert.rejects(again('ended'), /agent_events_pkey/);
    await assert.rejects(again('ended again'), /agent_events_check/);
  });

  test('gives an agent one turn at a time', async () => {
    const scene = await openScene(open);
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
