import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  countTurns,
  designStudy,
  hashOfStudy,
  shuffleRoster,
  type StudyDesign,
} from '../../../engine/core/study/design.js';
import type { Study } from '../../../engine/generated/study.js';

const name = fc.stringMatching(/^[a-z]{1,12}(-[a-z0-9]{1,20})?$/);
const variable = fc.record({
  from_turn: fc.integer({ min: 1, max: 10 }),
  levels: fc.dictionary(name, fc.constant({}), { minKeys: 2, maxKeys: 4, noNullPrototype: true }),
});
const anyStudy: fc.Arbitrary<Study> = fc.record({
  version: fc.constant(1 as const),
  label: name,
  question: fc.constant('Why?'),
  scenario: fc.constant('./scenario.json'),
  turns: fc.constant(10),
  seeds: fc.uniqueArray(fc.nat(50), { minLength: 1, maxLength: 4 }),
  variables: fc.dictionary(name, variable, { maxKeys: 3, noNullPrototype: true }),
  measures: fc.constant([]),
});

/** The turns that a world plays, with its levels in each, those of its ancestors included. */
function historyOf(
  { shared }: StudyDesign,
  run: StudyDesign['runs'][number] | StudyDesign['shared'][number],
): string[] {
  const parent = shared.find(({ world_slug }) => world_slug === run.forked?.world_slug);
  const before = parent === undefined ? [] : historyOf({ shared } as StudyDesign, parent);
  assert.equal(before.length, run.forked?.at_turn ?? 0);
  const own = Array.from({ length: run.last_turn - before.length }, () => JSON.stringify(run.levels));
  return [...before, ...own];
}

test('each condition has one run by each seed, and each world a name of its own that worlds may have', () => {
  fc.assert(
    fc.property(anyStudy, (study) => {
      const design = designStudy(study);
      const { conditions, seeds, runs, shared } = design;
      const pairs = runs.map(({ condition, seed }) => `${condition} ${seed}`);
      const wanted = conditions.flatMap(({ id }) => seeds.map((seed) => `${id} ${seed}`));
      assert.deepEqual(pairs.toSorted(), wanted.toSorted());
      const slugs = [...runs, ...shared].map(({ world_slug }) => world_slug);
      assert.equal(new Set(slugs).size, slugs.length);
      for (const slug of slugs) assert.match(slug, /^(?=.{1,64}$)[a-z0-9]+([_-][a-z0-9]+)*$/);
    }),
  );
});

test('a run has a variable from its first turn on and not before, and what conditions share is played once', () => {
  fc.assert(
    fc.property(anyStudy, (study) => {
      const design = designStudy(study);
      for (const run of design.runs) {
        const { levels } = design.conditions.find(({ id }) => id === run.condition) ?? { levels: {} };
        const wanted = Array.from({ length: 10 }, (_, index) =>
          JSON.stringify(
            Object.fromEntries(
              Object.entries(levels).filter(([one]) => (study.variables?.[one]?.from_turn ?? 1) <= index + 1),
            ),
          ),
        );
        assert.deepEqual(historyOf(design, run).map(sorted), wanted.map(sorted));
      }
      const played = design.runs.flatMap((run) =>
        historyOf(design, run).map(
          (_, index, all) =>
            `${run.seed} ${all
              .slice(0, index + 1)
              .map(sorted)
              .join()}`,
        ),
      );
      const { turns, unshared } = countTurns(design);
      assert.equal(unshared, played.length);
      assert.equal(turns, new Set(played).size);
    }),
    { numRuns: 50 },
  );
});

function sorted(levels: string): string {
  return JSON.stringify(
    Object.entries(JSON.parse(levels) as Record<string, string>)
      .map(([one, level]) => `${one}: ${level}`)
      .toSorted(),
  );
}

test('a variable that begins at turn 6 of 10 costs each of two conditions half of its turns', () => {
  const study = { ...BASE, variables: { news: { from_turn: 6, levels: { good: {}, bad: {} } } } };
  assert.deepEqual(countTurns(designStudy(study)), { turns: 25 * (5 + 2 * 5), unshared: 25 * 2 * 10 });
});

const BASE: Study = {
  version: 1,
  label: 'game',
  question: 'Why?',
  scenario: './scenario.json',
  turns: 10,
  seeds: { from: 1, count: 25 },
  variables: { framing: { levels: { community: {}, 'wall-street': {} } }, size: { levels: { small: {}, large: {} } } },
  measures: [],
};

test('the order of running is shuffled, and the same for the same document, however its members are ordered', () => {
  const { runs } = designStudy(BASE);
  const reordered = Object.fromEntries(Object.entries(BASE).toReversed()) as unknown as Study;
  assert.equal(hashOfStudy({ $schema: 'any', ...reordered }), hashOfStudy(BASE));
  assert.deepEqual(designStudy(reordered).runs, runs);
  assert.notDeepEqual(designStudy({ ...BASE, question: 'How?' }).runs, runs);
  const firstHalf = runs.slice(0, 50).filter(({ condition }) => condition.startsWith('community')).length;
  assert.ok(firstHalf > 10 && firstHalf < 40, `${firstHalf}`);
});

test('each order of a roster is as likely as any other', () => {
  const counts = new Map<string, number>();
  for (let seed = 0; seed < 6_000; seed += 1) {
    const order = shuffleRoster(['a', 'b', 'c'], seed).join('');
    counts.set(order, (counts.get(order) ?? 0) + 1);
  }
  assert.equal(counts.size, 6);
  for (const count of counts.values()) assert.ok(count > 900 && count < 1_100, `${count}`);
});
