import type { Study } from '../../generated/study.js';
import { listSeeds } from './design.js';
import type { Observation } from './observation.js';
import { randomOf } from './random.js';
import { CONFIDENCE, type Interval, intervalOf, meanOf, plausibleMeans } from './statistics.js';
import { bySeed } from './summary.js';
import { type Judgement, judgeAll, type Verdict } from './verdict.js';

/** How far a variant moves a measure: its value less that of the study, by runs of the same condition and seed. */
export interface Move {
  readonly measure: string;
  /** Null: in the mean of all conditions. */
  readonly condition: string | null;
  /** The seeds that count. */
  readonly n: number;
  readonly difference: number | null;
  readonly interval: Interval | null;
}

/** What a variant makes of a hypothesis. */
export interface AuditedVerdict {
  readonly hypothesis: string;
  readonly before: Verdict;
  readonly after: Verdict;
  readonly difference_before: number | null;
  readonly difference_after: number | null;
}

/** A study as it is audited: by the first of its seeds, and by rules that so few can meet. */
export function narrowStudy(study: Study, seeds: number | undefined): Study {
  const chosen = listSeeds(study).slice(0, seeds);
  const hypotheses = study.hypotheses?.map((one) => ({
    ...one,
    decide: { ...one.decide, at_least_runs: Math.min(one.decide.at_least_runs, chosen.length) },
  }));
  return { ...study, seeds: chosen, ...(hypotheses && { hypotheses }) };
}

/** How far a variant moves each measure: of all conditions together, then of each. */
export function listMoves(
  { measures }: Pick<Study, 'measures'>,
  before: readonly Observation[],
  after: readonly Observation[],
): readonly Move[] {
  const known = new Map(after.map((one) => [keyOf(one), one.value]));
  return measures.flatMap(({ id: measure }) => {
    const pairs = bySeed(before).flatMap((one) => {
      const value = known.get(keyOf(one)) ?? null;
      if (one.measure !== measure || one.value === null || value === null) return [];
      return [{ condition: one.condition, seed: one.seed, difference: value - one.value }];
    });
    const conditions = [...new Set(pairs.map(({ condition }) => condition))].toSorted();
    const seeds = [...new Set(pairs.map(({ seed }) => seed))];
    const together = seeds.flatMap((seed) => {
      const own = pairs.filter((pair) => pair.seed === seed);
      return own.length === conditions.length ? [meanOf(own.map(({ difference }) => difference))] : [];
    });
    return [
      toMove(measure, null, together),
      ...conditions.map((condition) =>
        toMove(
          measure,
          condition,
          pairs.filter((pair) => pair.condition === condition).map(({ difference }) => difference),
        ),
      ),
    ];
  });
}

function toMove(measure: string, condition: string | null, differences: readonly number[]): Move {
  const n = differences.length;
  const plausible = plausibleMeans(differences, randomOf(`move of ${measure} in ${condition ?? 'all'}`));
  return {
    measure,
    condition,
    n,
    difference: n === 0 ? null : meanOf(differences),
    interval: n < 2 ? null : intervalOf(plausible, CONFIDENCE),
  };
}

/** What each hypothesis of a study is judged, as it is written and as a variant has it. */
export function compareVerdicts(
  study: Study,
  before: readonly Observation[],
  after: readonly Observation[],
): readonly AuditedVerdict[] {
  const judged = new Map(judgeAll(study, after).map((one): [string, Judgement] => [one.hypothesis, one]));
  return judgeAll(study, before).flatMap((one) => {
    const other = judged.get(one.hypothesis);
    if (other === undefined) return [];
    return [
      {
        hypothesis: one.hypothesis,
        before: one.verdict,
        after: other.verdict,
        difference_before: one.difference,
        difference_after: other.difference,
      },
    ];
  });
}

function keyOf({ condition, seed, measure }: Observation): string {
  return `${condition} ${seed} ${measure}`;
}
