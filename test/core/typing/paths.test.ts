import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../engine/contract/json.js';
import { pointerTokens } from '../../../engine/core/content/json-pointer.js';
import { namesBelow, stepInto } from '../../../engine/core/typing/step.js';
import { readPath } from '../../../engine/core/typing/read-path.js';
import { schemaShape } from '../../../engine/core/typing/shape.js';

/** The targets of a schema's paths, as redaction shows them. */
function check(
  sentence: string,
  schema: JsonObject,
  paths: Readonly<Record<string, 'there' | 'maybe' | 'never'>>,
  allow: 'all' | readonly string[] = 'all',
): void {
  test(sentence, () => {
    const shape = schemaShape(schema, allow);
    const read = Object.keys(paths).map((path) => [path, readPath(shape, pointerTokens(path)).presence]);
    assert.deepEqual(Object.fromEntries(read), paths);
  });
}

const text = { type: 'string' };
/** Written as an object, a condition would look like a promise. */
const parse = (json: string): JsonObject => JSON.parse(json) as JsonObject;
const pair = { type: 'object', required: ['a'], properties: { a: text, b: text } };

check('the whole value is there', {}, { '': 'there' });
check('without a schema every path may be there', {}, { '/a': 'maybe', '/a/b/0': 'maybe' });
check('required members are there, others may be, and unlisted ones never are', pair, {
  '/a': 'there',
  '/b': 'maybe',
  '/c': 'never',
  '/a/x': 'never',
  '/b/x': 'never',
});
check(
  'a value that need not be an object need not have members',
  { required: ['a'], properties: { a: text } },
  { '/a': 'maybe', '/b': 'never' },
);
check(
  'other members are there as far as the schema speaks of them',
  { ...pair, additionalProperties: { type: 'object', required: ['x'], properties: { x: text } } },
  { '/c': 'maybe', '/c/x': 'maybe', '/c/y': 'never' },
);
check(
  'a member that a pattern covers may be there, and one that none covers is not excluded',
  { ...pair, patternProperties: { '^c': { type: 'integer' } } },
  { '/cold': 'maybe', '/cold/x': 'never', '/warm': 'maybe' },
);
check(
  'patterns exclude what they refuse',
  { type: 'object', patternProperties: { '^_': false } },
  { '/_a': 'never', '/a': 'maybe' },
);
check(
  'only members that are spoken of are there in a closed object',
  { type: 'object', additionalProperties: false, patternProperties: { '^c': text } },
  { '/c': 'maybe', '/a': 'never' },
);
check(
  'a required member need not be listed',
  { type: 'object', required: ['z'], properties: { a: text } },
  {
    '/z': 'there',
    '/z/a': 'maybe',
    '/y': 'never',
  },
);
check(
  'nothing fits a member of which the schema is false',
  { type: 'object', properties: { a: false, b: true } },
  { '/a': 'never', '/b': 'maybe', '/b/c': 'maybe' },
);
check(
  'references are followed, recursive ones as far as the path goes',
  {
    $ref: '#/$defs/list',
    $defs: { list: { type: 'object', required: ['head'], properties: { head: text, tail: { $ref: '#/$defs/list' } } } },
  },
  { '/head': 'there', '/tail/tail/head': 'maybe', '/tail/tial': 'never' },
);
check(
  'keywords beside a reference hold too',
  { $ref: '#/$defs/open', required: ['b'], $defs: { open: pair } },
  { '/a': 'there', '/b': 'there', '/c': 'never' },
);
check(
  'all parts of allOf hold',
  { allOf: [pair, { type: 'object', required: ['b'], properties: { c: text } }] },
  {
    '/a': 'there',
    '/b': 'there',
    '/c': 'maybe',
    '/d': 'never',
  },
);
check(
  'a path is there when every alternative has it, and never when none has',
  {
    oneOf: [
      { type: 'object', required: ['kind', 'x'], properties: { kind: { const: 'x' }, x: pair } },
      { type: 'object', required: ['kind', 'y'], properties: { kind: { const: 'y' }, y: text } },
    ],
  },
  { '/kind': 'there', '/x': 'maybe', '/x/a': 'maybe', '/y': 'maybe', '/z': 'never', '/y/a': 'never' },
);
check(
  'alternatives that contradict the keywords beside them do not count',
  { type: 'object', anyOf: [pair, { type: 'null' }, { type: 'string' }] },
  { '/a': 'there', '/c': 'never' },
);
check(
  'a condition has two ends',
  {
    type: 'object',
    properties: { a: text, b: text },
    ...parse('{"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"properties": {"c": {}}}}'),
  },
  { '/a': 'maybe', '/b': 'maybe', '/c': 'maybe', '/d': 'never' },
);
check('null has no members', { anyOf: [pair, { type: 'null' }] }, { '/a': 'maybe', '/c': 'never' });
check(
  'named values have what they have',
  { enum: [{ a: 1, b: { c: 2 } }, { a: [true] }] },
  {
    '/a': 'there',
    '/b': 'maybe',
    '/b/c': 'maybe',
    '/a/0': 'maybe',
    '/a/1': 'never',
    '/c': 'never',
  },
);
check('a constant is known whole', { const: { a: { b: null } } }, { '/a/b': 'there', '/a/c': 'never' });
check(
  'items are there as far as their number is known',
  { type: 'array', items: pair, minItems: 1, maxItems: 2 },
  {
    '/0': 'there',
    '/0/a': 'there',
    '/1/a': 'maybe',
    '/2': 'never',
    '/00': 'never',
    '/length': 'never',
  },
);
check(
  'first items can have schemas of their own',
  { type: 'array', prefixItems: [text, pair], items: false },
  {
    '/0': 'maybe',
    '/0/a': 'never',
    '/1/a': 'maybe',
    '/2': 'never',
  },
);
check('names of inherited members are names like any other', pair, { '/constructor': 'never', '/__proto__': 'never' });
check(
  'a hidden part of a result is never there',
  { type: 'object', required: ['a', 'b'], properties: { a: pair, b: pair } },
  { '/a/a': 'there', '/a/b': 'never', '/b': 'never', '/b/a': 'never', '/a': 'there' },
  ['/a/a'],
);
check(
  'a list keeps its items when redaction hides what is in them',
  { type: 'object', required: ['list'], properties: { list: { type: 'array', minItems: 1, items: pair } } },
  { '/list': 'there', '/list/0': 'there', '/list/0/a': 'there', '/list/0/b': 'never', '/list/1/a': 'maybe' },
  ['/list/*/a'],
);
check(
  'a scalar on the way to what may be seen vanishes',
  {
    type: 'object',
    required: ['a', 'b'],
    properties: { a: { anyOf: [text, pair] }, b: text },
  },
  { '/a': 'maybe', '/a/a': 'maybe', '/b': 'never' },
  ['/a/a', '/b/a'],
);
check('nothing is seen without a pointer', pair, { '': 'there', '/a': 'never' }, []);
check('the empty pointer shows all', pair, { '/a': 'there' }, ['']);
check('without a schema redaction still hides', {}, { '/a': 'maybe', '/b': 'never', '/0': 'maybe', '/a/b': 'maybe' }, [
  '/a',
]);
check(
  'alternatives too many to tell apart exclude nothing',
  {
    type: 'object',
    properties: { a: text },
    anyOf: Array.from({ length: 65 }, (_, index) => ({ properties: { [`m${index}`]: text } })),
  },
  { '/m64': 'maybe', '/zzz': 'maybe', '/a/x': 'never' },
);

test('where a path ends, the possible next names are listed', () => {
  const shape = schemaShape({ type: 'object', properties: { a: pair, secret: text } }, ['/a']);
  assert.deepEqual(readPath(shape, ['b']), { presence: 'never', depth: 0, known: ['a'], shape });
  const { shape: ended, ...read } = readPath(shape, ['a', 'c']);
  assert.deepEqual(read, { presence: 'never', depth: 1, known: ['a', 'b'] });
  assert.deepEqual(namesBelow(ended), ['a', 'b']);
});

test('one list of schemas means what the root says that its references lead into', () => {
  const schemas = [{ $ref: '#/$defs/value' }];
  const presences = [pair, { type: 'object', properties: { c: text } }].map((value) => {
    const root = { $defs: { value } };
    return ['a', 'c'].map((name) => stepInto({ kind: 'schema', schemas, root, allow: 'all' }, name).presence);
  });
  assert.deepEqual(presences, [
    ['there', 'never'],
    ['never', 'maybe'],
  ]);
});
