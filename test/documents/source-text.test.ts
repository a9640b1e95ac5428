import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { isExactNumber } from '../../engine/core/content/exact-number.js';
import { readParts } from '../../engine/core/content/json-parts.js';
import { parsePrompt, parseSource } from '../../engine/core/content/source-text.js';

function check(name: string, text: string, expected: readonly string[]): void {
  test(name, () => {
    const parsed = parseSource('a.json', text);
    assert.ok(!parsed.ok);
    const places = parsed.problems.map(
      ({ code, location, pointer }) => `${location?.file}:${location?.line}:${location?.column} ${code} ${pointer}`,
    );
    assert.deepEqual(places, expected);
  });
}

check('all that is wrong in a text is said at once', '\uFEFF{\n "a": 1,\n "a": "\\ud800",\n "b": [1e999]\n}', [
  'a.json:3:2 REPEATED_NAME /a',
  'a.json:3:7 TEXT_NOT_STORABLE /a',
  'a.json:4:8 NUMBER_CHANGES /b/0',
]);
test('a byte-order mark at the beginning of a document or a prompt is dropped', () => {
  const [parsed, prompt] = [parseSource('a.json', '\uFEFF{"a": 1}'), parsePrompt('a.md', '\uFEFFGo.')];
  assert.deepEqual(parsed.ok && parsed.value.value, { a: 1 });
  assert.deepEqual(prompt.ok && prompt.value.value, { text: 'Go.' });
});
check('a name can be unstorable too', '{"\\ud800": 1}', ['a.json:1:2 TEXT_NOT_STORABLE /\ud800']);
check('a repeated name is found however it is escaped', '{"a": 1, "\\u0061": 2}', ['a.json:1:10 REPEATED_NAME /a']);
check('lines end in any of three ways', '{\r\n\r "a": 1,\n "a": 2}', ['a.json:4:2 REPEATED_NAME /a']);
check('text after the value is not JSON', '{} {}', ['a.json:1:4 INVALID_JSON ']);
check('an unknown word is found where it begins', '{"a": tru}', ['a.json:1:7 INVALID_JSON ']);
check('a raw line break in text is found where it stands', '{"a": "x\ny"}', ['a.json:1:9 INVALID_JSON ']);
check('65 levels are too deep, wherever they stand', `{"a": 1, "b": ${'['.repeat(64)}${']'.repeat(64)}}`, [
  'a.json:1:78 TOO_DEEP ',
]);

test('64 levels are taken, and brackets within text count for nothing', () => {
  assert.ok(parseSource('a.json', `${'['.repeat(64)}${']'.repeat(64)}`).ok);
  assert.ok(parseSource('a.json', JSON.stringify({ a: '['.repeat(500), '{{{': '\\"[' })).ok);
});

test('a member is found at its name, an item at its value, and what is missing at what would hold it', () => {
  const parsed = parseSource('a.json', '{\n  "a": {\n    "b/c": [1,\n      {"d": 2}]\n  }\n}');
  assert.ok(parsed.ok);
  const places = ['', '/a', '/a/b~1c', '/a/b~1c/1', '/a/b~1c/1/d', '/a/b~1c/7', '/a/x/y'].map((pointer) => {
    const { line, column } = parsed.value.locate(pointer);
    return `${line}:${column}`;
  });
  assert.deepEqual(places, ['1:1', '2:3', '3:5', '4:7', '4:8', '3:5', '2:3']);
});

test('a character of a string is found where it is written, however those before it are escaped', () => {
  const parsed = parseSource('a.json', String.raw`{  "a": "x\n\"\u0041y{{b}}"}`);
  assert.ok(parsed.ok);
  const { locate, value } = parsed.value;
  const places = ['x', '\n', '"', 'A', 'y', '{'].map((character) => {
    const { line, column } = locate('/a', (value as { readonly a: string }).a.indexOf(character));
    return `${line}:${column}`;
  });
  assert.deepEqual(places, ['1:10', '1:11', '1:13', '1:15', '1:21', '1:22']);
});

/** So many that a second look at the text for each of them would take an hour. */
const MANY = 200_000;

for (const [what, item] of [
  ['repeated names', '"a": 1'],
  ['numbers that no double holds', '"NEXT": 0.12345678901234567890'],
] as const) {
  test(`the first of many ${what} are placed, and the last problem says that there are more`, () => {
    const members = Array.from({ length: MANY }, (_, index) => `,\n${item.replace('NEXT', `b${index}`)}`);
    const parsed = parseSource('a.json', `{"a": 0${members.join('')}}`);
    assert.ok(!parsed.ok);
    assert.deepEqual(
      parsed.problems.map(({ code, location }) => location?.line ?? code),
      [...Array.from({ length: 200 }, (_, index) => index + 2), 'TOO_MANY_PROBLEMS'],
    );
  });
}

