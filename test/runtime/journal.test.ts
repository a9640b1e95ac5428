import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as pause } from 'node:timers/promises';
import type { Verdict } from '../../engine/core/protocol/verdict.js';
import type { CallsWrite } from '../../engine/ports/attempts.js';
import {
  forget,
  type Journal,
  type JournalWrites,
  openJournal,
  writeAlone,
  writeCall,
} from '../../engine/runtime/journal.js';
import { Overtaken } from '../../engine/runtime/overtaken.js';
import { answered, generationStart, message, toyStart } from '../store/record-fixtures.js';

const toy = (key: string) => toyStart(key, 1);

/** A journal with what it wrote, statement by statement. */
function listening(write: (calls: CallsWrite) => Promise<void> = async () => {}) {
  const written: string[] = [];
  const writes: JournalWrites = {
    writeCalls: async (calls) => {
      const finished = calls.finished.map(({ outcome }) => `-${outcome.key}`);
      written.push([...finished, ...calls.started.map(({ command }) => `+${command.key}`)].join(' '));
      await write(calls);
    },
  };
  const journal: Journal = openJournal(writes);
  const started = (key: string) => writeCall(journal, { kind: 'started', start: toy(key) });
  const finished = (key: string) => writeCall(journal, { kind: 'finished', finish: answered(toy(key), {}) });
  return { journal, written, started, finished };
}

describe('the journal of a driver', () => {
  test('the journal writes calls that end and begin at one time by one statement', async () => {
    const { written, started, finished } = listening();
    await Promise.all([finished('a'), started('b'), started('c')]);
    await finished('b');
    assert.deepEqual(written, ['-a +b +c', '-b']);
  });

  test('the journal gathers while a statement is under way, and never more than four calls', async () => {
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

  test('the journal writes the end of a call from which nothing follows with what comes within two milliseconds, and else alone', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { journal, written, started } = listening();
    const waiting = (key: string) =>
      writeCall(journal, { kind: 'finished', finish: answered(toy(key), {}), can_wait: true });
    const pass = async (ms: number): Promise<void> => {
      t.mock.timers.tick(ms);
      for (let turn = 0; turn < 5; turn += 1) await pause();
    };
    const first = waiting('a');
    await pass(1);
    await Promise.all([first, waiting('b'), started('c')]);
    assert.deepEqual(written, ['-a -b +c']);
    void waiting('d');
    await pause();
    await pass(1);
    assert.equal(written.length, 1);
    await pass(1);
    assert.equal(written[1], '-d');
  });

  test('the journal takes the world by its first statement, with the calls that it writes', async () => {
    const written: string[] = [];
    const writes: JournalWrites = {
      begin: async ({ started }) => void written.push(`takes it with ${started.length}`),
      writeCalls: async () => void written.push('calls'),
    };
    const [one, other] = [openJournal(writes), openJournal(writes)];
    for (const key of ['a', 'b']) await writeCall(one, { kind: 'started', start: toy(key) });
    await writeAlone(other, async () => written.push('alone'));
    assert.deepEqual(written, ['takes it with 1', 'calls', 'takes it with 0', 'alone']);
  });

  test('the journal writes everything else alone, and in its order', async () => {
    const { journal, written, started, finished } = listening();
    const alone = writeAlone(journal, async () => written.push('alone'));
    await Promise.all([alone, finished('a'), started('b')]);
    assert.deepEqual(written, ['alone', '-a +b']);
    await Promise.all([started('c'), writeAlone(journal, async () => written.push('again'), true)]);
    assert.deepEqual(written.slice(2), ['+c', 'again']);
  });

  test('the journal writes the end of the last generation with the end of the attempt', async () => {
    const { journal, written } = listening();
    const said = generationStart(1, [message('system', 'author', 'You are Zoe.')]);
    const finish = answered(said, { text: '{}', finish_reason: 'stop' });
    const ended = writeCall(journal, { kind: 'finished', finish });
    const committed = writeAlone(journal, async (answer) => answer?.outcome.key, true);
    await ended;
    assert.equal(await committed, said.command.key);
    assert.deepEqual(written, []);
  });

  test('the journal writes an end by a statement of its own where what follows takes none, or it is not the plain answer of a model', async () => {
    const said = generationStart(1, [message('system', 'author', 'You are Zoe.')]);
    const spoken = answered(said, { text: '{}', finish_reason: 'stop' });
    const rejection = { failure_class: 'model_content', message: 'No.' } as unknown as Verdict['rejection'];
    const verdict = { rejection } as Verdict;
    for (const [finish, ...takes_answer] of [
      [spoken],
      [spoken, false],
      [answered(toy('a'), {}), true],
      [{ ...spoken, verdict }, true],
      [{ ...spoken, is_reported: true }, true],
    ] as const) {
      const { journal, written } = listening();
      const ended = writeCall(journal, { kind: 'finished', finish });
      assert.equal(await writeAlone(journal, async (answer) => answer, ...takes_answer), undefined);
      await ended;
      assert.deepEqual(written, [`-${finish.outcome.key}`]);
    }
  });

  test('the journal writes nothing after a write that another driver has overtaken', async () => {
    const { journal, written, started } = listening();
    await assert.rejects(
      writeAlone(journal, async () => 'overtaken'),
      Overtaken,
    );
    await assert.rejects(started('a'), Overtaken);
    assert.deepEqual(written, []);
  });

  test('the journal keeps an answer though what goes with it cannot be written, and writes nothing after that', async () => {
    const { journal, written, started, finished } = listening(async (calls) => {
      if (calls.started.length > 0) throw new Error('the disk is full');
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

  test('the journal does not write again what has failed with nothing beside it', async () => {
    for (const write of ['started', 'finished'] as const) {
      const one = listening(async () => {
        throw new Error('the disk is full');
      });
      await assert.rejects(one[write]('a'), /the disk is full/);
      assert.equal(one.written.length, 1);
    }
  });
});
