import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../engine/contract/json.js';
import type { LlmToolLoopProgram } from '../../engine/core/nodes/llm-tool-loop.js';
import { composeWorld } from '../../engine/core/world/world.js';
import { narrowTools } from '../../engine/core/workflow/narrow-tools.js';
import { smallPark, smallWorld } from '../support/park-documents.js';
import { finalPatch, inTurn, playTurn, setState, textOf } from '../support/turn-player.js';

const LIMITED: JsonObject = { state: 'perceived', memory: 'self', environment: 'self' };
const ELSEWHERE = { id: 'alice', name: 'Alice', kind: 'agent' as const, environment: 'moor', state: 'far', memory: [] };

const remember = (entity_id: string) => ({ op: 'append_entity_memory', entity_id, content: 'It was so.' });
const describe = (environment_label: string) => ({ op: 'set_environment_content', environment_label, content: 'New.' });

/** Lets Bob answer with an effect and then with none; gives the reason of the first rejection, and his feedback. */
function say(effect: JsonObject, may?: JsonObject, scope = 'subject_environment') {
  const world = smallWorld();
  const program = smallPark({ projection: { scope, memory: { recent: 0 } }, ...(may === undefined ? {} : { may }) });
  const played = playTurn(
    program,
    composeWorld({
      ...world,
      environments: [...world.environments, ['moor', { content: 'Wide.' }]],
      entities: [...world.entities.values(), ELSEWHERE],
    }),
    inTurn([finalPatch([effect]), finalPatch()]),
  );
  const [verdict] = played.verdicts;
  return { detail: verdict?.failure?.detail, prompts: played.invokes.slice(1).map(textOf).join('') };
}

test('a node without may lets a patch touch anything', () => {
  for (const effect of [setState('alice', 'near'), remember('alice'), remember('ant'), describe('moor')])
    assert.equal(say(effect).detail, undefined);
});

const CASES: readonly (readonly [sentence: string, effect: JsonObject, may: JsonObject, allowed: boolean])[] = [
  ['a state that is perceived, where what is perceived is allowed', setState('crumb', 'gone'), LIMITED, true],
  ['a state that is not perceived, where what is perceived is allowed', setState('alice', 'near'), LIMITED, false],
  ['the state of another, where its own is allowed', setState('crumb', 'gone'), { state: 'self' }, false],
  ['its own state, where its own is allowed', setState('bob', 'well'), { state: 'self' }, true],
  ['a memory of its own, where its own is allowed', remember('bob'), LIMITED, true],
  ["another's memory, where its own is allowed", remember('ant'), LIMITED, false],
  ["another's memory, where what is perceived is allowed", remember('ant'), { memory: 'perceived' }, true],
  ['its own place, where its own is allowed', describe('park'), LIMITED, true],
  ['another place, where its own is allowed', describe('moor'), LIMITED, false],
  ['another place, where what is perceived is allowed', describe('moor'), { environment: 'perceived' }, false],
  ['what its node says nothing of', describe('moor'), { state: 'self' }, true],
];

for (const [sentence, effect, may, allowed] of CASES) {
  test(`a patch may ${allowed ? '' : 'not '}touch ${sentence}`, () => {
    assert.equal(say(effect, may).detail, allowed ? undefined : 'disallowed_effect');
  });
}

test('a projection of the whole world perceives all of it', () => {
  assert.equal(say(setState('alice', 'near'), LIMITED, 'world').detail, undefined);
});

test('a breach is reported to the model with its place and what is allowed, and with nothing that it does not see', () => {
  const { prompts } = say(setState('alice', 'near'), LIMITED);
  assert.match(
    prompts,
    /rejected \(disallowed_effect\)\. effects\[0\]: set_entity_state of entity_id "alice", which is not allowed here\. Allowed are:\n- /,
  );
  assert.match(prompts, /- crumb \(Crumb\)/);
  assert.doesNotMatch(prompts, /Alice/);
  assert.match(say(remember('ant'), LIMITED).prompts, /Allowed are:\n- bob \(Bob\)\n\n/);
});

test('an unknown name is reported as unknown, whatever may be touched', () => {
  assert.equal(say(setState('cat', 'asleep'), { state: 'self' }).detail, 'unknown_entity');
});

test('the schema of a run with fewer tools still says what its effects may touch', () => {
  const narrowed = narrowTools(smallPark({ may: LIMITED }), new Set());
  const [node] = narrowed.subjects[0]!.workflow.nodes;
  const { schema } = (node as LlmToolLoopProgram).offered;
  assert.match(JSON.stringify(schema), /append_entity_memory is allowed for yourself only\./);
});

test('the schema that a model is given says what its effects may touch', () => {
  const described = (may?: JsonObject) => {
    const [node] = smallPark(may === undefined ? {} : { may }).subjects[0]!.workflow.nodes;
    return JSON.stringify((node as LlmToolLoopProgram).offered.schema);
  };
  assert.match(described(LIMITED), /append_entity_memory is allowed for yourself only\./);
  assert.doesNotMatch(described(LIMITED), /undefined/);
  assert.doesNotMatch(described(), /allowed for/);
  assert.equal(described({ state: 'any' }), described());
});
