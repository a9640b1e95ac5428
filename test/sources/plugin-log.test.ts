import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openJsonLog } from '../../engine/json-log.js';
import { openPluginLog } from '../../engine/plugin-log.js';

function logged(level: 'debug' | 'warn', act: (log: ReturnType<typeof openPluginLog>) => void): readonly string[] {
  const lines: string[] = [];
  act(
    openPluginLog(
      level,
      (_level, sentence) => lines.push(sentence),
      () => 0,
    ),
  );
  return lines;
}

test('the log of plugins names the plugin, and writes remarks of level debug only on request', () => {
  const act = (log: ReturnType<typeof openPluginLog>): void => {
    log({ plugin: 'tides', level: 'debug', message: 'asked', details: { length: 3 } });
    log({ plugin: 'tides', level: 'warn', message: 'slow' });
    log({ plugin: 'post', level: 'error', message: 'gone' });
  };
  const loud = ['plugin tides: warn: slow', 'plugin post: error: gone'];
  assert.deepEqual(logged('warn', act), loud);
  assert.deepEqual(logged('debug', act), ['plugin tides: asked {"length":3}', ...loud]);
});

test('the log of plugins cuts long remarks, and leaves out what one plugin writes too often', () => {
  const [long = ''] = logged('warn', (log) => log({ plugin: 'a', level: 'warn', message: 'x'.repeat(10_000) }));
  assert.ok(long.length < 1_100, `${long.length}`);
  const lines = logged('warn', (log) => {
    for (let at = 0; at < 1_000; at += 1) log({ plugin: 'a', level: 'warn', message: 'again' });
    log({ plugin: 'b', level: 'warn', message: 'once' });
  });
  assert.equal(lines.length, 202);
  assert.deepEqual(lines.slice(-2), ['plugin a: more is left out until a minute is over', 'plugin b: warn: once']);
});

test('the log of plugins as JSON names plugin and level, an object a line', () => {
  const lines: string[] = [];
  const log = openPluginLog(
    'warn',
    openJsonLog((line) => lines.push(line)),
    () => 0,
  );
  log({ plugin: 'tides', level: 'warn', message: 'two\nlines', details: { length: 3 } });
  const [line = '', ...others] = lines;
  assert.ok(!line.includes('\n') && others.length === 0);
  const { level, plugin, msg } = JSON.parse(line) as Readonly<Record<string, unknown>>;
  assert.deepEqual([level, plugin, msg], ['warn', 'tides', 'plugin tides: warn: two\nlines {"length":3}']);
});
