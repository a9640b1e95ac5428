import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FAMILIES, GROUPS, readArguments } from '../../tools/bench/arguments.js';

test('without arguments every group is measured, with names these alone, in the order of all', () => {
  const groups = Object.keys(GROUPS);
  assert.deepEqual(readArguments([]), { kind: 'figures', is_json: false, groups, rounds: 1 });
  const some = { kind: 'figures', is_json: true, groups: ['starts', 'reducer'], rounds: 1 };
  assert.deepEqual(readArguments(['--only', 'reducer', '--only', 'starts', '--json']), some);
  assert.deepEqual(readArguments(['--only', 'reducer', 'starts', '--json']), some);
  const longer = { kind: 'figures', is_json: false, groups: ['stalls'], rounds: 20 };
  assert.deepEqual(readArguments(['--only', 'stalls', '--rounds', '20']), longer);
});

test('curves are drawn where a file is named', () => {
  const families = Object.keys(FAMILIES);
  assert.deepEqual(readArguments(['--growth']), { kind: 'curves', is_json: false, families });
  const drawn = { kind: 'curves', is_json: false, families: ['turns'], draw_file: 'x.svg' };
  assert.deepEqual(readArguments(['--draw', 'x.svg', '--only', 'turns']), drawn);
});

test('--help lists every group and every option', () => {
  const said = readArguments(['--help']);
  assert.ok(said.kind === 'instead' && said.exit_code === 0);
  for (const name of [
    ...Object.keys(GROUPS),
    ...Object.keys(FAMILIES),
    '--only',
    '--growth',
    '--draw',
    '--rounds',
    '--json',
  ])
    assert.match(said.text, new RegExp(`^  ${name}\\b`, 'm'));
});

test('an unknown argument is reported in one sentence, as wrong usage', () => {
  for (const words of [
    ['--nothing'],
    ['--only', 'nothing'],
    ['--only'],
    ['nothing'],
    ['--rounds', '0'],
    ['--growth', '--only', 'starts'],
  ]) {
    const said = readArguments(words);
    assert.ok(said.kind === 'instead' && said.exit_code === 2, words.join(' '));
    assert.match(said.text, /^error: [^\n]+\n$/, words.join(' '));
  }
});
