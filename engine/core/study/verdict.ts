import type { Study, StudyHypothesis } from '../../generated/study.js';
import { unreachable } from '../../contract/unreachable.js';
import { type Condition, type Levels, listConditions, listSeeds, selectConditions } from './design.js';
import type { Observation } from './observation.js';
import { randomOf } from './random.js';
import { CONFIDENCE, type Interval, intervalOf, likelihoodOf, meanOf, plausibleMeans } from './statistics.js';

export type Verdict = 'supported' | 'not_supported' | 'undecided';

/** What the runs say of a hypothesis. */
export interface Judgement {
  readonly hypothesis: string;
  readonly verdict: Verdict;
  /** The seeds in which both sides have a value. */
  readonly n: number;
  /** The seeds left out, because a run of them has failed or measured nothing. */
  readonly left_out: number;
  /** The first side less the second, in the mean of seeds; null where no seed has both. */
  readonly difference: number | null;
  readonly interval: Interval | null;
  /** By seed, in ascending order. */
  readonly pairs: readonly SeedDifference[];
  /** Of the interval: what the hypothesis asks for, or more where several are decided together. */
  readonly confidence: number;
  /** The reason of the verdict, in one sentence. */
  readonly because: string;
  /** Why the interval says little of how other seeds would differ; null where it does not. */
  readonly caution: string | null;
}

/** The difference of the runs of one seed. */
export interface SeedDifference {
  readonly seed: number;
  readonly difference: number;
}

/** The differences of a hypothesis, seed by seed. */
interface Differences {
  readonly pairs: readonly SeedDifference[];
  readonly values: readonly number[];
  readonly left_out: number;
  /** Runs of its conditions that have neither ended nor failed. */
  readonly awaited: number;
}

/** A hypothesis with what its true difference may be. */
interface Weighed {
  readonly hypothesis: StudyHypothesis;
  readonly differences: Differences;
  readonly plausible: readonly number[];
  /** The chance of being wrong that its rule allows. */
  readonly allowed: number;
  readonly likelihood: number;
}

/** What decides: how sure an interval has to be of each hypothesis is known once all are weighed. */
type Judged = Pick<Study, 'variables' | 'seeds' | 'hypotheses' | 'correction'>;

/**
 * Judges the hypotheses of a study, by differences between runs of the same seed. Several are decided together by Holm's
 * method: the likeliest has to hold against the chance of any being wrong, the next against one fewer, and so on; from the
 * first that does not, the others are held to the same.
 */
export function judgeAll(study: Judged, observations: readonly Observation[]): readonly Judgement[] {
  const conditions = listConditions(study);
  const weighed = (study.hypotheses ?? []).map((hypothesis) => {
    const differences = listDifferences(listSeeds(study), conditions, hypothesis, observations);
    return weigh(hypothesis, differences);
  });
  const confidences = study.correction === 'none' ? weighed.map(ownConfidence) : correctAll(weighed);
  return weighed.map((one, index) => judge(one, confidences[index] ?? CONFIDENCE));
}

function weigh(hypothesis: StudyHypothesis, differences: Differences): Weighed {
  const plausible = plausibleMeans(differences.values, randomOf(`difference of ${hypothesis.id}`));
  const [worst = 1] = claimsOf(hypothesis)
    .map((claim) => (holds(hypothesis, meanOf(differences.values)) ? likelihoodOf(plausible, claim) : 1))
    .toSorted((one, other) => other - one);
  const allowed = 1 - (hypothesis.decide.interval ?? CONFIDENCE);
  return { hypothesis, differences, plausible, allowed, likelihood: plausible.length === 0 ? 1 : worst };
}

/** The differences that have to be excluded. */
function claimsOf({ expect, by_at_least = 0 }: StudyHypothesis): readonly number[] {
  if (expect === 'greater') return [by_at_least];
  return expect === 'less' ? [-by_at_least] : [by_at_least, -by_at_least];
}

function ownConfidence({ allowed }: Weighed): number {
  return 1 - allowed;
}

function correctAll(weighed: readonly Weighed[]): readonly number[] {
  const ranked = [...weighed.keys()].toSorted((one, other) => pressure(weighed[one]) - pressure(weighed[other]));
  const confidences = new Map<number, number>();
  let divisor = weighed.length;
  for (const index of ranked) {
    const { allowed, likelihood } = weighed[index] as Weighed;
    confidences.set(index, 1 - allowed / divisor);
    if (likelihood <= allowed / divisor) divisor = Math.max(1, divisor - 1);
  }
  return weighed.map((_, index) => confidences.get(index) ?? CONFIDENCE);
}

/** How much of the allowed chance a hypothesis needs. */
function pressure(one: Weighed | undefined): number {
  return one === undefined ? 1 : one.likelihood / one.allowed;
}

