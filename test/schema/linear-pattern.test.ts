import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { compileLinearPattern, type LinearPattern } from '../../engine/schema/linear-pattern.js';

function linear(pattern: string): LinearPattern {
  const compiled = compileLinearPattern(pattern);
  assert.ok(compiled.ok, `${pattern}: ${compiled.ok ? '' : compiled.reason}`);
  return compiled.pattern;
}

/** Characters about which engines disagree, beside ordinary ones. */
const CHARACTERS = [
  '\u0000',
  'a',
  'b',
  'Z',
  '_',
  '0',
  '-',
  ' ',
  '\t',
  '\n',
  '\v',
  '\r',
  '\u00a0',
  '\u0663',
  '\u03b1',
  '\u2028',
  '\u3000',
  '\ufeff',
  '\u212a',
  '\u00e9',
  '\u{1F600}',
  '\\',
  '/',
  '.',
  ']',
];
const ATOMS = [
  'a',
  '[a-z]',
  '[^a]',
  '.',
  '\\s',
  '\\S',
  '[\\s_]',
  '[\\S]',
  '[^\\s]',
  '[^\\S]',
  '[.]',
  '\\.',
  '\\d',
  '\\D',
  '\\w',
  '\\W',
  '\\b',
  '\\B',
  '^',
  '$',
  '\\/',
  '\\\\',
  '[\\]]',
  '[[]',
  '[^]',
  '[]',
  '\\u00e9',
  '\\u{1F600}',
  '\\ud83d\\ude00',
  '\\x41',
  '\\cJ',
  '\\0',
  '\\p{L}',
  '\\P{Lu}',
  '[\\p{N}_]',
  '\\p{Script=Greek}',
  '\\p{General_Category=Nd}',
  '(?<name>a|b)',
  '\u{1F600}',
];
const REPEATS = ['', '', '', '*', '+', '?', '*?', '+?', '{2}', '{0,3}', '{1,}'];

test('a pattern matches what it matches in ECMAScript', () => {
  const atom = fc
    .tuple(fc.constantFrom(...ATOMS), fc.constantFrom(...REPEATS))
    .map(([what, how]) => (/^([\^$]|\\[bB]|\(\?<)/.test(what) ? what : what + how));
  const sequence = fc.array(atom, { maxLength: 4 }).map((atoms) => atoms.join(''));
  const pattern = fc
    .array(sequence, { minLength: 1, maxLength: 3 })
    .map((parts) => parts.map((part) => `(?:${part})`).join('|'));
  const texts = fc.array(fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 6 }), {
    minLength: 8,
    maxLength: 8,
  });
  let compared = 0;
  fc.assert(
    fc.property(pattern, texts, (source, given) => {
      // A name may stand once.
      fc.pre(source.split('(?<name>').length < 3);
      const native = new RegExp(source, 'u');
      const ours = linear(source);
      for (const text of given) {
        assert.equal(ours.test(text), native.test(text), `${source} on ${JSON.stringify(text)}`);
        compared += 1;
      }
    }),
    { seed: 5, numRuns: 3_000 },
  );
  assert.ok(compared > 10_000);
});

for (const pattern of ['\\s', '[^\\s]', '.'])
  test(`${pattern} matches the characters that it matches in ECMAScript, and no other`, () => {
    const native = new RegExp(`^${pattern}$`, 'u');
    const ours = linear(`^${pattern}$`);
    for (let code = 0; code < 0xffff; code += 1) {
      const text = String.fromCharCode(code);
      if (ours.test(text) !== native.test(text)) assert.fail(`${pattern} on U+${code.toString(16)}`);
    }
  });

test('a pattern that backtracks without an end elsewhere is matched at once', () => {
  const text = `${'a'.repeat(100_000)}!`;
  for (const pattern of ['^(a+)+$', '^(a|a)*$', '(a*)*b', '^(a|aa)+$', '([a-z]+)*=']) {
    assert.equal(linear(pattern).test(text), false, pattern);
  }
});

for (const [pattern, reason] of [
  ['(?=a)', /ahead/],
  ['(?!a)', /ahead/],
  ['(?<=a)b', /behind/],
  ['(?<!a)b', /behind/],
  ['(a)\\1', /refers back/],
  ['(?<name>a)\\k<name>', /refers back/],
  ['a{1001}', /1000/],
  ['[\\b]', /./],
] as const) {
  test(`${pattern} cannot be matched in linear time, and it is said why`, () => {
    assert.ok(new RegExp(pattern, 'u'));
    const compiled = compileLinearPattern(pattern);
    assert.ok(!compiled.ok);
    assert.match(compiled.reason, reason);
  });
}
