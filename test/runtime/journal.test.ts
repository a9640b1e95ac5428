import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openBook } from '../../engine/core/agents/book.js';
import type { AgentRecord } from '../../engine/core/agents/record.js';
import type { TimedTransition } from '../../engine/core/agents/transition.js';
import { namedUuid } from '../../engine/core/content/uuid.js';
import type { CallsWrite } from '../../engine/ports/attempts.js';
import {
  close,
  forget,
  type Journal,
  type JournalWrites,
  note,
  openJournal,
  type Patience,
  writeAlone,
  writeCall,
  writeTale,
} from '../../engine/runtime/journal.js';
import { waitUntil } from '../support/wait-until.js';
import { answered, generationStart, message, toyStart } from '../store/record-fixtures.js';

const ATTEMPT = namedUuid('an attempt');
const toy = (key: string) => toyStart(key, 1);

/** A test waits for ever before it is told of agents without wanting to. */
const PATIENT: Patience = { linger_ms: 1, quiet_ms: 600_000 };

/** A journal with what it wrote, statement by statement. */
function listening(
  write: (calls: CallsWrite | AgentRecord) => Promise<void> = async () => {},
  patience: Patience = {},
) {
  const written: string[] = [];
  const failures: unknown[] = [];
  const writes: JournalWrites = {
    writeCalls: async (calls) => {
      const finished = calls.finished.map(({ outcome }) => `-${outcome.key}`);
      written.push([...finished, ...calls.started.map(({ command }) => `+${command.key}`)].join(' '));
      await write(calls);
    },
    tellOfAgents: async (agents) => {
      written.push(toStory(agents));
      await write(agents);
    },
    onFailure: (error) => failures.push(error),
  };
  const journal: Journal = openJournal(openBook(ATTEMPT, new Map()), writes, { ...PATIENT, ...patience });
  const started = (key: string) => writeCall(journal, { kind: 'started', start: toy(key) });
  const finished = (key: string) => writeCall(journal, { kind: 'finished', finish: answered(toy(key), {}) });
  return { journal, written, failures, started, finished };
}

const ENDING = { ending: { kind: 'commit', patches: [], at: 90 } } as const;

/** What is told of agents, with the times of it. */
function toStory({ heads, events }: AgentRecord): string {
  const told = [...new Set(events.map(({ transition, at }) => `${transition.split(' ')[0]} at ${at}`))];
  return `${told.join(', ')}: ${heads.map(({ status, activity }) => `${status} ${activity}`).join()}`;
}

const FAILING = { kind: 'fail', failure_class: 'stopped', message: 'Enough.', at: 90 } as const;
const DISPATCHED: TimedTransition = { kind: 'dispatched', subject_id: 'zoe', at: 10 };
const ENTERED: TimedTransition = {
  kind: 'entered',
  subject_id: 'zoe',
  workflow_hash: 'w',
  answer_schema_hash: 's',
  reading_keys: [],
  at: 20,
};
const TOOL_CALLED: TimedTransition = {
  kind: 'tool_called',
  subject_id: 'zoe',
  call_key: 'b',
  tool_name: 'drink',
  at: 30,
};

