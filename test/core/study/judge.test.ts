import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { measureRun } from '../../../engine/core/study/measures.js';
import type { Observation, RunFacts } from '../../../engine/core/study/observation.js';
import { summarise } from '../../../engine/core/study/summary.js';
import { judgeAll } from '../../../engine/core/study/verdict.js';
import type { Study, StudyHypothesis, StudyMeasure } from '../../../engine/generated/study.js';

const NONE: RunFacts = { tool_calls: [], states: [], answers: [] };
const give = (turn: number, subject_id: string, amount: unknown): RunFacts['tool_calls'][number] => ({
  turn,
  subject_id,
  tool: 'give',
  arguments: { amount } as never,
});
const GAME: RunFacts = {
  tool_calls: [
    give(1, 'ann', 4),
    give(1, 'bob', 0),
    give(2, 'ann', '10'),
    give(2, 'bob', 'all of it'),
    { ...give(2, 'ann', 7), tool: 'take' },
  ],
  states: [
    { turn: 1, entity_id: 'pot', state: 'On the table, with 3 chairs. Pot: $4.50' },
    { turn: 2, entity_id: 'pot', state: 'On the table, with 3 chairs. Pot: -2' },
    { turn: 2, entity_id: 'ann', state: 'Pot: 99' },
  ],
  answers: [
    { turn: 2, ask: './ask.json', subject_id: 'ann', question_id: 'trust', answer: 'yes' },
    { turn: 2, ask: './ask.json', subject_id: 'bob', question_id: 'trust', answer: 'no' },
    { turn: 2, ask: './ask.json', subject_id: 'bob', question_id: 'guess', answer: 'a game' },
  ],
};

const amount = { tool: 'give', pointer: '/amount' };
const MEASURED: readonly (readonly [Omit<StudyMeasure, 'id'>, number | null, number | null])[] = [
  // What is no number is left out: three amounts.
  [{ read: amount, take: 'mean' }, 14 / 3, null],
  [{ read: amount, take: 'sum' }, 14, 0],
  [{ read: amount, take: 'count' }, 2, 0],
  [{ read: amount, take: 'share' }, 2 / 3, null],
  [{ read: amount, take: 'last' }, 10, null],
  [{ read: amount, take: 'sum', of_turns: { to: 1 } }, 4, 0],
  [{ read: { ...amount, subjects: ['bob'] }, take: 'mean' }, 0, null],
  [{ read: { tool: 'give' }, take: 'count' }, 4, 0],
  [{ read: { tool: 'give', pointer: '/amount' }, equal_to: 'all of it', take: 'share' }, 1 / 4, null],
  [{ read: { state_of: 'pot', after: 'Pot: ' }, take: 'last' }, -2, null],
  [{ read: { state_of: 'pot', after: 'Pot: $' }, take: 'last' }, 4.5, null],
  [{ read: { state_of: 'pot' }, take: 'mean' }, 3, null],
  [{ read: { state_of: 'pot' }, take: 'sum' }, 6, null],
  [{ read: { probe: './ask.json', question: 'trust' }, take: 'share' }, 1 / 2, null],
  [{ read: { probe: './ask.json', question: 'guess' }, equal_to: 'a game', take: 'share' }, 1, null],
  [{ read: { probe: './ask.json', question: 'guess' }, take: 'mean' }, null, null],
];

for (const [measure, ofGame, ofNothing] of MEASURED) {
  test(`a measure reads a run: ${JSON.stringify(measure)}`, () => {
    assert.equal(measureRun({ id: 'm', ...measure }, GAME), ofGame);
    assert.equal(measureRun({ id: 'm', ...measure }, NONE), ofNothing);
  });
}

const HYPOTHESIS: StudyHypothesis = {
  id: 'h1',
  says: 'A gives more than b.',
  measure: 'm',
  compare: [{ side: 'a' }, { side: 'b' }],
  expect: 'greater',
  decide: { at_least_runs: 10 },
};
const SEEDS = 20;

function studyOf(...hypotheses: readonly Partial<StudyHypothesis>[]): Study {
  return {
    version: 1,
    label: 's',
    question: 'Does a give more than b?',
    scenario: './scenario.json',
    turns: 1,
    seeds: { from: 1, count: SEEDS },
    variables: { side: { levels: { a: {}, b: {} } } },
    measures: [{ id: 'm', read: { tool: 'give' }, take: 'mean' }],
    hypotheses: hypotheses.map((one, index) => ({ ...HYPOTHESIS, id: `h${index + 1}`, ...one })),
  };
}

/** Runs of both sides: the second has the noise of its seed, the first differs from it. */
function observe(difference: number, noise = 0.5): readonly Observation[] {
  return Array.from({ length: SEEDS }, (_, index) => index + 1).flatMap((seed) => {
    const shaken = noise * Math.sin(seed * 12.9898);
    return [
      { condition: 'a', seed, measure: 'm', value: seed + difference + shaken, failed: false },
      { condition: 'b', seed, measure: 'm', value: seed, failed: false },
    ];
  });
}

