import type { LlmToolLoopProgram } from '../../engine/core/nodes/llm-tool-loop.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileSmallPark, type SmallPark } from '../support/park-documents.js';

function notesOf(park: SmallPark): readonly (readonly [code: string, pointer: string, repair: string | undefined])[] {
  const compiled = compileSmallPark(park);
  assert.ok(compiled.ok, 'a note has kept a scenario from running');
  for (const { severity } of compiled.notes) assert.equal(severity, 'note');
  return compiled.notes.map(({ code, pointer, repair }) => [code, pointer, repair]);
}

test('a tool that its policy does not allow is noted at its name', () => {
  assert.deepEqual(notesOf({ tools: ['buy_candy', 'drink'], allow: ['buy_candy'] }), [
    ['TOOL_NOT_ALLOWED', '/nodes/0/available_tools/1/name', 'Add "drink" to "allow" of the policy, or keep it so.'],
  ]);
});

test('a name that the policy misspells is an error there, and one that it spells for another tool is none', () => {
  const misspelt = compileSmallPark({ tools: ['buy_candy'], allow: ['drink', 'buy_cnady'] });
  assert.ok(!misspelt.ok);
  assert.deepEqual(
    misspelt.problems.map(({ code, pointer, repair }) => [code, pointer, repair]),
    [['TOOL_NOT_ALLOWED', '/allow/1', 'Did you mean "buy_candy"?']],
  );
  assert.deepEqual(notesOf({ tools: ['drink', 'drinks'], allow: ['drinks'] }), [
    ['TOOL_NOT_ALLOWED', '/nodes/0/available_tools/0/name', 'Add "drink" to "allow" of the policy, or keep it so.'],
  ]);
});

test('an approval that is required of nothing is noted, and one of an effect class that no call has is not', () => {
  assert.deepEqual(notesOf({ tools: ['buy_candy'], require_approval: ['external_side_effect', 'buy_cnady'] }), [
    ['APPROVAL_NAMES_NOTHING', '/require_approval/1', 'Correct the name, or remove it.'],
  ]);
});

test('tools that are allowed are not noted', () => {
  assert.deepEqual(notesOf({ tools: ['buy_candy', 'drink'] }), []);
});

test('a tool that is not allowed is left out of what the model is offered', () => {
  const compiled = compileSmallPark({ tools: ['buy_candy', 'drink'], allow: ['buy_candy'] });
  assert.ok(compiled.ok);
  const [node] = compiled.program.subjects[0]?.workflow.nodes ?? [];
  assert.doesNotMatch(JSON.stringify((node as LlmToolLoopProgram).offered.schema), /drink/);
});
