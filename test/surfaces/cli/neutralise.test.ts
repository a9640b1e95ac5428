import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bad, line, verbatim } from '../../../engine/surfaces/cli/render/line.js';
import { neutralise, toSafeJson } from '../../../engine/surfaces/cli/render/neutralise.js';
import { findingLines } from '../../../engine/surfaces/cli/render/problems.js';
import { paint } from '../../../engine/surfaces/cli/render/paint.js';

const HOSTILE: readonly (readonly [name: string, text: string, shown: string])[] = [
  ['a colour', '\u001b[31mred', '\\u{1b}[31mred'],
  ['a window title', '\u001b]0;owned\u0007', '\\u{1b}]0;owned\\u{7}'],
  ['an eight-bit control sequence', '\u009b2J', '\\u{9b}2J'],
  ['a backspace and a delete', 'a\u0008b\u007f', 'a\\u{8}b\\u{7f}'],
  ['a line that overwrites another', 'safe\rEVIL', 'safe EVIL'],
  ['text that runs backwards', 'a\u202egnp', 'a\\u{202e}gnp'],
  ['text that is not seen', 'a\u{e0041}\u200bb', 'a\\u{e0041}\\u{200b}b'],
  ['half a character', 'a\ud800', 'a\\u{d800}'],
  ['line separators', 'a\u2028b', 'a\\u{2028}b'],
  ['several lines', 'a\nb\tc', 'a b c'],
];

for (const [name, text, shown] of HOSTILE) {
  test(`a character that a terminal would obey is written out: ${name}`, () => {
    assert.equal(neutralise(text), shown);
  });

  test(`no line lets it pass, broken or not: ${name}`, () => {
    const painted = paint([line(text), verbatim(text), line(bad(text))], {
      width: 40,
      has_colours: false,
      program: 'npx chukwa',
    });
    assert.deepEqual(painted.match(/[\p{Cc}\p{Cf}\p{Zl}\p{Cs}]/gu), ['\n', '\n', '\n']);
  });

  test(`JSON text holds it escaped, and means the same: ${name}`, () => {
    const json = toSafeJson({ text });
    assert.equal(/[\p{Cf}\p{Zl}\p{Cs}]/u.test(json), false);
    assert.equal(/(?!\n)\p{Cc}/u.test(json), false);
    assert.deepEqual(JSON.parse(json), { text });
  });
}

test('a file whose name holds a line break is not shown by the name of another', () => {
  const finding = {
    file: 'a\nb c.json',
    line: 0,
    column: 0,
    pointer: '',
    code: 'BAD_VALUE',
    message: 'm',
    repair: 'Do.',
    severity: 'error',
  } as const;
  assert.match(
    paint(findingLines([finding]), { width: 80, has_colours: false, program: 'npx chukwa' }),
    /^a\\u\{a\}b c\.json {2}BAD_VALUE/,
  );
});

test('a finding in a prompt file has no pointer, which only a document has', () => {
  const show = (file: string): string => {
    const place = { file, line: 3, column: 7, pointer: '/text' };
    const finding = { ...place, code: 'BAD_VALUE', message: 'm', repair: 'Do.', severity: 'error' } as const;
    return paint(findingLines([finding]), { width: 80, has_colours: false, program: 'npx chukwa' });
  };
  assert.equal(show('act.md'), 'act.md:3:7  BAD_VALUE  m\n    what to do: Do.\n');
  assert.equal(show('act.json'), 'act.json:3:7  BAD_VALUE  m  (at /text)\n    what to do: Do.\n');
});

test('words and pictures made with joiners stay whole', () => {
  assert.equal(neutralise('👩‍🚀 می‌خواهم'), '👩‍🚀 می‌خواهم');
});

test('colours are the only escape sequences, and only where they are shown', () => {
  const lines = [line(bad('failed'), ': \u001b[2J')];
  assert.equal(paint(lines, { width: 80, has_colours: false, program: 'npx chukwa' }), 'failed: \\u{1b}[2J\n');
  assert.equal(
    paint(lines, { width: 80, has_colours: true, program: 'npx chukwa' }),
    '\u001b[31mfailed\u001b[39m: \\u{1b}[2J\n',
  );
});