const VERDICTS: readonly (readonly [string, number, Partial<StudyHypothesis>, string])[] = [
  ['far above', 2, {}, 'supported'],
  ['far below', -2, {}, 'not_supported'],
  ['none', 0, {}, 'not_supported'],
  ['expected to be less, and is', -2, { expect: 'less' }, 'supported'],
  ['expected to be less, and is more', 2, { expect: 'less' }, 'not_supported'],
  ['expected to be any, and is', -2, { expect: 'different' }, 'supported'],
  ['expected to be any, and there is none', 0, { expect: 'different' }, 'not_supported'],
  ['smaller than what counts', 1, { by_at_least: 3 }, 'not_supported'],
  ['about what counts', 1, { by_at_least: 1 }, 'undecided'],
  ['greater than what counts', 2, { by_at_least: 1 }, 'supported'],
  ['smaller than what counts, either way', -1, { by_at_least: 3, expect: 'different' }, 'not_supported'],
];

for (const [name, difference, hypothesis, verdict] of VERDICTS) {
  test(`a hypothesis is judged by its rule: the difference is ${name}`, () => {
    const [judged] = judgeAll(studyOf(hypothesis), observe(difference));
    assert.equal(judged?.verdict, verdict, judged?.because);
    assert.equal(judged?.n, SEEDS);
    assert.ok(Math.abs((judged?.difference ?? 9) - difference) < 0.2);
  });
}

test('runs that are paired by their seed are compared without the noise that they share', () => {
  const [judged] = judgeAll(studyOf({}), observe(0.5, 0.1));
  assert.equal(judged?.verdict, 'supported');
  const [low, high] = judged?.interval ?? [0, 9];
  assert.ok(high - low < 0.2);
  const [summary] = summarise(studyOf({}), observe(0.5, 0.1));
  assert.ok((summary?.interval?.[1] ?? 0) - (summary?.interval?.[0] ?? 0) > 4);
});

test('a failed run is counted and shown, and is in no mean; with too few others nothing is decided', () => {
  const failing = observe(2).map((one) =>
    one.condition === 'a' && one.seed <= 12 ? { ...one, value: null, failed: true } : one,
  );
  const [judged] = judgeAll(studyOf({}), failing);
  assert.deepEqual([judged?.verdict, judged?.n, judged?.left_out], ['undecided', 8, 12]);
  const [a, b] = summarise(studyOf({}), failing);
  assert.deepEqual([a?.n, a?.failed, b?.n, b?.failed], [8, 12, 20, 0]);
});

test('nothing is decided while runs are awaited, however clear it seems', () => {
  const [judged] = judgeAll(studyOf({}), observe(50).slice(0, -1));
  assert.equal(judged?.verdict, 'undecided');
  assert.match(judged?.because ?? '', /^1 of its runs/);
});

test('several hypotheses are held to more than each alone', () => {
  const observations = observe(0.17);
  const [alone] = judgeAll(studyOf({}), observations);
  const many = judgeAll(studyOf(...Array.from({ length: 20 }, () => ({}))), observations);
  assert.equal(alone?.verdict, 'supported', alone?.because);
  assert.equal(alone?.confidence, 0.95);
  assert.ok(many.every(({ verdict }) => verdict !== 'supported'));
  const none = judgeAll({ ...studyOf({}, {}), correction: 'none' }, observations);
  assert.ok(none.every(({ confidence }) => confidence === 0.95));
});

test('beside a verdict stands that its interval says little of the spread: of few seeds, and of differences that are all equal', () => {
  const cautionOf = (seeds: number, noise: number): string | null | undefined => {
    const study = { ...studyOf({ decide: { at_least_runs: 2 } }), seeds: { from: 1, count: seeds } };
    const [judged] = judgeAll(study, observe(2, noise));
    assert.equal(judged?.verdict, 'supported');
    return judged?.caution;
  };
  assert.match(cautionOf(20, 0) ?? '', /^All 20 differences are equal/);
  assert.match(cautionOf(2, 0) ?? '', /^All 2 differences are equal/);
  assert.match(cautionOf(4, 0.1) ?? '', /^Of 4 differences/);
  assert.equal(cautionOf(5, 0.1), null);
});

test('the order in which runs end changes no number', () => {
  const observations = observe(0.3);
  const study = studyOf({}, { expect: 'different' });
  const before = JSON.stringify([summarise(study, observations), judgeAll(study, observations)]);
  fc.assert(
    fc.property(fc.shuffledSubarray([...observations], { minLength: observations.length }), (shuffled) => {
      assert.equal(JSON.stringify([summarise(study, shuffled), judgeAll(study, shuffled)]), before);
    }),
    { numRuns: 20 },
  );
});
