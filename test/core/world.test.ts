import assert from 'node:assert/strict';
import { test } from 'node:test';
import canonicalize from 'canonicalize';
import * as fc from 'fast-check';
import type { Json } from '../../engine/contract/json.js';
import { canonicalText, contentHash } from '../../engine/core/content/canonical.js';
import { findIJsonProblem } from '../../engine/core/content/i-json.js';
import { findAt, pointerTokens } from '../../engine/core/content/json-pointer.js';
import { applyPatch } from '../../engine/core/world/apply-patch.js';
import { isCanonicalEntityId, normaliseEntityId } from '../../engine/core/world/entity-id.js';
import { textOfPieces } from '../../engine/core/prompt/origins.js';
import { findPatchComplaints } from '../../engine/core/world/judge-patch.js';
import { project, renderSubject, renderProjection } from '../../engine/core/world/projection.js';
import { composeWorld } from '../../engine/core/world/world.js';
import type { WorldPatch } from '../../engine/core/world/world-patch.js';
import { smallWorld } from '../support/park-documents.js';

for (const [written, canonical] of [
  ['crumb', 'crumb'],
  ['Crumb', 'crumb'],
  ['  CRUMB  ', 'crumb'],
  ['first ant', 'first_ant'],
  ['Ant \t Alpha', 'ant_alpha'],
  ['PLATE.Crumb', 'plate.crumb'],
  ['ant.1', 'ant.1'],
  ['crumb__east', 'crumb__east'],
  ['', undefined],
  ['   ', undefined],
  ['ant.', undefined],
  ['.ant', undefined],
  ['ant..alpha', undefined],
  ['first ant!', undefined],
  ['größe', undefined],
] as const) {
  test(`the id ${JSON.stringify(written)} ${canonical === undefined ? 'cannot become canonical' : `becomes ${canonical}`}`, () => {
    const normalised = normaliseEntityId(written);
    assert.equal(normalised.ok ? normalised.id : undefined, canonical);
    assert.equal(isCanonicalEntityId(written), written === canonical);
  });
}

test('applying a patch does not change the given world, and reports the state before each effect', () => {
  const world = smallWorld();
  const patch: WorldPatch = {
    narration: 'Bob eats.',
    effects: [
      { op: 'set_entity_state', entity_id: 'bob', state: 'fed' },
      { op: 'set_entity_state', entity_id: 'bob', state: 'sleepy' },
      { op: 'append_entity_memory', entity_id: 'bob', content: 'I ate.' },
      { op: 'set_environment_content', environment_label: 'park', content: 'A quiet park.' },
    ],
  };
  const { world: after, applied } = applyPatch(world, patch, ['author', 'model']);
  assert.deepEqual(world, smallWorld());
  assert.equal(after.entities.get('bob')?.state, 'sleepy');
  assert.deepEqual(after.entities.get('bob')?.memory.at(-1), {
    memory_id: '1.1',
    content: 'I ate.',
    turn: 1,
    origins: ['author', 'model', 'world'],
  });
  assert.deepEqual(applied.touched_entities, ['bob']);
  assert.deepEqual(
    applied.effects.map((effect) => [effect.effect_index, effect.state_before, effect.state_after]),
    [
      [0, 'hungry', 'fed'],
      [1, 'fed', 'sleepy'],
      [2, undefined, 'I ate.'],
      [3, 'A small park.', 'A quiet park.'],
    ],
  );
});

test('a roster in feedback shows the nearest 50 names that the subject may see, and says how many more there are', () => {
  const world = smallWorld(104);
  const bob = world.entities.get('bob')!;
  const projected = project(world, bob, { scope: 'world', memory: { recent: 0 } });
  const [complaint] = findPatchComplaints(
    world,
    { subject: bob, projected, may: {} },
    {
      narration: 'x',
      effects: [{ op: 'set_entity_state', entity_id: 'stone_9x', state: 'y' }],
    },
  );
  const lines = complaint?.message.split('\n').filter((line) => line.startsWith('- ')) ?? [];
  assert.equal(lines.length, 51);
  assert.equal(lines.at(-1), '- and 54 more');
  assert.match(lines.slice(0, 12).join(), /stone_9 /);
});

test('an entity that a subject cannot see is not named to it', () => {
  const world = smallWorld();
  const hidden = {
    id: 'secret',
    name: 'Secret',
    kind: 'prop' as const,
    environment: 'vault',
    state: 'hidden',
    memory: [],
  };
  const larger = composeWorld({
    ...world,
    environments: [...world.environments, ['vault', { content: 'Dark.' }]],
    entities: [...world.entities.values(), hidden],
  });
  const bob = larger.entities.get('bob')!;
  const projected = project(larger, bob, { scope: 'subject_environment', memory: { recent: 0 } });
  assert.doesNotMatch(textOfPieces(renderProjection(projected)), /secret|vault/i);
  const [complaint] = findPatchComplaints(
    larger,
    { subject: bob, projected, may: {} },
    {
      narration: 'x',
      effects: [{ op: 'set_environment_content', environment_label: 'attic', content: 'y' }],
    },
  );
  assert.doesNotMatch(complaint?.message ?? 'none', /vault/);
});

test('a subject remembers as much as its projection says, the latest', () => {
  const bob = {
    ...smallWorld().entities.get('bob')!,
    memory: [1, 2, 3].map((turn) => ({ content: `day ${turn}`, turn })),
  };
  assert.match(
    textOfPieces(renderSubject(bob, { scope: 'world', memory: { recent: 2 } })),
    /oldest first:\n- \[turn 2\] day 2\n- \[turn 3\] day 3$/,
  );
  assert.doesNotMatch(textOfPieces(renderSubject(bob, { scope: 'world', memory: { recent: 0 } })), /day/);
});

test('canonical text sorts by UTF-16 code units, has numbers as ECMAScript does, and is what another program writes', () => {
  assert.equal(canonicalText({ '10': 1, '9': 2, '': 4, é: 1.0, a: -0 }), '{"":4,"10":1,"9":2,"a":0,"é":1}');
  assert.equal(canonicalText([1e21, 0.000001, 1e-7]), '[1e+21,0.000001,1e-7]');
  const values = fc.jsonValue({ stringUnit: 'binary' });
  fc.assert(fc.property(values, (value) => assert.equal(canonicalText(value as Json), canonicalize(value))));
  assert.throws(() => canonicalText({ a: ['\ud800'] }));
  assert.throws(() => canonicalText([Number.POSITIVE_INFINITY]));
  assert.equal(contentHash({}), '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
});

for (const [what, value, pointer] of [
  ['U+0000', { a: ['x\u0000'] }, '/a/0'],
  ['a lone surrogate', { a: '\ud800' }, '/a'],
  ['a lone surrogate in a name', { '\udc00': 1 }, '/\udc00'],
  ['an infinity', [Number.POSITIVE_INFINITY], '/0'],
  ['nesting beyond 64', Array.from({ length: 70 }).reduce((inner) => [inner], 1), undefined],
] as const) {
  test(`${what} is not JSON that the engine takes`, () => {
    const problem = findIJsonProblem(value);
    assert.ok(problem);
    if (pointer !== undefined) assert.equal(problem.pointer, pointer);
  });
}

test('pointers decode ~1 before ~0, never find inherited members, and take no leading zeros', () => {
  assert.deepEqual(pointerTokens('/a~1b/~01'), ['a/b', '~1']);
  assert.equal(findAt({}, ['constructor']), undefined);
  assert.equal(findAt(['x'], ['00']), undefined);
  assert.equal(findAt({ a: null }, ['a']), null);
});