describe('the journal of a driver', () => {
  test('writes what becomes of calls at one time by one statement', async () => {
    const { written, started, finished } = listening();
    await Promise.all([finished('a'), started('b'), started('c')]);
    await finished('b');
    assert.deepEqual(written, ['-a +b +c', '-b']);
  });

  test('gathers while a statement is under way, and never more than four calls', async () => {
    let go = (): void => {};
    const held = new Promise<void>((resolve) => (go = resolve));
    const { written, started, finished } = listening(() => held);
    const first = started('a');
    await new Promise((resolve) => setImmediate(resolve));
    const rest = ['b', 'c', 'd', 'e', 'f'].map(finished);
    go();
    await Promise.all([first, ...rest]);
    assert.deepEqual(written, ['+a', '-b -c -d -e', '-f']);
  });

  test('lets the end of a call from which nothing follows go with what comes soon, and else by itself', async () => {
    const waiting = (journal: Journal, key: string) =>
      writeCall(journal, { kind: 'finished', finish: answered(toy(key), {}), can_wait: true });
    const patient = listening(undefined, { linger_ms: 600_000 });
    const first = waiting(patient.journal, 'a');
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([first, waiting(patient.journal, 'b'), patient.started('c')]);
    assert.deepEqual(patient.written, ['-a -b +c']);
    const alone = listening();
    await waiting(alone.journal, 'd');
    assert.deepEqual(alone.written, ['-d']);
  });

  test('writes everything else alone, and in its order', async () => {
    const { journal, written, started, finished } = listening();
    const alone = writeAlone(journal, async () => written.push('alone'));
    await Promise.all([alone, finished('a'), started('b')]);
    assert.deepEqual(written, ['alone', '-a +b']);
  });

  test('lets the end of the last generation go with what ends the attempt', async () => {
    const { journal, written } = listening();
    const said = generationStart(1, [message('system', 'author', 'You are Zoe.')]);
    const finish = answered(said, { text: '{}', finish_reason: 'stop' });
    const ended = writeCall(journal, { kind: 'finished', finish });
    const committed = writeTale(journal, {
      ...ENDING,
      takes_answer: true,
      write: async (_told, answer) => answer?.outcome.key,
    });
    await ended;
    assert.equal(await committed, said.command.key);
    assert.deepEqual(written, []);
  });

  test('keeps what has been answered though what goes with it cannot be written, and writes nothing after that', async () => {
    const { journal, written, started, finished } = listening(async (calls) => {
      if ('started' in calls && calls.started.length > 0) throw new Error('the disk is full');
    });
    const results = await Promise.allSettled([finished('a'), started('b')]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.deepEqual(written, ['-a +b', '-a']);
    await assert.rejects(finished('c'), /the disk is full/);
    assert.deepEqual(written, ['-a +b', '-a']);
    await forget(journal);
    await finished('d');
    assert.deepEqual(written.at(-1), '-d');
  });
});

describe('what agents have done', () => {
  test('is told by no statement of calls, and whole by what ends the attempt', async () => {
    const { journal, written, started, finished } = listening();
    note(journal, [DISPATCHED, ENTERED]);
    await started('a');
    note(journal, [TOOL_CALLED]);
    await Promise.all([finished('a'), started('b')]);
    const told = await writeTale(journal, { ending: FAILING, write: async ({ agents }) => agents });
    assert.deepEqual(written, ['+a', '-a +b']);
    assert.equal(
      toStory(told ?? assert.fail()),
      'dispatched at 10, entered at 20, tool_called at 30, ended at 90: idle null',
    );
    assert.deepEqual(
      [told?.turns.map(({ at, end }) => [at, end?.at]), told?.ends, told?.edges.map(({ at }) => at)],
      [[[10, 90]], [], [10, 10, 30, 90]],
    );
  });

  test('is told once it has waited for a while, in its order, and not again', async () => {
    const { journal, written, started, finished } = listening(undefined, { quiet_ms: 20 });
    note(journal, [DISPATCHED, ENTERED]);
    await started('a');
    await waitUntil(() => written.length === 2);
    note(journal, [TOOL_CALLED]);
    await Promise.all([finished('a'), started('b')]);
    await waitUntil(() => written.length === 4);
    await wait(60);
    assert.deepEqual(written, [
      '+a',
      'dispatched at 10, entered at 20: running thinking',
      '-a +b',
      'tool_called at 30: running executing_tool',
    ]);
    const told = await writeTale(journal, { ending: FAILING, write: async ({ agents }) => agents });
    assert.equal(toStory(told ?? assert.fail()), 'ended at 90: idle null');
  });

  test('is not told before the end of the call that brought it is durable', async () => {
    let go = (): void => {};
    const held = new Promise<void>((resolve) => (go = resolve));
    const { journal, written, finished } = listening(() => held, { quiet_ms: 1 });
    note(journal, [DISPATCHED]);
    const ended = finished('a');
    await wait(30);
    assert.deepEqual(written, ['-a']);
    go();
    await ended;
    await waitUntil(() => written.length === 2);
    assert.deepEqual(written, ['-a', 'dispatched at 10: dispatched null']);
  });

  test('of a call waits until that has a row', async () => {
    const { journal, written, started } = listening(undefined, { quiet_ms: 1 });
    note(journal, [DISPATCHED, ENTERED, TOOL_CALLED]);
    await waitUntil(() => written.length === 1);
    await wait(30);
    assert.deepEqual(written, ['dispatched at 10, entered at 20: running thinking']);
    await started('b');
    await waitUntil(() => written.length === 3);
    assert.deepEqual(written.slice(1), ['+b', 'tool_called at 30: running executing_tool']);
    close(journal);
  });

  test('goes on waiting where an attempt was to rest and does not', async () => {
    const { journal, written } = listening(undefined, { quiet_ms: 20 });
    note(journal, [DISPATCHED]);
    await writeTale(journal, { write: async () => false, hasLanded: (rests) => rests });
    assert.deepEqual(written, []);
    await waitUntil(() => written.length === 1);
    assert.deepEqual(written, ['dispatched at 10: dispatched null']);
  });

  test('is told by nobody once the driver has left, or has forgotten it', async () => {
    const left = listening(undefined, { quiet_ms: 1 });
    note(left.journal, [DISPATCHED]);
    close(left.journal);
    note(left.journal, [ENTERED]);
    const forgetful = listening(undefined, { quiet_ms: 1 });
    note(forgetful.journal, [DISPATCHED]);
    await forget(forgetful.journal);
    await wait(30);
    assert.deepEqual([left.written, forgetful.written], [[], []]);
  });

  test('breaks the journal where it cannot be told, and somebody hears of it', async () => {
    const full = new Error('the disk is full');
    const { journal, failures, finished } = listening(
      async (told) => {
        if ('heads' in told) throw full;
      },
      { quiet_ms: 1 },
    );
    note(journal, [DISPATCHED]);
    await waitUntil(() => failures.length > 0);
    assert.deepEqual(failures, [full]);
    await assert.rejects(finished('a'), /the disk is full/);
    close(journal);
  });
});