test('every one of many members is found, below a long name too', () => {
  const name = 'x'.repeat(MANY);
  const parsed = parseSource('a.json', `{"${name}": [0${',\n1'.repeat(MANY)}]}`);
  assert.ok(parsed.ok);
  const { locate } = parsed.value;
  assert.deepEqual(locate(`/${name}/${MANY}`), { file: 'a.json', line: MANY + 1, column: 1 });
  const items = parseSource('a.json', `[0${',\n1'.repeat(MANY)}]`);
  assert.ok(items.ok);
  for (let index = 1; index <= MANY; index += 1) assert.equal(items.value.locate(`/${index}`).line, index + 1);
});

for (const [written, isExact] of [
  ['0', true],
  ['-0', true],
  ['-0.0', true],
  ['1.50', true],
  ['3.0E2', true],
  ['0.1', true],
  ['1e21', true],
  ['100000000000000000000000', true],
  ['9007199254740992', true],
  ['9007199254740993', false],
  ['1e400', false],
  ['1e-400', false],
  ['0.1000000000000000055', false],
  ['5e-324', true],
  ['-1.7976931348623157e308', true],
  ['1E400', false],
  ['1.5E+400', false],
  ['1.5e-400', false],
  ['-1E21', true],
] as const) {
  test(`the number ${written} is ${isExact ? 'kept' : 'refused'}`, () => {
    assert.equal(isExactNumber(written), isExact);
    assert.equal(parseSource('a.json', `[${written}]`).ok, isExact);
  });
}

for (const [written, shown] of [
  [`0.${'1'.repeat(38)}`, `0.${'1'.repeat(38)}`],
  [`0.${'1'.repeat(39)}`, `0.${'1'.repeat(38)}...`],
] as const)
  test(`a number of ${written.length} characters is shown ${written === shown ? 'whole' : 'by its first 40'}`, () => {
    const parsed = parseSource('a.json', written);
    assert.ok(!parsed.ok);
    assert.equal(parsed.problems[0]?.message, `the number ${shown} would be kept as 0.1111111111111111`);
  });

test('every JSON value is read as JSON.parse reads it', () => {
  const property = fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(3), (value, indentation) => {
    const text = JSON.stringify(value, null, indentation);
    if (text.includes('\\u0000')) return;
    const parsed = parseSource('a.json', text);
    assert.ok(parsed.ok, JSON.stringify(parsed));
    assert.deepEqual(parsed.value.value, JSON.parse(text));
  });
  fc.assert(property, { seed: 11, numRuns: 500 });
});

/** How many values and members a value has, itself among them. */
function countParts(value: unknown): readonly [values: number, members: number] {
  if (typeof value !== 'object' || value === null) return [1, 0];
  const held = Object.values(value).map(countParts);
  const sum = (place: 0 | 1): number => held.reduce((total, counts) => total + counts[place], 0);
  return [1 + sum(0), sum(1) + (Array.isArray(value) ? 0 : held.length)];
}

test('the parts of every JSON text are its values and the names of its members', () => {
  const property = fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(3), (value, indentation) => {
    const kinds = [...readParts(JSON.stringify(value, null, indentation))].map(({ kind }) => kind);
    const count = (wanted: string): number => kinds.filter((kind) => kind === wanted).length;
    assert.deepEqual([count('value'), count('name'), count('fault')], [...countParts(value), 0]);
  });
  fc.assert(property, { seed: 17, numRuns: 300 });
});

test('no text makes the parser throw, and it accepts only what JSON.parse accepts', () => {
  const pieces = fc.array(
    fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"a"',
      '"',
      '\\',
      '1',
      '-',
      '1e9',
      'null',
      ' ',
      '\n',
      '\uFEFF',
      '/*',
      "'",
    ),
    { maxLength: 14 },
  );
  const property = fc.property(pieces, (parts) => {
    const text = parts.join('');
    const parsed = parseSource('a.json', text);
    if (parsed.ok) assert.doesNotThrow(() => JSON.parse(text.replace(/^\uFEFF/, '')));
    else
      assert.ok(
        parsed.problems.every(({ location }) => location !== undefined && location.line >= 1 && location.column >= 1),
      );
  });
  fc.assert(property, { seed: 13, numRuns: 3000 });
});
