import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FixedMap } from '../../engine/core/content/fixed-map.js';
import { applyPatch } from '../../engine/core/world/apply-patch.js';
import { perceivesEntity, perceivesPlace, project, type Projection } from '../../engine/core/world/projection.js';
import { composeWorld, type Entity } from '../../engine/core/world/world.js';

const RUNS = { numRuns: 200, seed: 20_261_123 };
const PLACES = ['barn', 'mill', 'moor'];

test('a fixed map holds what a map holds, in the same order, and its earlier versions stay as they were', () => {
  const sizes = fc.constantFrom(0, 1, 255, 256, 257, 1_000);
  fc.assert(
    fc.property(sizes, fc.array(fc.nat({ max: 999 }), { maxLength: 20 }), (size, changed) => {
      const entries = Array.from({ length: size }, (_none, index) => [`key_${index}`, index] as const);
      const first = FixedMap.of(entries);
      const changes = new Map(changed.filter((index) => index < size).map((index) => [`key_${index}`, -index]));
      const next = first.with(changes);
      assert.deepEqual([...first], entries);
      assert.deepEqual([...next], [...new Map([...entries, ...changes])]);
      assert.deepEqual(
        [...next.values()],
        [...next.keys()].map((key) => next.get(key)),
      );
      assert.deepEqual([next.size, next.has('key_0'), next.get('nobody')], [size, size > 0, undefined]);
    }),
    RUNS,
  );
});

test('a fixed map takes no new key', () => {
  assert.throws(() => FixedMap.of([['bob', 1]]).with(new Map([['ann', 2]])), /no key ann/);
});

test('a projection shows exactly the places and entities that its subject perceives, in the order of the scenario', () => {
  const entity = fc.record({ environment: fc.option(fc.constantFrom(...PLACES), { nil: undefined }) });
  const scope = fc.constantFrom('world' as const, 'subject_environment' as const);
  fc.assert(
    fc.property(fc.array(entity, { minLength: 1, maxLength: 12 }), scope, (where, scope) => {
      const entities = where.map(({ environment }, index): Entity => {
        const id = `one_${index}`;
        const named = { id, name: id, kind: 'prop' as const, state: 'still', memory: [] };
        return environment === undefined ? named : { ...named, environment };
      });
      const environments = PLACES.map((label) => [label, { content: 'Quiet.' }] as const);
      const before = composeWorld({ slug: 'any', turn: 0, environments, entities, events: [] });
      const effects = [{ op: 'set_entity_state' as const, entity_id: 'one_0', state: 'awake' }];
      const { world } = applyPatch(before, { narration: 'It wakes.', effects }, ['model']);
      const projection: Projection = { scope, memory: { recent: 0 } };
      for (const subject of world.entities.values()) {
        const projected = project(world, subject, projection);
        const perceived = [...world.entities.values()].filter((other) => perceivesEntity(subject, projection, other));
        assert.deepEqual(projected.entities, perceived);
        const places = PLACES.filter((label) => perceivesPlace(subject, projection, label));
        assert.deepEqual(
          projected.environments,
          places.map((label) => ({ label, content: 'Quiet.' })),
        );
      }
      assert.deepEqual([before.entities.get('one_0')?.state, world.entities.get('one_0')?.state], ['still', 'awake']);
    }),
    RUNS,
  );
});