function judge({ hypothesis, differences, plausible }: Weighed, confidence: number): Judgement {
  const { pairs, values, left_out } = differences;
  const interval = values.length < 2 ? null : intervalOf(plausible, confidence);
  const { verdict, because } = decide(hypothesis, differences, interval);
  return {
    hypothesis: hypothesis.id,
    verdict,
    n: values.length,
    left_out,
    difference: values.length === 0 ? null : meanOf(values),
    interval,
    pairs,
    confidence,
    because,
    caution: interval === null ? null : cautionOf(values),
  };
}

/** With fewer, the spread of the differences is itself a guess. */
const SPREAD_RUNS_MIN = 5;

function cautionOf(values: readonly number[]): string | null {
  const n = values.length;
  if (new Set(values).size === 1)
    return `All ${n} differences are equal, so the interval says nothing of how far other seeds would differ.`;
  return n < SPREAD_RUNS_MIN
    ? `Of ${n} differences, the interval says little of how far other seeds would differ.`
    : null;
}

function decide(
  hypothesis: StudyHypothesis,
  { values, awaited }: Differences,
  interval: Interval | null,
): Pick<Judgement, 'verdict' | 'because'> {
  const { at_least_runs } = hypothesis.decide;
  const n = values.length;
  // A look at half of the runs, and another at all of them, are two chances to be wrong.
  if (awaited > 0) return { verdict: 'undecided', because: `${awaited} of its runs have not ended.` };
  if (interval === null || n < at_least_runs)
    return { verdict: 'undecided', because: `${n} seeds have both sides, and its rule wants ${at_least_runs}.` };
  const shown = `The interval from ${round(interval[0])} to ${round(interval[1])}, of ${n} seeds,`;
  const claim = describeClaim(hypothesis);
  if (isBeyond(hypothesis, interval)) return { verdict: 'supported', because: `${shown} is ${claim}.` };
  if (isExcluded(hypothesis, interval))
    return { verdict: 'not_supported', because: `${shown} holds no difference that is ${claim}.` };
  const holdsNone = interval[0] <= 0 && interval[1] >= 0;
  return holdsNone
    ? { verdict: 'not_supported', because: `${shown} holds 0.` }
    : { verdict: 'undecided', because: `${shown} is ${claim} in part.` };
}

function describeClaim({ expect, by_at_least = 0 }: StudyHypothesis): string {
  switch (expect) {
    case 'greater':
      return `above ${by_at_least}`;
    case 'less':
      return `below ${by_at_least === 0 ? 0 : -by_at_least}`;
    case 'different':
      return by_at_least === 0 ? 'on one side of 0' : `further than ${by_at_least} from 0, on one side`;
    default:
      return unreachable(expect);
  }
}

/** Whether the hypothesis would be true of a difference. */
function holds(hypothesis: StudyHypothesis, difference: number): boolean {
  return isBeyond(hypothesis, [difference, difference]);
}

/** Whether the hypothesis is true of the whole interval. */
function isBeyond({ expect, by_at_least = 0 }: StudyHypothesis, [low, high]: Interval): boolean {
  const isAbove = low > by_at_least;
  const isBelow = high < -by_at_least;
  if (expect === 'different') return isAbove || isBelow;
  return expect === 'greater' ? isAbove : isBelow;
}

/** Whether the hypothesis is true of nothing in the interval. */
function isExcluded({ expect, by_at_least = 0 }: StudyHypothesis, [low, high]: Interval): boolean {
  const isBelow = high < by_at_least;
  const isAbove = low > -by_at_least;
  if (expect === 'different') return isBelow && isAbove;
  return expect === 'greater' ? isBelow : isAbove;
}

const DIGITS = 3;

function round(value: number): string {
  return String(Number(value.toPrecision(DIGITS)));
}

/** The first side less the second of each seed in which all runs of both have a value. */
function listDifferences(
  seeds: readonly number[],
  conditions: readonly Condition[],
  { measure, compare }: StudyHypothesis,
  observations: readonly Observation[],
): Differences {
  const known = new Map(
    observations.flatMap((one) => (one.measure === measure ? [[placeOf(one.condition, one.seed), one] as const] : [])),
  );
  const sides = compare.map((side: Levels) => selectConditions(conditions, side).map(({ id }) => id));
  const bySeed = seeds.map((seed) => sides.map((ids) => ids.map((id) => known.get(placeOf(id, seed)))));
  const awaited = bySeed.flat(2).filter((one) => one === undefined).length;
  const pairs = bySeed.flatMap((pair, index): readonly SeedDifference[] => {
    const [first, second] = pair.map(meanOfSide);
    return first === undefined || second === undefined
      ? []
      : [{ seed: seeds[index] as number, difference: first - second }];
  });
  const values = pairs.map(({ difference }) => difference);
  const ended = bySeed.filter((pair) => pair.flat().every((one) => one !== undefined)).length;
  return { pairs, values, left_out: ended - values.length, awaited };
}

function meanOfSide(side: readonly (Observation | undefined)[]): number | undefined {
  const values = side.flatMap((one) => (one === undefined || one.failed || one.value === null ? [] : [one.value]));
  return values.length === side.length && values.length > 0 ? meanOf(values) : undefined;
}

function placeOf(condition: string, seed: number): string {
  return `${condition} ${seed}`;
}
