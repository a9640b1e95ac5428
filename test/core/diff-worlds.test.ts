import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { applyPatch } from '../../engine/core/world/apply-patch.js';
import {
  blameChanges,
  diffWorlds,
  type RecordedEffect,
  type WorldChange,
  type WorldContents,
} from '../../engine/core/world/diff-worlds.js';
import type { World } from '../../engine/core/world/world.js';
import type { WorldEffect } from '../../engine/core/world/world-patch.js';
import { smallWorld } from '../support/park-documents.js';

interface Played {
  readonly world: World;
  readonly effects: readonly (RecordedEffect & {
    readonly state_before: string | null;
    readonly state_after: string;
  })[];
}

/** Plays turns, each of one patch, and keeps every effect that changed something. */
function play(start: World, turns: readonly (readonly WorldEffect[])[]): Played {
  return turns.reduce<Played>(
    ({ world, effects }, patch) => {
      const next = applyPatch(world, { narration: 'It happens.', effects: [...patch] as never }, ['model']);
      const turn = world.turn + 1;
      const recorded = next.applied.effects.map(({ op, entity_id, environment_label, state_before, state_after }) => ({
        turn,
        op,
        entity_id: entity_id ?? null,
        environment_label: environment_label ?? null,
        state_before: state_before ?? null,
        state_after,
      }));
      const changing = recorded.filter(({ state_before, state_after }) => state_before !== state_after);
      return { world: { ...next.world, turn }, effects: [...effects, ...changing] };
    },
    { world: start, effects: [] },
  );
}

function toContents({ environments, entities }: World): WorldContents {
  return {
    environments: [...environments].map(([label, content]) => ({ label, ...content })),
    entities: [...entities.values()],
  };
}

const state = (entity_id: string, to: string): WorldEffect => ({ op: 'set_entity_state', entity_id, state: to });
const memory = (entity_id: string, content: string): WorldEffect => ({
  op: 'append_entity_memory',
  entity_id,
  content,
});

function diff(from: World, to: World): readonly WorldChange[] {
  return diffWorlds(toContents(from), toContents(to));
}

test('a difference names each changed value once, with its state before and after', () => {
  const start = smallWorld();
  const { world } = play(start, [
    [state('bob', 'fed'), memory('bob', 'I ate.')],
    [state('bob', 'sleepy'), { op: 'set_environment_content', environment_label: 'park', content: 'A dark park.' }],
  ]);
  assert.deepEqual(diff(start, world), [
    { kind: 'environment_content', environment_label: 'park', before: 'A small park.', after: 'A dark park.' },
    { kind: 'entity_state', entity_id: 'bob', before: 'hungry', after: 'sleepy' },
    { kind: 'entity_memory', entity_id: 'bob', turn: 1, before: null, after: 'I ate.' },
  ]);
});

test('read backwards, memories are gone and values are what they were', () => {
  const start = smallWorld();
  const { world } = play(start, [[state('bob', 'fed'), memory('bob', 'I ate.')]]);
  assert.deepEqual(diff(world, start), [
    { kind: 'entity_state', entity_id: 'bob', before: 'fed', after: 'hungry' },
    { kind: 'entity_memory', entity_id: 'bob', turn: 1, before: 'I ate.', after: null },
  ]);
});

test('a value that came back to what it was did not change', () => {
  const start = smallWorld();
  const { world } = play(start, [[state('bob', 'fed')], [state('bob', 'hungry')]]);
  assert.deepEqual(diff(start, world), []);
});

test('a state is owed to every effect on the way to it, a memory to its own', () => {
  const start = smallWorld();
  const { world, effects } = play(start, [
    [state('bob', 'fed'), memory('bob', 'one'), memory('bob', 'two'), memory('ant', 'one')],
    [state('ant', 'asleep'), state('bob', 'sleepy'), memory('bob', 'three')],
  ]);
  const blamed = blameChanges(diff(start, world), { from: [], to: effects }).map(({ blame, ...change }) => [
    change.kind === 'environment_content' ? change.environment_label : change.entity_id,
    change.after,
    blame.map(({ turn, state_after }) => `${turn}: ${state_after}`),
  ]);
  assert.deepEqual(blamed, [
    ['bob', 'sleepy', ['1: fed', '2: sleepy']],
    ['bob', 'one', ['1: one']],
    ['bob', 'two', ['1: two']],
    ['bob', 'three', ['2: three']],
    ['ant', 'asleep', ['2: asleep']],
    ['ant', 'one', ['1: one']],
  ]);
});

const effect = fc.oneof(
  fc.tuple(fc.constantFrom('bob', 'ant', 'crumb'), fc.constantFrom('a', 'b', 'c')).map(([id, to]) => state(id, to)),
  fc.tuple(fc.constantFrom('bob', 'ant'), fc.constantFrom('x', 'y')).map(([id, content]) => memory(id, content)),
  fc
    .constantFrom('day', 'night')
    .map((content): WorldEffect => ({ op: 'set_environment_content', environment_label: 'park', content })),
);

test('in every history the blame of a change begins with the state before and ends with the state after', () => {
  const turns = fc.array(fc.array(effect, { maxLength: 5 }), { maxLength: 5 });
  fc.assert(
    fc.property(turns, (played) => {
      const start = smallWorld();
      const { world, effects } = play(start, played);
      const changes = blameChanges(diff(start, world), { from: [], to: effects });
      for (const { blame, before, after } of changes) {
        assert.equal(blame[0]?.state_before, before);
        assert.equal(blame.at(-1)?.state_after, after);
      }
      const backwards = blameChanges(diff(world, start), { from: effects, to: [] });
      assert.deepEqual(
        backwards.map(({ before, after, blame }) => ({ before: after, after: before, blame })),
        changes.map(({ before, after, blame }) => ({ before, after, blame })),
      );
    }),
    { numRuns: 200, seed: 3 },
  );
});

test('of two worlds, each side of a change is owed to what was done there', () => {
  const start = smallWorld();
  const first = play(start, [[memory('bob', 'same'), memory('bob', 'mine')], [state('ant', 'asleep')]]);
  const second = play(start, [[memory('bob', 'same'), memory('bob', 'same'), state('bob', 'fed')]]);
  const changes = blameChanges(diff(first.world, second.world), { from: first.effects, to: second.effects });
  const blamed = changes.map(({ before, after, blame }) => [
    before,
    after,
    blame.map(({ turn, op }) => `${turn} ${op}`),
  ]);
  assert.deepEqual(blamed, [
    ['hungry', 'fed', ['1 set_entity_state']],
    ['mine', null, ['1 append_entity_memory']],
    [null, 'same', ['1 append_entity_memory']],
    ['asleep', 'hungry', ['2 set_entity_state']],
  ]);
  const [, gone, come] = changes;
  assert.equal(gone?.blame[0], first.effects[1]);
  assert.equal(come?.blame[0], second.effects[1]);
});
