import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Engine } from '../../engine/operations/engine.js';
import { runTurns } from '../../engine/operations/running/run-turns.js';
import type { AgentTurnRecord } from '../../engine/core/agents/agent-turn.js';
import type { AttemptRecord } from '../../engine/ports/records.js';
import type { CallOutcome, CallSource } from '../../engine/ports/sources.js';
import { must } from '../support/park-stage.js';
import { type Arena, openArena } from '../chaos/arena.js';

/** A test's action while a source is called, after the call's row is written. */
type While = (key: string) => Promise<CallOutcome | undefined>;

function interposed(callSource: CallSource, meanwhile: While): CallSource {
  return async (command, surroundings, recorder) => {
    let instead: CallOutcome | undefined;
    const outcome = await callSource(command, surroundings, {
      ...recorder,
      started: async () => {
        await recorder.started({});
        instead = await meanwhile(command.key);
      },
    });
    return instead ?? outcome;
  };
}

interface Turned {
  readonly attempt: AttemptRecord;
  readonly turns: readonly AgentTurnRecord[];
}

/** Plays the third turn of the park, in which tools are called, and gives its result. */
async function playTurn(arena: Arena, meanwhile: While, signal = new AbortController().signal): Promise<Turned> {
  const world_slug = await arena.makeWorld('park');
  await arena.play(world_slug, Infinity, 2);
  const engine: Engine = arena.freshEngine();
  const callSource = interposed(engine.runtime.callSource, (key) => meanwhile(key));
  const watched: Engine = { ...engine, runtime: { ...engine.runtime, callSource } };
  must(await runTurns(watched, { world_slug, turns: 1, signal, onProgress: () => {} }));
  const { records } = arena.freshStore();
  const summary = (await records.attempts(world_slug)).at(-1);
  const attempt = (await records.attempt(summary?.attempt_id ?? '')) ?? assert.fail();
  const turns = await Promise.all(
    attempt.agent_turns.map(async ({ agent_turn_id }) => (await records.agentTurn(agent_turn_id)) ?? assert.fail()),
  );
  for (const { status } of await records.agents(world_slug)) assert.equal(status, 'idle');
  return { attempt, turns };
}

/** A call that ends badly, whatever its source has answered. */
function broken(key: string, failure_class: 'timeout' | 'http_status'): CallOutcome {
  const ended = { ended_at: Date.now(), duration_ms: 5, validation_status: 'not_checked' as const };
  return { key, status: 'failed', failure_class, failure_message: 'It went wrong.', refused: false, ...ended };
}

function endsOf({ turns }: Turned): readonly (readonly unknown[])[] {
  return turns.map(({ agent_id, outcome, output_box, deliverable_card_id, events }) => {
    const tasks = events.filter(({ subject }) => subject === `evt.agent.${agent_id}.task`);
    assert.deepEqual(
      tasks.map(({ payload }) => [payload['status'], payload['deliverable_card_id'], payload['output_box_id']]),
      [[outcome, deliverable_card_id, output_box.box_id]],
    );
    const card = output_box.cards.find(({ card_id }) => card_id === deliverable_card_id);
    assert.equal(card?.kind, 'task.deliverable');
    return [agent_id, outcome, card.patch_seq, card.content, card.llm_call_id !== null];
  });
}

