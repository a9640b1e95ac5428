import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { ChunkBatch } from '../../engine/ports/sources.js';
import { ChunkCollector } from '../../engine/sources/chunk-collector.js';
import { createSecretReplacer, type Secret } from '../../engine/sources/secrets.js';

interface Bench {
  readonly collector: ChunkCollector;
  readonly batches: ChunkBatch[];
  readonly delays: number[];
  readonly lost: () => number;
  /** Lets the alarm that is set ring. */
  readonly ring: () => Promise<void>;
}

function open(
  parts: { secrets?: readonly Secret[]; write?: (batch: ChunkBatch) => Promise<void>; max_bytes?: number } = {},
): Bench {
  const batches: ChunkBatch[] = [];
  const delays: number[] = [];
  let ringing: (() => void) | undefined;
  let offset = 0;
  let lost = 0;
  const collector = new ChunkCollector({
    offset: () => (offset += 10),
    write: async (batch) => {
      await parts.write?.(batch);
      batches.push(batch);
    },
    lost: () => {
      lost += 1;
    },
    secrets: createSecretReplacer(parts.secrets ?? []),
    alarm: (after_ms, ring) => {
      delays.push(after_ms);
      ringing = ring;
      return () => {
        ringing = undefined;
      };
    },
    max_bytes: parts.max_bytes ?? 1_000,
  });
  const ring = async (): Promise<void> => {
    const now = ringing;
    ringing = undefined;
    now?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { collector, batches, delays, lost: () => lost, ring };
}

const textOf = (batch: ChunkBatch | undefined): string => Buffer.from(batch?.text ?? []).toString();

test('a short stream is never written: it leaves with the finish', async () => {
  const { collector, batches } = open();
  collector.chunk('Hel');
  collector.chunk('lo');
  const rest = await collector.finish();
  assert.deepEqual(batches, []);
  assert.deepEqual(
    { ...rest, text: textOf(rest) },
    { batch_seq: 1, text: 'Hello', lengths: [3, 2], offsets_ms: [10, 20] },
  );
});

test('a silent stream sets no alarm and leaves nothing', async () => {
  const { collector, delays } = open();
  assert.equal(await collector.finish(), undefined);
  assert.deepEqual(delays, []);
});

test('the waits between batches double from 250 ms to 5 s, and batches are numbered without gaps', async () => {
  const { collector, batches, delays, ring } = open();
  for (const letter of 'abcdefg') {
    collector.chunk(letter);
    await ring();
  }
  collector.chunk('h');
  const rest = await collector.finish();
  assert.deepEqual(delays, [250, 500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000]);
  assert.deepEqual(
    [...batches, rest].map((batch) => batch?.batch_seq),
    [1, 2, 3, 4, 5, 6, 7, 8],
  );
  assert.equal([...batches, rest].map(textOf).join(''), 'abcdefgh');
});

test('a character that two pieces share stays whole, over a flush as well', async () => {
  const { collector, batches, ring } = open();
  collector.chunk('sun \ud83c');
  await ring();
  collector.chunk('\udf1e!');
  const rest = await collector.finish();
  assert.deepEqual(batches.map(textOf), ['sun ']);
  assert.equal(textOf(rest), '\u{1F31E}!');
  assert.deepEqual(rest?.lengths, [5]);
});

test('half a character at the end, and U+0000, become a mark with what it replaces', async () => {
  const { collector } = open();
  collector.chunk('a\0b\ud83c');
  assert.equal(textOf(await collector.finish()), 'a\uFFFD\\u0000b\uFFFD\\ud83c');
});

test('half a secret waits for its other half instead of being written', async () => {
  const { collector, batches, ring } = open({ secrets: [{ variable: 'K', value: 'hunter2000' }] });
  collector.chunk('it is ');
  collector.chunk('hunter');
  await ring();
  collector.chunk('2000.');
  const rest = await collector.finish();
  assert.deepEqual([...batches, rest].map(textOf), ['it is ', '[secret:K].']);
});

test('one write at a time: what arrives meanwhile goes into the next, and finish waits', async () => {
  const order: string[] = [];
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const write = async (): Promise<void> => {
    await held;
    order.push('written');
  };
  const { collector, batches, delays, ring } = open({ write });
  collector.chunk('a');
  await ring();
  collector.chunk('b');
  assert.equal(delays.length, 1, 'no alarm is set while a write is under way');
  const finished = collector.finish().finally(() => order.push('finished'));
  await new Promise((resolve) => setImmediate(resolve));
  release();
  assert.equal(textOf(await finished), 'b');
  assert.deepEqual(batches.map(textOf), ['a']);
  assert.deepEqual(order, ['written', 'finished']);
});

test('one alarm is set for all pieces until it rings, and none once a write has failed', async () => {
  const { collector, delays, ring } = open({ write: () => Promise.reject(new Error('overtaken')) });
  collector.chunk('a');
  collector.chunk('b');
  assert.deepEqual(delays, [250]);
  await ring();
  collector.chunk('c');
  assert.deepEqual(delays, [250]);
});

test('a write that fails is reported at once and thrown by finish', async () => {
  const { collector, lost, ring } = open({ write: () => Promise.reject(new Error('overtaken')) });
  collector.chunk('a');
  await ring();
  assert.equal(lost(), 1);
  await assert.rejects(collector.finish(), /overtaken/);
});

test('text beyond its limit is refused', () => {
  const { collector } = open({ max_bytes: 6 });
  collector.chunk('äb');
  collector.chunk('äb');
  assert.throws(() => collector.chunk('c'), { failure_class: 'result_too_large' });
});

test('batches together are the text with its secrets replaced, whenever the alarm rings', async () => {
  const secrets = [{ variable: 'K', value: 'abcabd' }];
  const unit = fc.constantFrom('a', 'b', 'c', 'd', 'é', '\u{1F31E}', 'abcabd');
  const steps = fc.array(fc.oneof(fc.string({ unit, minLength: 1 }), fc.constant(undefined)), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(steps, async (given) => {
      const { collector, batches, ring } = open({ secrets });
      for (const step of given) {
        if (step === undefined) await ring();
        else collector.chunk(step);
      }
      const all = [...batches, await collector.finish()];
      const whole = given.filter((step) => step !== undefined).join('');
      assert.equal(all.map(textOf).join(''), createSecretReplacer(secrets).text(whole));
      for (const batch of all)
        assert.equal(
          batch?.lengths.reduce((sum, length) => sum + length, 0),
          batch?.text.byteLength,
        );
    }),
    { seed: 11, numRuns: 500 },
  );
});
