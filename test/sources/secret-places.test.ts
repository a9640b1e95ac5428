import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOrigin } from '../../engine/sources/origin.js';
import { createSecretReplacer } from '../../engine/sources/secrets.js';

// Where exactly a secret is replaced: beside what, and at which end of a text.

/** Its base64 has no padding, and its length is the least that a secret may have. */
const LEAST = 'canary';
const BASE64 = Buffer.from(LEAST).toString('base64');
const HEX = Buffer.from(LEAST).toString('hex');

test('a text that is a secret and nothing else is replaced, and so is each of several', () => {
  const { text, json, bytes, pieces } = createSecretReplacer([{ variable: 'K', value: LEAST }]);
  assert.equal(text(LEAST), '[secret:K]');
  assert.equal(text(LEAST + LEAST), '[secret:K][secret:K]');
  assert.deepEqual(json(LEAST), '[secret:K]');
  assert.deepEqual(json({ a: [null, 1, true, LEAST] }), { a: [null, 1, true, '[secret:K]'] });
  assert.equal(Buffer.from(bytes(Buffer.from(LEAST))).toString(), '[secret:K]');
  assert.deepEqual(pieces([LEAST]), ['[secret:K]']);
});

test('a value below six characters is not replaced', () => {
  assert.equal(createSecretReplacer([{ variable: 'K', value: 'canar' }]).text('canary'), 'canary');
});

test('characters that no encoding has may stand right beside an encoded secret', () => {
  const { text } = createSecretReplacer([{ variable: 'K', value: LEAST }]);
  const besides = (encoded: string, characters: string): void => {
    for (const character of characters) {
      const around = character.repeat(2);
      assert.equal(text(around + encoded + around), `${around}[secret:K]${around}`, character);
    }
  };
  besides(BASE64, '.,:;@`[{ *()');
  besides(HEX, '.,/:@`gG[{ *()');
});

test('characters of its own encoding may stand before an encoded secret', () => {
  const { text } = createSecretReplacer([{ variable: 'K', value: LEAST }]);
  for (const before of ['', 'A', 'AB', 'ABC', 'ABCD', 'z', '09', '+', '-', '/', '_'])
    assert.equal(text(` ${before}${BASE64} `), ` ${before}[secret:K] `);
  for (const before of ['', 'a', 'f', '0', '9', 'ab', 'AF0'])
    assert.equal(text(` ${before}${HEX} `), ` ${before}[secret:K] `);
});

test('a secret is found behind its own last characters, whatever follows those', () => {
  for (const [value, given] of [
    ['zaaaaa', 'xzaaaaa'],
    ['canary', 'xxxry\0canary'],
    ['canary', 'xxxry\u0100canary'],
    ['canary', 'canarcanary'],
  ] as const) {
    const { text } = createSecretReplacer([{ variable: 'K', value }]);
    assert.equal(text(given), given.replace(value, '[secret:K]'));
  }
});

test('a secret is found behind a sign that begins an escape, with which its own first characters could be one', () => {
  for (const [value, written] of [
    ['canary', 'canary'],
    ['ab/cdefgh', 'ab%2Fcdefgh'],
    ['ab/cdefgh', 'ab%252Fcdefgh'],
    ['next"secret', 'next\\"secret'],
    ['next"secret', 'next\\\\\\"secret'],
    ['next"secret', 'next\\u0022secret'],
    ['u1234/key', 'u1234\\/key'],
    ['amp;1/key', 'amp;1%2Fkey'],
    ['25ab/cdefgh', '25ab%2Fcdefgh'],
  ] as const)
    for (const sign of ['%', '\\', '&', '100%', '%2', 'C:\\', '\\\\\\', '\\n\\', '%25%', '&amp;&']) {
      const { text, json, bytes } = createSecretReplacer([
        { variable: 'L', value: 'F0F0F0/key' },
        { variable: 'K', value },
      ]);
      const given = `say ${sign}${written}, ${sign}${written}`;
      const kept = `${JSON.stringify([text(given), json({ [given]: [given] })])}${String(bytes(Buffer.from(given)))}`;
      assert.equal(kept.split('[secret:K]').length - 1, 8, `${given}: ${kept}`);
    }
});

for (const names of ['KL', 'LK'])
  test(`of two secrets of which one begins the other, the longer one is named, given as ${names}`, () => {
    const values: Readonly<Record<string, string>> = { K: 'abcdef', L: 'abcdefgh' };
    const { text } = createSecretReplacer(Array.from(names, (name) => ({ variable: name, value: values[name] ?? '' })));
    assert.equal(text('a abcdefgh b abcdef c'), 'a [secret:L] b [secret:K] c');
  });