describe('the agents of an attempt', () => {
  let arena: Promise<Arena> | undefined;
  after(async () => (await arena)?.close());
  const open = (): Promise<Arena> => (arena ??= openArena('PostgreSQL'));

  test('are seen from outside to be where the attempt is, while a source takes its time', async () => {
    const arena = await open();
    const seen: string[] = [];
    await playTurn(arena, async (key) => {
      seen.push(`${key}: ${await listHeads(arena)}`);
      return undefined;
    });
    const isOfTurn = (line: string): boolean => line.startsWith('turn/');
    assert.deepEqual(
      seen.filter(isOfTurn).map((line) => line.split(': ')[1]),
      ['', ''],
    );
    assert.deepEqual(
      seen.filter((line) => !isOfTurn(line)),
      [
        'bob/ambient/bob_phone_inbox: bob dispatched epoch 3',
        'bob/act/round-1/try-1: bob running thinking epoch 3',
        'bob/act/round-1/try-1/tool: bob running executing_tool buy_candy epoch 3',
        'bob/act/round-2/try-1: bob running thinking epoch 3',
        'bob/act/round-2/try-1/tool: bob running executing_tool use_drinking_fountain epoch 3',
        'bob/act/round-3/try-1: bob running thinking epoch 3',
        'ant/act/round-1/try-1: ant running thinking epoch 3, bob running epoch 3',
      ],
    );
  });

  test('have done things when their calls ended', async () => {
    const { turns, attempt } = await playTurn(await open(), async () => undefined);
    const ends = attempt.timeline.filter(({ event_kind }) => event_kind === 'call_answered');
    const endOf = new Map(ends.map((event) => [event.source_invocation_id, event.occurred_at]));
    const answers = turns.flatMap(({ events }) =>
      events.filter(({ payload }) => ['tool_result', 'answered'].includes(payload['phase'] as string)),
    );
    assert.equal(answers.length, 4);
    for (const { payload, occurred_at } of answers) assert.equal(occurred_at, endOf.get(payload['step_id'] as string));
    const [bob, ant] = turns;
    const saidAt = bob?.events.find(({ payload }) => payload['phase'] === 'answered')?.occurred_at;
    assert.equal(ant?.began_at, saidAt ?? assert.fail());
    assert.deepEqual([bob?.ended_at, ant?.ended_at], [attempt.ended_at, attempt.ended_at]);
  });

  test('have calls that are numbered from one on', async () => {
    const { attempt } = await playTurn(await open(), async () => undefined);
    const numbers = attempt.invocations
      .map(({ invocation_seq }) => invocation_seq)
      .toSorted((one, other) => one - other);
    assert.deepEqual(
      numbers,
      Array.from({ length: numbers.length }, (_, index) => index + 1),
    );
  });

  test('end well with the patches that were applied, and have left cards that point at their calls', async () => {
    const played = await playTurn(await open(), async () => undefined);
    const { patches, invocations } = played.attempt;
    assert.deepEqual(
      endsOf(played),
      patches.map(({ workflow_subject_entity_id, patch_seq }) => [
        workflow_subject_entity_id,
        'success',
        patch_seq,
        null,
        true,
      ]),
    );
    const tools = invocations.filter(({ tool_name }) => tool_name !== null);
    assert.ok(tools.length > 0);
    for (const { source_invocation_id, workflow_subject_entity_id } of tools) {
      const turn = played.turns.find(({ agent_id }) => agent_id === workflow_subject_entity_id);
      const cards = turn?.output_box.cards.filter((card) => card.source_invocation_id === source_invocation_id);
      assert.deepEqual(
        cards?.map(({ kind }) => kind),
        ['tool.call', 'tool.result'],
      );
      const edges = turn?.execution_edges.filter(({ correlation_id }) => correlation_id === source_invocation_id);
      assert.deepEqual(
        edges?.map(({ primitive, edge_phase }) => `${primitive} ${edge_phase}`),
        ['tool_call request', 'report response'],
      );
    }
  });

  test('end failed with the attempt: who had answered with its patch, who was at work with the reason', async () => {
    const played = await playTurn(await open(), async (key) =>
      isSecond(key) ? broken(key, 'http_status') : undefined,
    );
    const [first, second, ...never] = endsOf(played);
    assert.deepEqual(first?.slice(1), [
      'failed',
      null,
      { failure_class: 'attempt_failed', message: 'It went wrong.' },
      true,
    ]);
    assert.deepEqual(second?.slice(1, 4), [
      'failed',
      null,
      { failure_class: 'http_status', message: 'It went wrong.' },
    ]);
    assert.deepEqual(never, []);
  });

  test('end timed out where a call takes too long, and its card points at the call', async () => {
    const played = await playTurn(await open(), async (key) => (isSecond(key) ? broken(key, 'timeout') : undefined));
    const [, second] = endsOf(played);
    assert.deepEqual(second?.slice(1, 4), ['timed_out', null, { failure_class: 'timeout', message: 'It went wrong.' }]);
    const deliverable = played.turns[1]?.output_box.cards.at(-1);
    assert.equal(deliverable?.source_invocation_id, played.attempt.failed_source_invocation_id);
  });

  test('end stopped after a request to stop', async () => {
    const stop = new AbortController();
    const played = await playTurn(
      await open(),
      async (key) => {
        if (isSecond(key)) stop.abort();
        return undefined;
      },
      stop.signal,
    );
    const [first, second, ...never] = endsOf(played);
    assert.deepEqual([first?.[1], second?.[1], never], ['failed', 'stopped', []]);
  });

  test('have no turn where the attempt fails before theirs has begun', async () => {
    const played = await playTurn(await open(), async (key) => broken(key, 'http_status'));
    assert.equal(played.attempt.status, 'failed');
    assert.deepEqual(played.turns, []);
  });
});

/** The heads that are not idle. */
async function listHeads({ database, freshStore }: Arena): Promise<string> {
  const worlds = await database.outside.query<{ readonly world_slug: string }>(
    "SELECT world_slug FROM attempts WHERE status = 'running'",
  );
  const heads = await Promise.all(worlds.map(({ world_slug }) => freshStore().records.agents(world_slug)));
  return heads
    .flat()
    .filter(({ status }) => status !== 'idle')
    .map(({ agent_id, status, activity, current_tool, turn_epoch }) =>
      [agent_id, status, activity, current_tool, 'epoch', turn_epoch].filter((word) => word !== null).join(' '),
    )
    .join(', ');
}

/** Whether a call is a generation of the park's second subject. */
function isSecond(key: string): boolean {
  return key.startsWith('ant/');
}
