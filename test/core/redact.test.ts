import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../../engine/contract/json.js';
import { findAt, pointerTokens, toPointer } from '../../engine/core/content/json-pointer.js';
import { viewFailureBody } from '../../engine/core/content/failure-body.js';
import { redact } from '../../engine/core/content/redact.js';

function check(name: string, value: Json, allow: 'all' | readonly string[], seen: Json): void {
  test(name, () => assert.deepEqual(redact(value, allow), seen));
}

const ANSWER = {
  status: 'ok',
  token: 'hunter2',
  messages: [{ kind: 'sms', text: 'hi' }, { kind: 'fax' }, 7, [1], null],
};

check('all lets everything through', ANSWER, 'all', ANSWER);
check('the empty pointer lets everything through', ANSWER, [''], ANSWER);
check('without a pointer an object is empty', ANSWER, [], {});
check('without a pointer a list and a scalar are nothing', [1, 2], [], null);
check('a member that is named is seen, and its neighbours vanish', ANSWER, ['/status'], { status: 'ok' });
check('a list on the way keeps its length, and its other items are emptied', ANSWER, ['/messages/*/kind'], {
  messages: [{ kind: 'sms' }, { kind: 'fax' }, null, [null], null],
});
check('one item may be named by its index', ANSWER, ['/messages/1'], {
  messages: [{}, { kind: 'fax' }, null, null, null],
});
check('a star stands for every member', { a: { x: 1, y: 2 }, b: { x: 3 }, c: 4 }, ['/*/x'], {
  a: { x: 1 },
  b: { x: 3 },
});
check('pointers add up', ANSWER, ['/status', '/messages/0/text'], {
  status: 'ok',
  messages: [{ text: 'hi' }, {}, null, null, null],
});
check('a pointer that goes deeper than the value shows nothing of it', { status: 'ok' }, ['/status/code'], {});
check('a null that is named is seen', { a: null, b: null }, ['/a'], { a: null });
check('escaped tokens are decoded', { 'a/b': 1, 'a~b': 2 }, ['/a~1b'], { 'a/b': 1 });
check('a list at the root keeps its length', [{ x: 1, y: 2 }, 3], ['/*/x'], [{ x: 1 }, null]);

test('a member by the name of __proto__ is a member like any other', () => {
  const value = JSON.parse('{"__proto__": {"a": 1}, "b": 2}') as Json;
  assert.equal(JSON.stringify(redact(value, ['/__proto__/a'])), '{"__proto__":{"a":1}}');
  assert.equal(JSON.stringify(redact(value, ['/b'])), '{"b":2}');
});

const json = fc.jsonValue({ maxDepth: 4 }).map((value) => value as Json);
const token = fc.oneof(fc.constant('*'), fc.constantFrom('0', '1', 'a', 'b'), fc.string({ maxLength: 3 }));
const pointer = fc.array(token, { minLength: 1, maxLength: 4 }).map(toPointer);

/** Every place in a value that holds no other, by its tokens. */
function leavesOf(value: Json, at: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [at];
  return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, [...at, name]));
}

function isNamed(leaf: readonly string[], allow: readonly string[]): boolean {
  return allow.some((text) => {
    const path = pointerTokens(text);
    return path.length <= leaf.length && path.every((step, index) => step === '*' || step === leaf[index]);
  });
}

test('the named parts are seen unchanged, and nothing else is seen', () => {
  fc.assert(
    fc.property(json, fc.array(pointer, { maxLength: 4 }), (value, allow) => {
      const seen = redact(value, allow);
      for (const leaf of leavesOf(value)) {
        const [was, is] = [findAt(value, leaf), findAt(seen, leaf)];
        if (isNamed(leaf, allow)) assert.deepEqual(is, was);
        else assert.ok(is === undefined || is === null || (typeof is === 'object' && Object.keys(is).length === 0));
      }
    }),
    { seed: 7, numRuns: 2000 },
  );
});

test('to see twice is to see once', () => {
  fc.assert(
    fc.property(json, fc.array(pointer, { maxLength: 4 }), (value, allow) => {
      const seen = redact(value, allow);
      assert.deepEqual(redact(seen, allow), seen);
    }),
    { seed: 11, numRuns: 1000 },
  );
});

const BODIES: readonly (readonly [
  name: string,
  body: string,
  allow: 'all' | readonly string[],
  seen: Json | undefined,
])[] = [
  [
    'JSON is seen as far as pointers lead',
    '{"error":{"message":"no","trace":"at x"}}',
    ['/error/message'],
    { error: { message: 'no' } },
  ],
  [
    'JSON of which nothing may be seen is left out',
    '{"error":{"message":"no"},"list":[1]}',
    ['/other', '/list/1'],
    undefined,
  ],
  ['JSON is seen whole where all may be', '{"error":1}', 'all', { error: 1 }],
  ['a text is seen where all may be', ' <p>No.</p>\n', 'all', '<p>No.</p>'],
  ['a text has no parts', 'No.', ['/error', ''], undefined],
  ['JSON that cannot be kept as it is written is a text', '{"a":1,"a":2}', ['/a'], undefined],
  ['an empty body says nothing', '', 'all', undefined],
  ['a long text is cut between characters', '\u{1f41c}'.repeat(3000), 'all', '\u{1f41c}'.repeat(2000)],
];
for (const [name, body, allow, seen] of BODIES)
  test(`of the body of a failure: ${name}`, () =>
    assert.deepEqual(viewFailureBody(new TextEncoder().encode(body), allow), seen));
