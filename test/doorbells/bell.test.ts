import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBell } from '../../engine/store/doorbell/bell.js';
import type { Runner } from '../../engine/store/statement.js';

/** Takes statements, and notes the worlds of each. */
function listen(fails = false) {
  const rung: (readonly string[])[] = [];
  const query = async (asked: unknown): Promise<never> => {
    rung.push((asked as { readonly values: readonly (readonly string[])[] }).values[0] ?? []);
    if (fails) throw new Error('the server is away');
    return { rows: [] } as never;
  };
  return { rung, runner: { query } as Runner };
}

test('the first ring is sent at once', () => {
  const { rung, runner } = listen();
  openBell(runner).ring(['tower']);
  assert.deepEqual(rung, [['tower']]);
});

test('rings in short succession are sent together, each world once, and closing sends what is left', async () => {
  const { rung, runner } = listen();
  const bell = openBell(runner);
  for (let ring = 0; ring < 1_000; ring += 1) bell.ring([ring % 2 === 0 ? 'tower' : 'yard']);
  await bell.close();
  assert.deepEqual(rung, [['tower'], ['yard', 'tower']]);
});

test('a bell that rings for no world sends nothing', async () => {
  const { rung, runner } = listen();
  const bell = openBell(runner);
  bell.ring([]);
  await bell.close();
  assert.deepEqual(rung, []);
});

test('a notification that cannot be sent is lost without an error, and the next is sent', async () => {
  const { rung, runner } = listen(true);
  const bell = openBell(runner);
  bell.ring(['tower']);
  bell.ring(['yard']);
  await bell.close();
  assert.deepEqual(rung, [['tower'], ['yard']]);
});
