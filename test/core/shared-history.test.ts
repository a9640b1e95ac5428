import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findHistoryProblems } from '../../engine/core/world/shared-history.js';
import type { Scenario } from '../../engine/generated/scenario.js';

const SCENARIO: Scenario = {
  version: 1,
  label: 'pond',
  start_time: '2026-05-01T09:00:00Z',
  chronon_seconds: 60,
  environments: [
    { label: 'pond', content: 'A pond.' },
    { label: 'shore', content: 'A shore.' },
  ],
  entities: [
    { id: 'frog', name: 'Frog', kind: 'agent', environment: 'pond', state: 'green', goal: 'eat', memory: ['rain'] },
    { id: 'leaf', name: 'Leaf', kind: 'prop', state: 'afloat' },
  ],
  cognition: [{ profile_ref: { hash: 'a'.repeat(64) }, subjects: ['frog'] }],
};
const [frog, leaf] = SCENARIO.entities as [Scenario['entities'][number], Scenario['entities'][number]];
const [pond, shore] = SCENARIO.environments as [Scenario['environments'][number], Scenario['environments'][number]];

/** Where a world of the scenario above refuses another one. */
function check(sentence: string, change: Partial<Scenario>, pointers: readonly string[]): void {
  test(sentence, () => {
    const problems = findHistoryProblems(SCENARIO, { ...SCENARIO, ...change });
    assert.deepEqual(
      problems.map(({ pointer }) => pointer),
      pointers,
    );
    for (const { code, repair } of problems) {
      assert.equal(code, 'SCENARIO_DIFFERS');
      assert.notEqual(repair, undefined);
    }
  });
}

check(
  'a fork may think otherwise, and call itself otherwise',
  {
    label: 'pond-again',
    description: 'Edited.',
    cognition: [{ profile_ref: { hash: 'b'.repeat(64) }, subjects: ['frog'] }],
  },
  [],
);
check('the order of a roster is no difference', { entities: [leaf, frog], environments: [shore, pond] }, []);
check('no memories are an empty list of them', { entities: [frog, { ...leaf, memory: [] }] }, []);
check('time goes on as it went', { start_time: '2026-05-01T10:00:00Z', chronon_seconds: 61 }, [
  '/start_time',
  '/chronon_seconds',
]);
check('nothing is taken away', { entities: [frog], environments: [pond] }, ['/environments', '/entities']);
check('nothing is added', { entities: [frog, leaf, { ...leaf, id: 'stone' }] }, ['/entities/2']);
check(
  'an entity stays what it was',
  {
    entities: [
      { ...frog, name: 'Toad', goal: 'sleep' },
      { ...leaf, kind: 'agent' },
    ],
  },
  ['/entities/0/name', '/entities/0/goal', '/entities/1/kind'],
);
check(
  'what would change nothing is not taken in silence',
  {
    entities: [{ ...frog, state: 'blue', memory: [] }, leaf],
    environments: [{ ...pond, content: 'A lake.' }, shore],
  },
  ['/environments/0/content', '/entities/0/state', '/entities/0/memory'],
);

test('a removed field is reported at its entity', () => {
  const { goal: _goal, ...aimless } = frog;
  const [problem, ...others] = findHistoryProblems(SCENARIO, { ...SCENARIO, entities: [aimless, leaf] });
  assert.equal(problem?.pointer, '/entities/0');
  assert.match(problem?.message ?? '', /goal of frog/);
  assert.deepEqual(others, []);
});
