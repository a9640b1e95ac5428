import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../engine/contract/json.js';
import { forEachDatabase } from '../support/databases.js';
import {
  answered,
  batch,
  begin,
  beginning,
  doubt,
  committing,
  DOCUMENTS,
  endLease,
  failing,
  generationStart,
  HOLDER,
  makeWorld,
  message,
  NOON,
  patchOf,
  playTurn,
  refused,
  SEAL,
  toyStart,
  finishCall,
  startCall,
  BY_HAND,
} from './record-fixtures.js';

const SYSTEM = message('system', 'author', 'You are Zoe.');
const DECADE_MS = 10 * 365 * 24 * 3600 * 1000;
const PATCH = { before: 'rested', after: 'tired' };

forEachDatabase('attempts', (open) => {
  test('an attempt begins on the world at its turn, in the order of the scenario', async () => {
    const { store } = await open();
    await makeWorld(store, 'order');
    const { lease, world, past } = await begin(store, 'order');
    assert.deepEqual([lease.attempted_turn, lease.epoch, past], [1, 1, undefined]);
    assert.deepEqual(
      [...world.environments],
      [
        ['park', { content: 'a park' }],
        ['kiosk', { content: 'a kiosk' }],
      ],
    );
    assert.deepEqual([...world.entities.keys()], ['zoe', 'bench.old', 'bob']);
    assert.deepEqual(world.entities.get('zoe'), {
      id: 'zoe',
      name: 'Zoe',
      kind: 'agent',
      environment: 'park',
      goal: 'run',
      state: 'rested',
      memory: [
        { memory_id: '0.1', content: 'born', turn: 0 },
        { memory_id: '0.2', content: 'fed', turn: 0 },
      ],
    });
  });

  test('an unknown world begins nothing', async () => {
    const { store } = await open();
    assert.deepEqual(await store.attempts.begin(beginning('nowhere'), () => true), { kind: 'unknown_world' });
  });

  test('no turn is begun after the last one that is asked for, also after an attempt that failed', async () => {
    const { store } = await open();
    await makeWorld(store, 'ends');
    const beginUntil = async (until_turn: number): Promise<string> => {
      const begun = await store.attempts.begin({ ...beginning('ends'), until_turn }, () => true);
      if (begun.kind === 'begun') await store.attempts.fail(begun.lease, failing());
      return begun.kind;
    };
    await playTurn(store, 'ends', PATCH);
    assert.equal(await beginUntil(1), 'not_asked_for');
    assert.equal(await beginUntil(2), 'begun');
    assert.equal(await beginUntil(1), 'not_asked_for');
    assert.equal(await beginUntil(2), 'begun');
  });

  test('a call is on record while it runs, and afterwards with its answer as redaction lets it be seen', async () => {
    const { store } = await open();
    await makeWorld(store, 'call');
    const { lease } = await begin(store, 'call');
    const start = toyStart('turn/weather@0123456789ab', 1);
    assert.equal(await startCall(store, lease, start), 'written');
    const running = await store.records.invocation(start.source_invocation_id, 'redacted');
    assert.deepEqual([running?.status, running?.ended_at, running?.response_json], ['running', null, null]);
    const answer = { temperature: 3, station: { id: 'secret' } };
    const response_headers = { 'content-type': 'application/json' };
    await finishCall(store, lease, answered(start, answer, { http_status: 200, response_headers }));
    const done = await store.records.invocation(start.source_invocation_id, 'redacted');
    assert.deepEqual(done, {
      ...running,
      status: 'succeeded',
      validation_status: 'valid',
      http_status: 200,
      response_headers,
      response_json: { temperature: 3 },
      response_bytes: 43,
      hidden_by_redaction: true,
      duration_ms: 20,
      ended_at: new Date(NOON + 21).toISOString(),
    });
    assert.equal(done?.source_label, 'toy');
  });

  test('the body of a call is shown only where nothing of it is redacted', async () => {
    const { store } = await open();
    await makeWorld(store, 'bodies');
    const { lease } = await begin(store, 'bodies');
    const hidden = toyStart('a', 1);
    const shown = toyStart('b', 2, { call: { ...hidden.command.call, redaction: 'all' } });
    for (const start of [hidden, shown]) {
      await startCall(store, lease, start);
      await finishCall(store, lease, answered(start, {}, { response_body: Buffer.from('{ "x": 1 }') }));
    }
    const read = async ({ source_invocation_id }: typeof hidden, view: 'redacted' | 'unredacted') => {
      const record = await store.records.invocation(source_invocation_id, view);
      return [record?.response_text, record?.response_bytes, record?.hidden_by_redaction];
    };
    assert.deepEqual(await read(hidden, 'redacted'), [null, 10, true]);
    assert.deepEqual(await read(hidden, 'unredacted'), ['{ "x": 1 }', 10, false]);
    assert.deepEqual(await read(shown, 'redacted'), ['{ "x": 1 }', 10, false]);
  });

  test('a refusal is one row, finished when it is written', async () => {
    const { store } = await open();
    await makeWorld(store, 'refusal');
    const { lease } = await begin(store, 'refusal');
    const start = toyStart('zoe/act/round-1/try-1/tool', 1);
    await startCall(store, lease, { ...start, refused: refused(start) });
    const attempt = await store.records.attempt(lease.attempt_id);
    assert.deepEqual(
      attempt?.invocations.map(({ status, failure_class, failure_message }) => [
        status,
        failure_class,
        failure_message,
      ]),
      [['failed', 'policy_denied', 'Not allowed.']],
    );
    assert.deepEqual(
      attempt?.timeline.map(({ event_kind }) => event_kind),
      ['attempt_began', 'call_refused'],
    );
  });

  test('a rejected generation and its correction: messages once, chunks and audit whole', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'retry');
    const { lease } = await begin(store, 'retry');
    const first = generationStart(1, [SYSTEM, message('user', 'subject.rendered', 'You are rested. ☀')]);
    await startCall(store, lease, first);
    await store.attempts.flushChunks(lease, first.llm_call_id, batch(1, ['no ', 'JS']));
    await finishCall(store, lease, {
      ...answered(
        first,
        { text: 'no JSON', finish_reason: 'stop' },
        {
          trace: { chunks: batch(2, ['ON']), artifacts: [{ kind: 'finish_reason', value: 'stop' }] },
          usage: { input_tokens: 12, output_tokens: 3 },
        },
      ),
      verdict: {
        key: first.command.key,
        model_output_kind: 'invalid',
        failure: { failure_class: 'model_content', detail: 'non_json', message: 'That is not JSON.' },
        normalised_text: 'no JSON',
        artifacts: [{ kind: 'parse_error', value: { at: 0 } }],
        rejection: {
          subject_id: 'zoe',
          node_id: 'act',
          workflow_hash: DOCUMENTS.workflow.hash,
          attempt_number: 1,
          raw_response: 'no JSON',
          rejection: 'That is not JSON.',
        },
      },
    });
    const spoken = [...(first.command.generation?.messages ?? []), message('assistant', 'model', 'no JSON')];
    const second = generationStart(2, [...spoken, message('user', 'correction', 'That is not JSON.')], 2);
    await startCall(store, lease, second);

    const record = await store.records.llmCall(first.llm_call_id);
    const told = { is_new: false, llm_call_id: null, source_invocation_id: null };
    assert.deepEqual(record?.messages, [
      {
        role: 'system',
        content: 'You are Zoe.',
        segments: [{ origin: 'author', characters: 12, origins: ['author'] }],
        ...told,
      },
      {
        role: 'user',
        content: 'You are rested. ☀',
        segments: [{ origin: 'subject.rendered', characters: 17, origins: ['model', 'world'] }],
        ...told,
      },
    ]);
    assert.deepEqual(record?.chunks, [
      { text: 'no ', offset_ms: 0 },
      { text: 'JS', offset_ms: 10 },
      { text: 'ON', offset_ms: 0 },
    ]);
    assert.deepEqual([record?.raw_text, record?.normalised_text, record?.model], ['no JSON', 'no JSON', 'm-1']);
    assert.deepEqual(
      record?.artifacts.map(({ kind }) => kind),
      ['finish_reason', 'parse_error'],
    );
    assert.deepEqual(record?.tokens, {
      input_tokens: 12,
      output_tokens: 3,
      cached_input_tokens: null,
      cache_written_input_tokens: null,
      reasoning_tokens: null,
    });
    assert.equal((await store.records.llmCall(second.llm_call_id))?.messages.length, 4);
    const stored = await outside.query<{ listed: number }>(
      `SELECT count(*)::int AS listed FROM llm_conversation_messages WHERE attempt_id = $1`,
      [lease.attempt_id],
    );
    assert.deepEqual(stored, [{ listed: 4 }]);

    const attempt = await store.records.attempt(lease.attempt_id);
    const { details: _details, ...audit } = attempt?.audit[0] ?? { details: null };
    assert.deepEqual(audit, {
      audit_kind: 'generation_rejected',
      attempt_status: 'running',
      source_invocation_id: first.source_invocation_id,
      workflow_subject_entity_id: 'zoe',
      workflow_node_id: 'act',
      patch_seq: null,
      attempt_number: 1,
      raw_response: 'no JSON',
      rejection: 'That is not JSON.',
    });
    assert.deepEqual(attempt?.invocations[0]?.response_json, { text: 'no JSON', finish_reason: 'stop' });
    assert.deepEqual(attempt?.source_trace_summary, {
      calls: { llm_generation: { failed: 1, running: 1 } },
      input_tokens: 12,
      output_tokens: 3,
    });
  });

  test('a commit makes the turn: patches, what changed, audit, and the lease given back', async () => {
    const { store } = await open();
    await makeWorld(store, 'commit');
    const { lease } = await begin(store, 'commit');
    const start = generationStart(1, [SYSTEM]);
    await startCall(store, lease, start);
    await finishCall(store, lease, answered(start, { text: '{}', finish_reason: 'stop' }));
    const turn = committing(start, [patchOf(PATCH), patchOf({ before: 'tired', after: 'asleep' })]);
    assert.equal(await store.attempts.commit(lease, turn), 'written');

    const attempt = await store.records.attempt(lease.attempt_id);
    assert.deepEqual(attempt?.status, 'committed');
    assert.deepEqual(
      attempt?.patches.map(({ patch_seq, narration, touched_entities }) => [patch_seq, narration, touched_entities]),
      [
        [1, 'Zoe is tired.', ['zoe']],
        [2, 'Zoe is asleep.', ['zoe']],
      ],
    );
    assert.deepEqual(attempt?.patches[1]?.effects[0], {
      effect_index: 0,
      op: 'set_entity_state',
      entity_id: 'zoe',
      environment_label: null,
      state_before: 'tired',
      state_after: 'asleep',
      sources: null,
    });
    assert.deepEqual(
      attempt?.audit.map(({ audit_kind, patch_seq, attempt_status }) => [audit_kind, patch_seq, attempt_status]),
      [
        ['patch_applied', 1, 'committed'],
        ['patch_applied', 2, 'committed'],
        ['turn_complete', null, 'committed'],
      ],
    );
    assert.deepEqual(
      attempt?.timeline.map(({ event_seq, event_kind }) => [event_seq, event_kind]),
      [
        [1, 'attempt_began'],
        [2, 'call_started'],
        [3, 'call_answered'],
        [4, 'patch_applied'],
        [5, 'patch_applied'],
        [6, 'turn_committed'],
      ],
    );
    assert.equal((await begin(store, 'commit')).lease.attempted_turn, 2);
  });

  test('every committed turn can be seen again, and no other', async () => {
    const { store } = await open();
    await makeWorld(store, 'history');
    await playTurn(store, 'history', PATCH);
    await playTurn(store, 'history', { before: 'tired', after: 'asleep' });
    const seen = async (turn?: number) => {
      const world = await store.worlds.snapshot('history', turn);
      const zoe = world?.entities.find(({ id }) => id === 'zoe');
      return (
        world && [world.turn, zoe?.state, zoe?.memory.map(({ content }) => content), world.environments[0]?.content]
      );
    };
    assert.deepEqual(await seen(0), [0, 'rested', ['born', 'fed'], 'a park']);
    assert.deepEqual(await seen(1), [1, 'tired', ['born', 'fed', 'I was rested.'], 'a park where Zoe is tired']);
    const latest = [2, 'asleep', ['born', 'fed', 'I was rested.', 'I was tired.'], 'a park where Zoe is asleep'];
    assert.deepEqual(await seen(2), latest);
    assert.deepEqual(await seen(), latest);
    assert.equal(await seen(3), undefined);
    assert.equal(await seen(-1), undefined);
    assert.equal(await store.worlds.snapshot('nowhere'), undefined);
  });

  test('a value that a turn leaves as it was costs no row', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'unchanged');
    const { lease } = await begin(store, 'unchanged');
    const start = generationStart(1, [SYSTEM]);
    await startCall(store, lease, start);
    const there = patchOf(PATCH);
    const back = patchOf({ before: 'tired', after: 'rested' });
    await store.attempts.commit(lease, committing(start, [there, back]));
    const rows = await outside.query(
      `SELECT entity_id::text FROM entity_states WHERE world_slug = 'unchanged' AND turn = 1`,
    );
    assert.deepEqual(rows, []);
    const memory = (await store.worlds.snapshot('unchanged'))?.entities[0]?.memory.map(({ content }) => content);
    assert.deepEqual(memory, ['born', 'fed', 'I was rested.', 'I was tired.']);
  });

  test('a failed attempt leaves the world and keeps its trace', async () => {
    const { store } = await open();
    await makeWorld(store, 'failure');
    const { lease } = await begin(store, 'failure');
    const start = toyStart('a', 1);
    await startCall(store, lease, start);
    assert.equal(await store.attempts.fail(lease, failing(start.source_invocation_id)), 'written');
    const attempt = await store.records.attempt(lease.attempt_id);
    assert.deepEqual(
      [
        attempt?.status,
        attempt?.failure_class,
        attempt?.failed_subject_entity_id,
        attempt?.failed_source_invocation_id,
      ],
      ['failed', 'http_status', 'zoe', start.source_invocation_id],
    );
    assert.deepEqual(
      attempt?.invocations.map(({ status }) => status),
      ['interrupted'],
    );
    assert.deepEqual(attempt?.source_trace_summary, {
      calls: { ambient_context: { interrupted: 1 } },
      input_tokens: 0,
      output_tokens: 0,
    });
    assert.deepEqual(
      attempt?.audit.map(({ audit_kind, details }) => [audit_kind, details]),
      [['attempt_failed', { status: 'failed', failure_class: 'http_status', failure_message: 'The toy said 500.' }]],
    );
    assert.equal((await store.worlds.find('failure'))?.turn, 0);
    assert.equal((await begin(store, 'failure')).lease.epoch, 2);
  });

  test('a world with a living driver is held', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'held');
    const { lease } = await begin(store, 'held');
    const second = await store.attempts.begin(beginning('held'), () => true);
    assert.ok(second.kind === 'held');
    assert.deepEqual([second.holder, second.attempt_id], [HOLDER, lease.attempt_id]);
    await endLease(outside, 'held');
    assert.equal(await store.attempts.renew(lease, 60_000), 'written');
    assert.equal((await store.attempts.begin(beginning('held'), () => true)).kind, 'held');
    await endLease(outside, 'held');
    assert.equal((await store.attempts.begin(beginning('held'), () => true)).kind, 'begun');
  });

  test('the clock of the database decides whether a lease has ended, whatever a client believes', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'clocks');
    const { lease } = await begin(store, 'clocks', NOON - DECADE_MS);
    const late = beginning('clocks', NOON + DECADE_MS);
    assert.equal((await store.attempts.begin(late, () => true)).kind, 'held');
    assert.equal(await store.attempts.renew(lease, 60_000), 'written');
    const [row] = await outside.query<{ here_and_now: boolean }>(
      `SELECT lease_until BETWEEN now() AND now() + interval '1 day' AS here_and_now
       FROM worlds WHERE world_slug = 'clocks'`,
    );
    assert.equal(row?.here_and_now, true);
    await endLease(outside, 'clocks');
    const early = beginning('clocks', NOON - DECADE_MS);
    assert.equal((await store.attempts.begin(early, () => true)).kind, 'begun');
  });

  test('the calls that a driver left under way are interrupted by the next one, which goes on with its attempt', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'dead');
    const { lease } = await begin(store, 'dead');
    const done = toyStart('a', 1);
    const toy = toyStart('b', 2);
    const generation = generationStart(3, [SYSTEM]);
    for (const start of [done, toy, generation]) await startCall(store, lease, start);
    await finishCall(store, lease, answered(done, { temperature: 3, station: 'hidden' }));
    await endLease(outside, 'dead');
    const next = await begin(store, 'dead');
    assert.deepEqual(next.lease, { ...lease, epoch: 2 });
    assert.equal(next.past?.take_overs, 1);
    assert.equal(next.past?.last_invocation_seq, 3);
    assert.deepEqual(
      next.past?.calls.map(({ key, performance, fact }) => [key, performance, fact]),
      [
        ['a', 1, { key: 'a', status: 'succeeded', view: { temperature: 3 }, duration_ms: 20 }],
        ['b', 1, undefined],
        [generation.command.key, 1, undefined],
      ],
    );
    const left = await store.records.attempt(lease.attempt_id);
    assert.deepEqual([left?.status, left?.epoch, left?.take_overs], ['running', 2, 1]);
    assert.deepEqual(
      left?.invocations.map(({ status }) => status),
      ['succeeded', 'interrupted', 'interrupted'],
    );
    assert.equal((await store.records.llmCall(generation.llm_call_id))?.status, 'interrupted');
    assert.deepEqual(
      left?.timeline.slice(-3).map(({ event_kind }) => event_kind),
      ['call_interrupted', 'call_interrupted', 'attempt_continued'],
    );
    assert.deepEqual(await startCall(store, lease, toyStart('c', 4)), 'overtaken');
  });

  test('an attempt that its driver hands over is taken up at once, and its leaving is not counted', async () => {
    const { store } = await open();
    await makeWorld(store, 'handed');
    const { lease } = await begin(store, 'handed');
    await startCall(store, lease, toyStart('a', 1));
    assert.equal(await store.attempts.handOver(lease, { at: NOON + 1, has_broken: false }), 'written');
    const next = await begin(store, 'handed');
    assert.deepEqual([next.lease.attempt_id, next.past?.take_overs], [lease.attempt_id, 0]);
    assert.equal(await store.attempts.handOver(lease, { at: NOON + 2, has_broken: false }), 'overtaken');
  });

  test('an attempt that breaks its driver is taken up at once as well, and counted as if the driver had died of it', async () => {
    const { store } = await open();
    await makeWorld(store, 'broken');
    const { lease } = await begin(store, 'broken');
    assert.equal(await store.attempts.handOver(lease, { at: NOON + 1, has_broken: true }), 'written');
    const next = await begin(store, 'broken');
    assert.deepEqual([next.lease.attempt_id, next.past?.take_overs], [lease.attempt_id, 1]);
    assert.equal(await store.attempts.handOver(next.lease, { at: NOON + 2, has_broken: false }), 'written');
    assert.equal((await begin(store, 'broken')).past?.take_overs, 1);
  });

  test('an adopted call is superseded in the attempt that superseded it, and not where it was made', async () => {
    const { store } = await open();
    await makeWorld(store, 'adopting');
    const { lease: failed } = await begin(store, 'adopting');
    const [read, broke] = [toyStart('read', 1), toyStart('broke', 2)];
    const transient = failing(broke.source_invocation_id);
    await startCall(store, failed, read);
    await finishCall(store, failed, answered(read, { temperature: 7 }));
    await startCall(store, failed, broke);
    await store.attempts.fail(failed, { ...transient, failure: { ...transient.failure, is_transient: true } });
    const { lease } = await begin(store, 'adopting');
    const source_invocation_ids = [read.source_invocation_id];
    assert.equal(await store.attempts.supersede(lease, { at: NOON, source_invocation_ids }), 'written');
    const stateIn = async (attempt_id: string) => {
      const [call] = (await store.records.attempt(attempt_id))?.invocations ?? [];
      return [call?.adopted_from, call?.is_superseded];
    };
    assert.deepEqual(await stateIn(lease.attempt_id), [failed.attempt_id, true]);
    assert.deepEqual(await stateIn(failed.attempt_id), [null, false]);
  });

  test('no turn is begun over a call in doubt, and the one after that goes on once it is settled', async () => {
    const { store } = await open();
    await makeWorld(store, 'doubted');
    const { lease, call } = await doubt(store, 'doubted');
    const again = beginning('doubted');
    const { attempt_id, attempted_turn } = lease;
    const in_doubt = { attempt_id, attempted_turn, source_invocation_id: call, command_key: 'sale' };
    assert.deepEqual(await store.attempts.begin(again, () => true), { kind: 'in_doubt', ...in_doubt });
    const settlement = { attempt_id, source_invocation_id: call, settled_at: NOON, ...BY_HAND };
    const settled = { kind: 'settled', world_slug: 'doubted', left_in_doubt: 0 };
    assert.deepEqual(await store.attempts.settle(settlement), settled);
    const begun = await store.attempts.begin(again, () => true);
    assert.deepEqual(begun.kind === 'begun' && [begun.adopts, begun.past], [undefined, undefined]);
    const shown = await store.records.attempt(attempt_id);
    assert.deepEqual(
      shown?.invocations.map(({ settled_as }) => settled_as),
      ['not_performed'],
    );
  });

  test('a call that was settled is of the attempt before: the one that goes on has not asked for it yet', async () => {
    const { store } = await open();
    await makeWorld(store, 'sold');
    const { lease, call } = await doubt(store, 'sold');
    await store.attempts.settle({
      attempt_id: lease.attempt_id,
      source_invocation_id: call,
      answer: { sold: true },
      settled_at: NOON,
      ...BY_HAND,
    });
    const { past } = await begin(store, 'sold');
    assert.deepEqual(
      past?.calls.map(({ key, performance }) => [key, performance]),
      [['sale', 0]],
    );
  });

  test('a call is in doubt after any failure of its attempt, until the world has committed the turn', async () => {
    const { store } = await open();
    for (const world of ['other', 'aside', 'open']) await makeWorld(store, world);
    const settle = ({ lease, call }: Awaited<ReturnType<typeof doubt>>) =>
      store.attempts.settle({ attempt_id: lease.attempt_id, source_invocation_id: call, settled_at: NOON, ...BY_HAND });
    const other = await doubt(store, 'other', 'http_status');
    assert.equal((await store.attempts.begin(beginning('other'), () => true)).kind, 'in_doubt');
    assert.deepEqual(await settle(other), { kind: 'settled', world_slug: 'other', left_in_doubt: 0 });
    const aside = await doubt(store, 'aside', 'http_status');
    assert.equal((await store.attempts.begin({ ...beginning('aside'), anew: true }, () => true)).kind, 'begun');
    assert.deepEqual(await settle(aside), { kind: 'too_late' });
    const shown = await store.records.attempt(aside.lease.attempt_id);
    const [noted] = shown?.audit.filter(({ audit_kind }) => audit_kind === 'attempt_set_aside') ?? [];
    assert.deepEqual((noted?.details as JsonObject | undefined)?.['in_doubt'], [aside.call]);
  });

  test('a failed side effect is in doubt unless its service denied it or it may be repeated', async () => {
    const { store } = await open();
    const acts = { effect: 'external_side_effect' } as const;
    const broke = { failure_class: 'timeout', failure_message: 'late', refused: false } as const;
    const cases = [
      ['unseen', acts, { ...broke, outcome_unknown: true }, 'in_doubt'],
      ['denied', acts, broke, 'begun'],
      ['twice', { ...acts, repeatable: true }, broke, 'begun'],
    ] as const;
    for (const [world, binding, failed, expected] of cases) {
      await makeWorld(store, world);
      const { lease } = await begin(store, world);
      const { command, ...start } = toyStart('sale', 1);
      await startCall(store, lease, { ...start, command: { ...command, call: { ...command.call, ...binding } } });
      const { source_invocation_id } = start;
      const end = {
        key: 'sale',
        status: 'failed',
        ended_at: NOON,
        duration_ms: 1,
        validation_status: 'not_checked',
      } as const;
      await finishCall(store, lease, { source_invocation_id, outcome: { ...end, ...failed } });
      const failure = { kind: 'fail', failure_class: 'timeout', message: 'late' } as const;
      await store.attempts.fail(lease, { failure, source_invocation_id, ended_at: NOON, agents: [], seal: SEAL });
      assert.equal((await store.attempts.begin(beginning(world), () => true)).kind, expected, world);
    }
  });

  test('the text of a generation is read back unchanged, even where it was useless', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'said');
    const { lease } = await begin(store, 'said');
    const start = generationStart(1, [SYSTEM]);
    await startCall(store, lease, start);
    await store.attempts.flushChunks(lease, start.llm_call_id, batch(1, ['non', 'sen']));
    const finish = answered(
      start,
      { text: 'nonsense', finish_reason: 'stop' },
      {
        trace: { chunks: batch(2, ['se']), artifacts: [] },
        usage: { input_tokens: 5, output_tokens: 2 },
      },
    );
    const failure = { failure_class: 'model_content' as const, detail: 'non_json' as const, message: 'No JSON.' };
    const verdict = { key: start.command.key, model_output_kind: 'invalid' as const, failure, artifacts: [] };
    await finishCall(store, lease, { ...finish, verdict });
    await endLease(outside, 'said');
    const { past } = await begin(store, 'said');
    assert.deepEqual(past?.calls[0]?.fact, {
      key: start.command.key,
      status: 'succeeded',
      view: { text: 'nonsense', finish_reason: 'stop' },
      duration_ms: 20,
      usage: { input_tokens: 5, output_tokens: 2 },
    });
  });

  test('a failed call is read back unchanged: its status, and its retry delay', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'busy');
    const { lease } = await begin(store, 'busy');
    const start = toyStart('turn/weather', 1);
    await startCall(store, lease, start);
    const fact = {
      key: start.command.key,
      status: 'failed',
      failure_class: 'http_status',
      failure_message: 'busy',
      refused: false,
      http_status: 503,
      retry_after_ms: 7000,
      duration_ms: 1,
    } as const;
    const { source_invocation_id } = start;
    const outcome = { ...fact, ended_at: NOON, validation_status: 'not_checked' } as const;
    await finishCall(store, lease, { source_invocation_id, outcome });
    await endLease(outside, 'busy');
    const { past } = await begin(store, 'busy');
    assert.deepEqual(past?.calls[0]?.fact, fact);
  });

  test('the end of an attempt says whether what ended it may pass by itself', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'passing');
    for (const is_transient of [true, false]) {
      const { lease } = await begin(store, 'passing');
      const failure = {
        kind: 'fail',
        failure_class: 'timeout',
        message: 'late',
        ...(is_transient ? { is_transient } : {}),
      } as const;
      await store.attempts.fail(lease, { failure, ended_at: NOON, agents: [], seal: SEAL });
      const rows = await outside.query('SELECT is_transient FROM attempts WHERE attempt_id = $1', [lease.attempt_id]);
      assert.deepEqual(rows, [{ is_transient }]);
    }
  });

  test('calls that begin together all land, each with its own place in the timeline', async () => {
    const { store } = await open();
    await makeWorld(store, 'together');
    const { lease } = await begin(store, 'together');
    const starts = Array.from({ length: 12 }, (_call, index) => toyStart(`call-${index}`, index + 1));
    await Promise.all(starts.map((start) => startCall(store, lease, start)));
    await Promise.all(starts.map((start) => finishCall(store, lease, answered(start, {}))));
    const attempt = await store.records.attempt(lease.attempt_id);
    assert.equal(attempt?.source_invocation_count, 12);
    assert.deepEqual(
      attempt?.timeline.map(({ event_seq }) => event_seq),
      Array.from({ length: 25 }, (_event, index) => index + 1),
    );
  });

  test('worlds that say the same things at once do not block each other', async () => {
    const { store } = await open();
    const slugs = Array.from({ length: 8 }, (_world, index) => `same-${index}`);
    for (const slug of slugs) await makeWorld(store, slug);
    const texts = Array.from({ length: 20 }, (_text, index) => message('user', 'subject', `line ${index}`));
    const leases = [];
    for (const slug of slugs) leases.push((await begin(store, slug)).lease);
    const said = leases.map((lease, index) =>
      startCall(store, lease, generationStart(1, index % 2 ? texts : texts.toReversed())),
    );
    assert.deepEqual(
      await Promise.all(said),
      slugs.map(() => 'written'),
    );
  });

  test('bytes of every kind survive: U+0000, characters cut by a flush, and what is no UTF-8', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'bytes');
    const { lease } = await begin(store, 'bytes');
    const start = generationStart(1, [message('user', 'subject', 'nul \u0000 lone \ud800')]);
    await startCall(store, lease, start);
    const sun = Buffer.from('☀');
    await store.attempts.flushChunks(lease, start.llm_call_id, batch(1, ['a\u0000', sun.subarray(0, 1)]));
    const broken = Buffer.from([0xff, 0x00, 0xfe]);
    await finishCall(
      store,
      lease,
      answered(
        start,
        { text: 'x\u0000', finish_reason: 'stop\u0000' },
        {
          trace: { chunks: batch(2, [sun.subarray(1)]), artifacts: [{ kind: 'odd', value: 'nul \u0000' }] },
          response_body: broken,
        },
      ),
    );
    const record = await store.records.llmCall(start.llm_call_id);
    assert.equal(record?.raw_text, 'a\u0000☀');
    assert.deepEqual(record?.artifacts, [{ kind: 'odd', value: 'nul \u0000' }]);
    assert.equal(record?.messages[0]?.content, 'nul \u0000 lone \ufffd');
    const [row] = await outside.query<{ body: string }>(
      `SELECT encode(response_body, 'hex') AS body FROM source_invocations WHERE source_invocation_id = $1`,
      [start.source_invocation_id],
    );
    assert.equal(row?.body, 'ff00fe');
  });

  test('a text that is no id names nothing', async () => {
    const { store } = await open();
    for (const id of ['', 'x', '0'.repeat(36)]) {
      assert.equal(await store.records.attempt(id), undefined);
      assert.equal(await store.records.invocation(id, 'redacted'), undefined);
      assert.equal(await store.records.llmCall(id), undefined);
    }
  });
});
