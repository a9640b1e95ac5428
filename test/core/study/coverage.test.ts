import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Observation } from '../../../engine/core/study/observation.js';
import { type Random, randomOf } from '../../../engine/core/study/random.js';
import { summarise } from '../../../engine/core/study/summary.js';
import { judgeAll } from '../../../engine/core/study/verdict.js';
import type { Study } from '../../../engine/generated/study.js';
import { extent } from '../../support/extent.js';

const STUDIES = extent(250, 1_000);
/** How often the interval may hold the effect: with fewer studies, chance does more. An interval of 90 or 99 % is found out by both. */
const [LEAST, MOST] = extent<readonly [number, number]>([0.92, 0.98], [0.93, 0.97]);
const LEVELS = ['control', 'small', 'medium', 'large'];
/** What each level adds to the mean. */
const EFFECTS: Readonly<Record<string, number>> = { control: 0, small: 0.4, medium: 1, large: 2.5 };

const STUDY: Study = {
  version: 1,
  label: 'known',
  question: 'Is the effect found that was put in?',
  scenario: './scenario.json',
  turns: 10,
  seeds: { from: 1, count: 25 },
  variables: { dose: { levels: Object.fromEntries(LEVELS.map((level) => [level, {}])) } },
  measures: [{ id: 'given', read: { tool: 'give', pointer: '/amount' }, take: 'mean' }],
  hypotheses: LEVELS.slice(1).map((level) => ({
    id: level,
    says: `${level} gives more than control`,
    measure: 'given',
    compare: [{ dose: level }, { dose: 'control' }],
    expect: 'greater',
    decide: { interval: 0.95, at_least_runs: 20 },
  })),
  correction: 'none',
};

/** Runs with known means, of which those of one seed have a part in common. */
type Population = (random: Random, level: string, ofSeed: number) => number;

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

const POPULATIONS: Readonly<Record<string, { readonly draw: Population; readonly mean: number }>> = {
  'even noise': { draw: (random, level, ofSeed) => EFFECTS[level]! + ofSeed + normal(random), mean: 0 },
  // Ten agents, each of whom gives a whole amount from 0 to 20.
  'whole amounts': {
    draw: (random, level, ofSeed) => {
      const amounts = Array.from({ length: 10 }, () => {
        let given = 0;
        for (let coin = 0; coin < 20; coin += 1) given += random() < 0.3 + EFFECTS[level]! / 20 + ofSeed / 100 ? 1 : 0;
        return given;
      });
      return amounts.reduce((sum, amount) => sum + amount, 0) / amounts.length;
    },
    mean: 6,
  },
  'a long tail': { draw: (random, level, ofSeed) => EFFECTS[level]! + ofSeed - Math.log(1 - random()), mean: 1 },
};

function simulate({ draw }: { readonly draw: Population }, random: Random): readonly Observation[] {
  return Array.from({ length: 25 }, (_, index) => index + 1).flatMap((seed) => {
    const ofSeed = normal(random);
    return LEVELS.map((condition) => ({
      condition,
      seed,
      measure: 'given',
      value: draw(random, condition, ofSeed),
      failed: false,
    }));
  });
}

for (const [name, population] of Object.entries(POPULATIONS)) {
  test(`of ${STUDIES} studies with a known effect, the interval holds it in ${100 * LEAST} to ${100 * MOST} %: ${name}`, () => {
    const random = randomOf(`coverage ${name}`);
    const held = { effects: 0, means: 0 };
    for (let count = 0; count < STUDIES; count += 1) {
      const observations = simulate(population, random);
      for (const { hypothesis, interval } of judgeAll(STUDY, observations))
        held.effects += holds(interval, EFFECTS[hypothesis]!) ? 1 : 0;
      for (const { condition, interval } of summarise(STUDY, observations))
        held.means += holds(interval, population.mean + EFFECTS[condition]!) ? 1 : 0;
    }
    const effects = held.effects / (STUDIES * (LEVELS.length - 1));
    const means = held.means / (STUDIES * LEVELS.length);
    assert.ok(effects >= LEAST && effects <= MOST, `differences: ${effects}`);
    assert.ok(means >= LEAST && means <= MOST, `means: ${means}`);
  });
}

test('of studies without any effect, at most one in twenty supports a hypothesis, of three that are decided together', () => {
  const { hypotheses = [] } = STUDY;
  const together: Study = {
    ...STUDY,
    hypotheses: hypotheses.map((one) => ({ ...one, expect: 'different' })),
    correction: 'holm',
  };
  const random = randomOf('no effect');
  const wrong = { together: 0, alone: 0 };
  for (let count = 0; count < STUDIES; count += 1) {
    const observations = simulate({ draw: (draw, _level, ofSeed) => ofSeed + normal(draw) }, random);
    const isWrong = (study: Study): boolean =>
      judgeAll(study, observations).some(({ verdict }) => verdict === 'supported');
    wrong.together += isWrong(together) ? 1 : 0;
    wrong.alone += isWrong({ ...together, correction: 'none' }) ? 1 : 0;
  }
  assert.ok(wrong.together / STUDIES <= 0.065, `together: ${wrong.together}`);
  assert.ok(wrong.alone / STUDIES > 0.08, `alone: ${wrong.alone}`);
});

function holds(interval: readonly [number, number] | null, value: number): boolean {
  return interval !== null && interval[0] <= value && value <= interval[1];
}
