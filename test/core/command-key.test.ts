import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problem, type Problem } from '../../engine/contract/problem.js';
import type { Program } from '../../engine/core/protocol/program.js';
import { describeKey, findUnasked } from '../../engine/core/workflow-test/command-key.js';
import { smallPark } from '../support/park-documents.js';

const TOOLS = { tools: ['buy_candy'], max_tool_calls: 1, max_generation_attempts: 2 } as const;

/** What an author is told of a key; nothing of one that is asked. */
function say(program: Program, key: string): Problem | undefined {
  const unasked = findUnasked(program, key);
  return unasked && problem('KEY_NEVER_ASKED', unasked);
}

/** Why a park makes no call of each key; nothing where it makes one. */
function check(sentence: string, park: Parameters<typeof smallPark>[0], keys: Readonly<Record<string, string>>): void {
  test(sentence, () => {
    const program = smallPark(park);
    const found = Object.keys(keys).map((key) => [key, say(program, key)?.message ?? '']);
    assert.deepEqual(Object.fromEntries(found), keys);
  });
}

check('a tool loop has keys for its rounds, tries and tools, and no other', TOOLS, {
  'bob/act/round-1/try-1': '',
  'bob/act/round-1/try-2/tool': '',
  'bob/act/round-2/try-2': '',
  'bob/act/round-2/try-1/tool': 'node act calls no tool in round 2',
  'bob/act/round-3/try-1': 'node act has 2 rounds at most',
  'bob/act/round-1/try-3': 'node act has 2 tries at one answer (max_generation_attempts)',
  'bob/act/call': 'node act asks a model, and then its tools, and no call of it is "call"',
  'bob/act/round-0/try-1': 'node act asks a model, and then its tools, and no call of it is "round-0/try-1"',
});

check(
  'a tool loop whose tools are all denied has no key for a tool',
  { ...TOOLS, allow: ['drink'] },
  { 'bob/act/round-1/try-1': '', 'bob/act/round-1/try-1/tool': 'node act has no tool that its tool policy allows' },
);

check(
  'a tool loop without tool calls has one round',
  { max_tool_calls: 0, max_generation_attempts: 1 },
  {
    'bob/act/round-1/try-1': '',
    'bob/act/round-2/try-1': 'node act has 1 round at most',
    'bob/act/round-1/try-2': 'node act has 1 try at one answer (max_generation_attempts)',
    'bob/act/tool': 'node act asks a model, and no call of it is "tool"',
  },
);

test('a key beyond the last round or try is answered with the last one', () => {
  const program = smallPark(TOOLS);
  const repairOf = (key: string): string | undefined => say(program, key)?.repair;
  assert.equal(repairOf('bob/act/round-3/try-1'), 'Write round-2 or an earlier one.');
  assert.equal(repairOf('bob/act/round-1/try-3'), 'Write try-2 or an earlier one.');
});

test('a key of another shape is answered with one of the round that it names', () => {
  const program = smallPark(TOOLS);
  const repairOf = (key: string): string | undefined => say(program, key)?.repair;
  assert.equal(repairOf('bob/act/round-2/try-l'), 'Write "bob/act/round-2/try-1".');
  assert.equal(repairOf('bob/act/round2/try-1'), 'Write "bob/act/round-2/try-1".');
  assert.equal(repairOf('bob/act/round-1/tool'), 'Write "bob/act/round-1/try-1/tool".');
  assert.equal(repairOf('bob/act/round-2/tool'), 'Write "bob/act/round-1/try-1/tool".');
  for (const key of ['bob/act/round-9/try-l', 'bob/act/round-0/try-1', 'bob/act/call'])
    assert.equal(repairOf(key), 'Write "bob/act/round-1/try-1".', key);
});

test('a key of something of which a scenario has none is answered with a repair as well', () => {
  const program = smallPark(TOOLS);
  for (const key of ['turn/weather', 'bob/ambient/inbox'])
    assert.equal(say(program, key)?.repair, 'There is none: remove this key.', key);
});

test('a key that ends in the name of an ambient source is answered with the key of that source', () => {
  const reads = { scope: 'world', visible_to: 'all_subjects', request_template: {} } as const;
  const ambients = [
    { ...reads, id: 'weather', run: 'once_per_turn', inject_as: '/ambient/weather' },
    { ...reads, id: 'inbox', run: 'before_subject_workflow', inject_as: '/ambient/inbox' },
  ];
  const program = smallPark({ ...TOOLS, ambients });
  const repairOf = (key: string): string | undefined => say(program, key)?.repair;
  assert.equal(repairOf('bob/inbox'), 'Did you mean bob/ambient/inbox?');
  assert.equal(repairOf('bob/weather'), 'Did you mean turn/weather?');
  assert.doesNotMatch(repairOf('bob/zeppelin') ?? '', /ambient|turn/);
});

test('a key is read in words', () => {
  const keys = [
    'turn/weather@0123456789ab',
    'bob/ambient/inbox',
    'bob/lookup/call',
    'bob/act/round-2/try-1',
    'bob/act/round-2/try-1/tool',
    'bob/act/what',
  ];
  assert.deepEqual(
    keys.map((key) => describeKey(key).what),
    [
      'the ambient source weather of the turn',
      'the ambient source inbox of bob',
      'the call of node lookup of bob',
      'the model of bob, in round 2 of node act, try 1',
      'the tool that the model of bob called in round 2 of node act',
      'the call bob/act/what',
    ],
  );
});
