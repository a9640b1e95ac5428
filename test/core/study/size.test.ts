import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkStudy } from '../../../engine/core/study/check-study.js';
import type { Study } from '../../../engine/generated/study.js';

const TEN_LEVELS = { levels: Object.fromEntries(Array.from({ length: 10 }, (_none, level) => [`level-${level}`, {}])) };

/** A study of 10,000 conditions. */
function studyBy(seeds: Study['seeds']): Study {
  const names = ['weather', 'price', 'mood', 'season'];
  return {
    version: 1,
    label: 'large',
    question: 'Why?',
    scenario: './scenario.json',
    turns: 1,
    seeds,
    variables: Object.fromEntries(names.map((name) => [name, TEN_LEVELS])),
    measures: [],
  };
}

const sizeOf = (seeds: Study['seeds']): readonly string[] =>
  checkStudy(studyBy(seeds))
    .filter(({ code }) => code === 'STUDY_TOO_LARGE')
    .map(({ message }) => message);

const seedsTo = (count: number): number[] => Array.from({ length: count }, (_none, seed) => seed);

for (const [how, seedsOf] of [
  ['listed', seedsTo],
  ['counted', (count: number) => ({ from: 1, count })],
] as const) {
  test(`a study has 100,000 runs at most, of seeds that are ${how}`, () => {
    assert.deepEqual(sizeOf(seedsOf(10)), []);
    assert.deepEqual(sizeOf(seedsOf(11)), ['The study has 10000 conditions and 11 seeds: 110000 runs.']);
  });
}