test('secrets that overlap are one, by the name of the first, and those that touch are two', () => {
  const { text } = createSecretReplacer([
    { variable: 'K', value: 'abcdef' },
    { variable: 'L', value: 'defghi' },
    { variable: 'M', value: 'uvwxyz' },
  ]);
  assert.equal(text('1 abcdefghi 2'), '1 [secret:K] 2');
  assert.equal(text('abcdefuvwxyz'), '[secret:K][secret:M]');
});

test('a text that was cut loses nothing but what may begin a secret', () => {
  const { text, pieces } = createSecretReplacer([{ variable: 'K', value: 'canary word!' }]);
  for (const [cut, kept] of [
    ['', ''],
    ['all is well.', 'all is well.'],
    ['canary word!', '[secret:K]'],
    ['it is canary word!', 'it is [secret:K]'],
    ['it is canary word', 'it is '],
    ['canary ', ''],
    ['c', ''],
    [`${'long '.repeat(4_000)}. canary `, `${'long '.repeat(4_000)}. `],
  ] as const) {
    assert.equal(text(cut, 'cut'), kept);
  }
  assert.deepEqual(pieces(['it is ', 'canary ', 'word!', ' here.'], 'cut'), ['it is ', '[secret:K]', '', ' here.']);
  assert.deepEqual(pieces(['it is ', 'here or ', 'there'], 'cut'), ['it is ', 'here or ']);
  assert.deepEqual(pieces([''], 'cut'), ['']);
});

test('a piece that shares a secret with one that is left out is left out, too', () => {
  const { pieces } = createSecretReplacer([{ variable: 'K', value: 'canary' }]);
  assert.deepEqual(pieces(['it is ', 'cana', 'ry or cana'], 'cut'), ['it is ']);
});

test('a text that was cut where one secret may go on loses another that overlaps it', () => {
  for (const other of ['my canary word', 'ary-song']) {
    const { text } = createSecretReplacer([
      { variable: 'K', value: 'canary' },
      { variable: 'L', value: other },
    ]);
    assert.equal(text('it is (my canary', 'cut'), other.startsWith('my') ? 'it is (' : 'it is (my ');
    assert.equal(text('it is (my canary)', 'cut'), 'it is (my [secret:K])');
  }
});

test('letters of another case begin a secret only where they are the secret in the name of a host', () => {
  const { text } = createSecretReplacer([
    { variable: 'HOST', value: 'Abc-Example7' },
    { variable: 'K', value: 'Word With Case!' },
  ]);
  assert.equal(text('at .ABC-EXAMPLE', 'cut'), 'at .');
  assert.equal(text('it is (Word With', 'cut'), 'it is (');
  assert.equal(text('it is WORD WITH CASE!'), 'it is WORD WITH CASE!');
  assert.equal(text('it is (word with.', 'cut'), 'it is (word with.');
});

/** What a service may answer to make the search long, by the text that it repeats. */
const HOSTILE = [
  LEAST,
  BASE64,
  HEX,
  `${BASE64}${HEX}${LEAST}`,
  BASE64.slice(0, -1),
  Buffer.from(BASE64.repeat(3)).toString('base64'),
  'aaaaaaa',
  '%25',
  '&amp;',
  '&#38;#38;',
  '\\',
  '\\u005c',
  '%63anar%79',
  'a%26amp;quot;',
  '%aaaa',
  '%sk-\\"&%/key',
  '\\\\aaaaaa\\u0061',
];

for (const unit of HOSTILE)
  test(`twice as much of ${unit} takes twice as many steps, whole and cut`, () => {
    const steps = (length: number): number => {
      let taken = 0;
      const secrets = [LEAST, 'aaaaaaaaaaaa', 'sk-"&%/key'].map((value) => ({ variable: 'K', value }));
      const { text, json, bytes } = createSecretReplacer(secrets, (more) => (taken += more));
      const given = unit.repeat(length / unit.length);
      text(given);
      text(given, 'cut');
      json([given, { [given]: given }]);
      bytes(Buffer.from(given));
      return taken;
    };
    assert.ok(steps(32_000) <= 2.1 * steps(16_000), `${steps(16_000)} and ${steps(32_000)}`);
    assert.ok(steps(16_000) <= 500 * 16_000, String(steps(16_000)));
  });

test('a name and a password are replaced together, where they stand as one header in base64', () => {
  const parsed = parseOrigin('K', 'http://keeper:canary@127.0.0.1/');
  assert.ok(parsed.ok);
  const { text } = createSecretReplacer(parsed.origin.secrets);
  const header = String(parsed.origin.authorization);
  assert.equal(text(`it was ${header}.`), 'it was Basic [secret:K].');
  assert.equal(text(Buffer.from(header).toString('base64')), `${Buffer.from('Basic ').toString('base64')}[secret:K]=`);
});
