import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Invoke } from '../../engine/core/protocol/command.js';
import { advance } from '../../engine/core/turn/advance.js';
import { UNBEGUN } from '../../engine/core/turn/state.js';
import { smallPark } from '../support/park-documents.js';
import { answered, finalPatch, modelSays, setState, toolCall } from '../support/turn-player.js';
import { BEGAN, compare, effectsOf, ENTITIES, firstGenerations, meaningOf, PLACES } from './concurrent-scene.js';

compare('a concurrent turn ends as the ordered one does, given the same answers', (concurrent, ordered) => {
  assert.deepEqual(meaningOf(concurrent.end), meaningOf(ordered.end));
});

compare('a concurrent turn performs the side effects of the ordered one, in its order', (concurrent, ordered) => {
  assert.deepEqual(effectsOf(concurrent), effectsOf(ordered));
});

compare('no side effect and no answer that counts belongs to a discarded run', ({ asked, discarded, end }) => {
  const gone = new Set(discarded);
  const acts = asked.filter(({ key, call }) => call.effect !== 'read_only' && gone.has(key));
  assert.deepEqual(acts, []);
  if (end?.kind === 'commit')
    assert.deepEqual(
      end.patches.filter(({ call_key }) => gone.has(call_key)),
      [],
    );
});

compare(
  'a concurrent turn asks at most max_speculative times more than the ordered one',
  (concurrent, ordered, scene) => {
    if (ordered.end?.kind !== 'commit') return;
    assert.ok(firstGenerations(concurrent) <= (scene.max_speculative + 1) * firstGenerations(ordered));
  },
);

compare(
  'a concurrent turn whose drivers die ends as the ordered one does',
  (concurrent, ordered) => {
    assert.deepEqual(meaningOf(concurrent.end), meaningOf(ordered.end));
    assert.deepEqual(effectsOf(concurrent), effectsOf(ordered));
  },
  (turn) => turn % 3 === 2,
);

compare(
  'a turn that one driver plays concurrently and the next one in order ends as the ordered one does',
  (concurrent, ordered) => {
    assert.deepEqual(meaningOf(concurrent.end), meaningOf(ordered.end));
    assert.deepEqual(effectsOf(concurrent), effectsOf(ordered));
  },
  (turn) => turn % 3 === 2,
  ({ execution, ...program }) => (execution === undefined ? { ...program, execution: 'per_subject_ordered' } : program),
);

/** Three subjects at one time, each of whom perceives their own place. */
const CONCURRENT_PARK = smallPark({
  subjects: ['ada', 'ben', 'cai'],
  environments: PLACES.map((label) => ({ label, content: 'Quiet.' })),
  entities: ENTITIES,
  projection: { scope: 'subject_environment', memory: { recent: 2 } },
  change: (workflow) => ({ ...workflow, execution: 'per_subject_concurrent' }),
});

test('subjects that do not perceive each other are asked at once, and nothing is asked again', () => {
  const program = CONCURRENT_PARK;
  const step = advance(program, UNBEGUN, BEGAN);
  assert.deepEqual(
    step.commands.map((command) => command.kind === 'invoke' && command.key),
    ['ada/act/round-1/try-1', 'ben/act/round-1/try-1', 'cai/act/round-1/try-1'],
  );
});

test('a stop of concurrent subjects names the head and a call of the head', () => {
  const program = smallPark({
    subjects: ['ada', 'ben'],
    environments: PLACES.map((label) => ({ label, content: 'Quiet.' })),
    entities: ENTITIES,
    tools: ['look'],
    projection: { scope: 'subject_environment', memory: { recent: 2 } },
    change: (workflow) => ({ ...workflow, execution: 'per_subject_concurrent' }),
  });
  const begun = advance(program, UNBEGUN, BEGAN);
  const first = begun.commands.find((command): command is Invoke => command.kind === 'invoke');
  assert.ok(first);
  const asked = advance(program, begun.state, modelSays(first, 'nonsense'));
  const { failure } = advance(program, asked.state, { kind: 'stopped', reason: 'enough' }).state;
  assert.deepEqual([failure?.subject_id, failure?.call_key], ['ada', 'ada/act/round-1/try-2']);
});

