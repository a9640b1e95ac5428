import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LlmToolLoopProgram } from '../../engine/core/nodes/llm-tool-loop.js';
import { compileSmallPark, type SmallPark } from '../support/park-documents.js';

function notesOf(park: SmallPark): readonly (readonly [code: string, pointer: string])[] {
  const compiled = compileSmallPark({ tools: ['pay', 'read'], allow: [], ...park });
  assert.ok(compiled.ok, JSON.stringify(!compiled.ok && compiled.problems));
  return compiled.notes.map(({ code, pointer }) => [code, pointer]);
}

const EVERYTHING = { decide: 'allow' };

test('a rule that decides about no call is noted: no call fits it, or another rule decides about all that do', () => {
  const never = (index: number) => ['RULE_NEVER_DECIDES', `/rules/${index}`] as const;
  assert.deepEqual(notesOf({ rules: [EVERYTHING] }), []);
  assert.deepEqual(notesOf({ rules: [EVERYTHING, { sources: ['elsewhere'], decide: 'deny' }] }), [never(1)]);
  assert.deepEqual(notesOf({ rules: [EVERYTHING, { subjects: ['ant'], decide: 'deny' }] }), [never(1)]);
  assert.deepEqual(notesOf({ rules: [EVERYTHING, { tools: ['pay'], decide: 'allow' }] }), [never(1)]);
  assert.deepEqual(notesOf({ allow: ['pay'], rules: [{ tools: ['pay'], decide: 'deny' }, EVERYTHING] }), [
    ['TOOL_NOT_ALLOWED', '/nodes/0/available_tools/0/name'],
    ['RULE_NEVER_DECIDES', '/allow/0'],
  ]);
  const conditional = { arguments: { '/button': { one_of: ['A'] } }, decide: 'deny' };
  assert.deepEqual(notesOf({ rules: [conditional, EVERYTHING] }), []);
});

test('a tool that no argument could make allowed is offered to none, and one that a rule denies some subjects to the others', () => {
  const rules = [{ tools: ['pay'], subjects: ['bob'], decide: 'deny' }, EVERYTHING];
  const compiled = compileSmallPark({ tools: ['pay', 'read'], allow: [], subjects: ['bob', 'ant'], rules });
  assert.ok(compiled.ok);
  const offered = compiled.program.subjects.map(({ workflow: { nodes } }) =>
    (nodes[0] as LlmToolLoopProgram).tools.flatMap(({ name, permitted }) => (permitted ? [name] : [])),
  );
  assert.deepEqual(offered, [['read'], ['pay', 'read']]);
});

test('a denied tool needs no plugin and no binding that works', () => {
  const broken = {
    tool_plugin: 'not_there',
    tool_bindings: { pay: { arguments_schema_ref: { hash: 'f'.repeat(64) } } },
  };
  assert.deepEqual(notesOf({ tools: ['pay'], ...broken }), [['TOOL_NOT_ALLOWED', '/nodes/0/available_tools/0/name']]);
});

test('a scenario runs whose rules may leave a call to a person', () => {
  const rules = [EVERYTHING, { arguments: { '/button': { one_of: ['A'] } }, decide: 'require_approval' }];
  assert.ok(compileSmallPark({ tools: ['pay'], allow: [], rules }).ok);
});

const SECRET = { json_interface: { secret_headers: { 'x-key': 'CHUKWA_TOY_KEY' } } };
const SENDS = { tool_bindings: { pay: { effect: 'external_side_effect' } } };
const LEAK = ['LEAK_WITHOUT_PERSON', '/nodes/0/available_tools/0/name'] as const;

const LEAKS: readonly (readonly [what: string, park: SmallPark, leaks: boolean])[] = [
  ['whatever its arguments are', { rules: [EVERYTHING] }, true],
  [
    'with a limit that leaves the recipient free',
    { rules: [{ arguments: { '/n': { below: 5 } }, decide: 'allow' }] },
    true,
  ],
  ['with known arguments only', { rules: [{ arguments: { '/button': 'known' }, decide: 'allow' }] }, false],
  ['unless an untrusted text was seen', { rules: [EVERYTHING, { origins: ['source:*'], decide: 'deny' }] }, false],
];

for (const [what, park, leaks] of LEAKS)
  test(`a way out for private data is${leaks ? '' : ' not'} noted where a tool is allowed ${what}`, () => {
    const found = notesOf({ ...SECRET, ...SENDS, ...park });
    assert.deepEqual(
      found.filter(([code]) => code === 'LEAK_WITHOUT_PERSON'),
      leaks ? [LEAK] : [],
    );
    assert.deepEqual(
      notesOf({ ...SENDS, ...park }).filter(([code]) => code === 'LEAK_WITHOUT_PERSON'),
      [],
    );
  });
