import type { Study } from '../../generated/study.js';
import { groupBy } from '../content/group-by.js';
import { listConditions } from './design.js';
import type { Observation } from './observation.js';
import { randomOf } from './random.js';
import { CONFIDENCE, type Interval, intervalOf, meanOf, plausibleMeans } from './statistics.js';

/** One measure of all runs of one condition. */
export interface Summary {
  readonly condition: string;
  readonly measure: string;
  /** The runs whose value counts. */
  readonly n: number;
  /** Runs that have failed: shown, and in no mean. */
  readonly failed: number;
  /** Runs in which there was nothing to measure. */
  readonly empty: number;
  readonly mean: number | null;
  /** Of the mean, by a seeded bootstrap of 95 %; null where fewer than two runs count. */
  readonly interval: Interval | null;
}

/** Every measure of every condition, in the order of both. The same observations give the same numbers. */
export function summarise(
  study: Pick<Study, 'variables' | 'measures'>,
  observations: readonly Observation[],
): readonly Summary[] {
  const grouped = groupBy(observations, ({ condition, measure }) => `${condition} ${measure}`);
  return listConditions(study).flatMap(({ id: condition }) =>
    study.measures.map(({ id: measure }) => {
      const own = grouped.get(`${condition} ${measure}`) ?? [];
      const values = bySeed(own).flatMap(({ value, failed }) => (failed || value === null ? [] : [value]));
      const failed = own.filter((one) => one.failed).length;
      const plausible = plausibleMeans(values, randomOf(`mean of ${measure} in ${condition}`));
      return {
        condition,
        measure,
        n: values.length,
        failed,
        empty: own.length - failed - values.length,
        mean: values.length === 0 ? null : meanOf(values),
        interval: values.length < 2 ? null : intervalOf(plausible, CONFIDENCE),
      };
    }),
  );
}

/** In ascending order of seeds: the order in which runs have ended says nothing. */
export function bySeed<Item extends { readonly seed: number }>(items: readonly Item[]): readonly Item[] {
  return items.toSorted((one, other) => one.seed - other.seed);
}
