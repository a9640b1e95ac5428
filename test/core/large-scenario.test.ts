import assert from 'node:assert/strict';
import { test } from 'node:test';
import { complainOfTwins } from '../../engine/core/protocol/document-problem.js';
import { checkScenario } from '../../engine/core/workflow/check-scenario.js';
import type { Scenario } from '../../engine/generated/scenario.js';

// The work for a scenario grows with its size, and not with the square of it: the reads of its parts are counted.

/** How often ids are read while a scenario of so many entities, half of them subjects, is checked. */
function countReads(entities: number): number {
  let reads = 0;
  const ids = Array.from({ length: entities }, (_, index) => `agent-${index}`);
  const entityOf = (id: string) => ({
    get id() {
      reads += 1;
      return id;
    },
    name: id,
    kind: 'agent' as const,
    environment: id,
    state: 'there',
  });
  const scenario: Scenario = {
    version: 1,
    label: 'large',
    start_time: '2026-05-01T09:00:00Z',
    chronon_seconds: 60,
    environments: ids.map((label) => ({ label, content: 'A place.' })),
    entities: ids.map(entityOf),
    cognition: [{ profile_ref: { hash: '' }, subjects: ids.slice(0, entities / 2) }],
  };
  assert.deepEqual(
    checkScenario(scenario).filter(({ code }) => code !== 'AGENT_NEVER_ACTS'),
    [],
  );
  return reads;
}

test('twice as many entities and subjects cost twice the reads', () => {
  assert.ok(countReads(2_000) <= 2.1 * countReads(1_000), `${countReads(1_000)}, ${countReads(2_000)}`);
});

test('names are compared in one pass, and each repetition is a complaint', () => {
  let reads = 0;
  const names = [...Array.from({ length: 1_000 }, (_, index) => `n${index}`), 'n7', 'n7'];
  const counted = new Proxy(names, {
    get: (target, key, receiver) => {
      reads += 1;
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
  const complaints = complainOfTwins('ENTITY_TWICE', counted, (index) => `/entities/${index}/id`);
  assert.deepEqual(
    complaints.map(({ pointer }) => pointer),
    ['/entities/1000/id', '/entities/1001/id'],
  );
  assert.ok(reads < 10_000, `${reads} reads`);
});
