import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachDatabase } from '../support/databases.js';
import {
  answered,
  batch,
  begin,
  committing,
  failing,
  generationStart,
  makeWorld,
  message,
  patchOf,
  refused,
  toyStart,
  finishCall,
  startCall,
} from './record-fixtures.js';

forEachDatabase('round trips', (open) => {
  test('each write of a driver is one statement', async () => {
    const { store, statementsOf } = await open();
    await makeWorld(store, 'trips');
    const { lease } = await begin(store, 'trips');
    const { attempts } = store;
    const toy = toyStart('a', 1);
    const denied = toyStart('b', 2);
    const said = generationStart(3, [message('system', 'author', 'one'), message('user', 'subject', 'two')]);
    const answer = answered(
      said,
      { text: 'yes', finish_reason: 'stop' },
      {
        trace: { chunks: batch(2, ['s']), artifacts: [{ kind: 'a', value: 1 }] },
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    );
    const patches = [patchOf({ before: 'rested', after: 'tired' }), patchOf({ before: 'tired', after: 'asleep' })];
    const writes: readonly (() => Promise<unknown>)[] = [
      () => startCall(store, lease, toy),
      () => finishCall(store, lease, answered(toy, {})),
      () => startCall(store, lease, { ...denied, refused: refused(denied) }),
      () => startCall(store, lease, said),
      () => attempts.flushChunks(lease, said.llm_call_id, batch(1, ['ye'])),
      () => finishCall(store, lease, answer),
      () => attempts.renew(lease, 60_000),
      () => attempts.commit(lease, committing(said, patches)),
    ];
    for (const write of writes) assert.equal((await statementsOf(write)).length, 1, write.toString());
    const next = await begin(store, 'trips');
    assert.equal((await statementsOf(() => attempts.fail(next.lease, failing()))).length, 1);
  });

  test('calls that end and calls that begin at one time are one statement, and so is a commit with its last answer', async () => {
    const { store, statementsOf } = await open();
    await makeWorld(store, 'together');
    const { lease } = await begin(store, 'together');
    const { attempts, records } = store;
    const [toy, other] = [toyStart('a', 1), toyStart('b', 2)];
    const denied = toyStart('c', 4);
    const said = generationStart(3, [message('system', 'author', 'one')]);
    const tokens = { usage: { input_tokens: 5, output_tokens: 7 } };
    const answer = answered(said, { text: '{}', finish_reason: 'stop' }, tokens);
    const patches = [patchOf({ before: 'rested', after: 'tired' })];
    const writes: readonly (() => Promise<unknown>)[] = [
      () => attempts.writeCalls(lease, { finished: [], started: [toy, other] }),
      () =>
        attempts.writeCalls(lease, {
          finished: [answered(toy, {}), answered(other, {})],
          started: [said, { ...denied, refused: refused(denied) }],
        }),
      () => attempts.commit(lease, { ...committing(said, patches), answer }),
    ];
    for (const write of writes) assert.equal((await statementsOf(write)).length, 1, write.toString());
    const record = await records.attempt(lease.attempt_id);
    assert.deepEqual(
      record?.timeline.map(({ event_kind }) => event_kind),
      [
        'attempt_began',
        'call_started',
        'call_started',
        'call_answered',
        'call_answered',
        'call_started',
        'call_refused',
        'call_answered',
        'patch_applied',
        'turn_committed',
      ],
    );
    assert.deepEqual(
      record?.invocations.map(({ status }) => status),
      ['succeeded', 'succeeded', 'succeeded', 'failed'],
    );
    assert.deepEqual(record?.source_trace_summary, {
      calls: { ambient_context: { failed: 1, succeeded: 2 }, llm_generation: { succeeded: 1 } },
      input_tokens: 5,
      output_tokens: 7,
    });
    assert.equal((await records.llmCall(said.llm_call_id))?.status, 'succeeded');
  });

  test('a round sends its new messages only, however long the conversation is', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'growing');
    const { lease } = await begin(store, 'growing');
    const rows = async () => {
      const [counted] = await outside.query<{ n: number }>(
        `SELECT (SELECT count(*) FROM llm_messages)::int + (SELECT count(*) FROM llm_segments)::int
           + (SELECT count(*) FROM llm_conversation_messages)::int AS n`,
      );
      return counted?.n ?? 0;
    };
    const messages = [message('system', 'author', 'x'.repeat(10_000))];
    for (let round = 1; round <= 5; round += 1) {
      messages.push(message('user', 'tool_result', `result ${round}`));
      const before = await rows();
      await startCall(store, lease, generationStart(round, messages, round));
      assert.equal((await rows()) - before, round === 1 ? 5 : 2);
    }
  });

  test('a store that did not write the earlier rounds writes the same conversation', async () => {
    const { store, anotherStore } = await open();
    await makeWorld(store, 'resumed');
    const { lease } = await begin(store, 'resumed');
    const first = [message('system', 'author', 'one'), message('user', 'subject', 'two')];
    await startCall(store, lease, generationStart(1, first));
    const second = generationStart(2, [...first, message('assistant', 'model', 'three')], 2);
    await startCall(await anotherStore(), lease, second);
    const record = await store.records.llmCall(second.llm_call_id);
    assert.deepEqual(
      record?.messages.map(({ content }) => content),
      ['one', 'two', 'three'],
    );
  });
});