test('the calls that a subject had to hold back are made in its order, also where it asks one of them anew', () => {
  const errands = ['open_gate', 'ring_bell', 'send_post'];
  const program = smallPark({
    subjects: ['ada', 'ben'],
    environments: PLACES.map((label) => ({ label, content: 'Quiet.' })),
    entities: ENTITIES,
    allow: errands,
    prompt: errands.map((id) => `{{nodes.${id}.output}}`).join(' '),
    projection: { scope: 'subject_environment', memory: { recent: 2 } },
    nodes_before: (shelf) =>
      errands.map((id, at) => ({
        id,
        type: 'source_call',
        source_ref: shelf.put('response_source', { version: 1, label: id, interface: { name: 'http_json' } }),
        request_template: { of: { $from: at === 0 ? '/world/entities/stone_park/state' : '/subject/id' } },
        redaction: { allow: 'all' },
        effect: 'state_change',
      })),
    change: (workflow) => ({ ...workflow, execution: 'per_subject_concurrent' }),
  });
  let step = advance(program, UNBEGUN, BEGAN);
  const asked: string[] = [];
  for (let commands = step.commands; commands.length > 0; ) {
    const [command, ...others] = commands;
    if (command?.kind !== 'invoke') break;
    asked.push(command.key);
    step = advance(
      program,
      step.state,
      command.generation === undefined
        ? answered(command, {})
        : modelSays(command, finalPatch([setState('stone_park', 'moved')])),
    );
    commands = [...others, ...step.commands];
  }
  const made = asked.filter((key) => !key.includes('/act/'));
  assert.deepEqual(
    made,
    ['ada', 'ben'].flatMap((subject) => errands.map((id) => `${subject}/${id}/call`)),
  );
});

test('a side effect has another name than the reading that a discarded run asked in its place', () => {
  const program = smallPark({
    subjects: ['ada', 'ben'],
    environments: PLACES.map((label) => ({ label, content: 'Quiet.' })),
    entities: ENTITIES,
    tools: ['look', 'take'],
    tool_bindings: { look: { effect: 'read_only' } },
    change: (workflow) => ({ ...workflow, execution: 'per_subject_concurrent' }),
  });
  const begun = advance(program, UNBEGUN, BEGAN);
  const [ada, ben] = begun.commands.filter((command) => command.kind === 'invoke');
  assert.ok(ada && ben);
  const looking = advance(program, begun.state, modelSays(ben, toolCall('look')));
  const folded = advance(program, looking.state, modelSays(ada, finalPatch([setState('stone_park', 'moved')])));
  const [again] = folded.commands.filter((command) => command.kind === 'invoke');
  assert.ok(again);
  const taking = advance(program, folded.state, modelSays(again, toolCall('take')));
  const [look, take] = [looking, taking].flatMap(({ commands }) =>
    commands.filter((command) => command.kind === 'invoke'),
  );
  assert.ok(look && take);
  assert.deepEqual([look.call.effect, take.call.effect], ['read_only', 'state_change']);
  assert.notEqual(take.key, look.key);
  const { commands } = advance(program, taking.state, answered(take, {}));
  assert.deepEqual(
    commands.map((command) => command.kind === 'invoke' && command.key),
    ['ben/act/round-2/try-1@2'],
  );
});

for (const [sentence, changed, expected] of [
  ['a subject waits for an earlier one that had changed what it reads', 'stone_wood', ['ben']],
  [
    'a subject does not wait for an earlier one that had changed nothing of what it reads',
    'stone_market',
    ['ben', 'cai'],
  ],
] as const) {
  test(sentence, () => {
    const program = CONCURRENT_PARK;
    const begun = advance(program, UNBEGUN, BEGAN);
    const [ada, ben] = begun.commands.filter((command) => command.kind === 'invoke');
    assert.ok(ada && ben);
    const early = advance(program, begun.state, modelSays(ben, finalPatch([setState(changed, 'painted')])));
    const both = [setState('stone_market', 'moved'), setState('stone_wood', 'moved')];
    const { commands } = advance(program, early.state, modelSays(ada, finalPatch(both)));
    assert.deepEqual(
      commands.map((command) => command.kind === 'invoke' && command.subject_id),
      expected,
    );
  });
}
