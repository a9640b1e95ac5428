import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compose } from '../../engine/main.js';
import { advance } from '../../engine/core/turn/advance.js';
import { listCases } from '../../tools/bench/reducer/cases.js';
import { openScene } from '../../tools/bench/reducer/scene.js';

test('the timed events are those that their names say', async () => {
  const authoring = await (await compose({})).openAuthoring();
  const scene = openScene(authoring, 100);
  assert.equal(scene.world.entities.size, 100);
  const listed = listCases(scene).map(({ name, state, event, renders }) => {
    const { commands } = advance(scene.program, state, event);
    return `${name} -> ${commands.map(({ kind }) => kind).join(', ')}${renders ? ' (renders)' : ''}`;
  });
  assert.deepEqual(listed, [
    'the turn begins -> invoke, invoke',
    'an event that nobody awaits -> ',
    'one reading of several -> ',
    'the last reading: a first prompt -> invoke (renders)',
    'a stop -> ',
    'an answer that is not JSON: a correction -> invoke (renders)',
    'a tool call -> invoke',
    'a tool that failed -> fail',
    "a tool's result: the next round -> invoke (renders)",
    'a patch, and the next subject: a first prompt -> invoke (renders)',
    'the last patch -> commit',
    'an event after the end -> ',
  ]);
});
