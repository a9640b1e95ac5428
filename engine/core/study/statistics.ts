import type { Random } from './random.js';

/** Resamples of one bootstrap: with fewer, an interval of 95 % would depend on the draw. */
const RESAMPLES = 2000;

/** In more resamples than this share, all values are the same one: then they have no spread to divide by. */
const ALIKE_MAX = 0.001;

/** How sure an interval is of holding the true mean, where nothing else is said. */
export const CONFIDENCE = 0.95;

export type Interval = readonly [low: number, high: number];

/** Sums in an order that is always the same, so that the same values have the same mean to the last bit. */
export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * What the true mean may be, by a seeded bootstrap: many means in ascending order, each as likely as any other. An interval
 * is cut off them, and the weight of a claim is the share of them that it holds for.
 *
 * They are those of the studentised bootstrap (percentile-t), which follows skewed values best. Where too many resamples
 * have no spread, as of rare events or of five values, they are the means of the resamples, moved apart as far as so few
 * values ask for: by the bias of their spread, and by Student's quantile beside the normal one.
 * @returns none where there are no values
 */
export function plausibleMeans(values: readonly number[], random: Random): readonly number[] {
  const count = values.length;
  if (count === 0) return [];
  const mean = meanOf(values);
  const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, count - 1));
  if (spread === 0) return Array.from({ length: RESAMPLES }, () => mean);
  const resamples = Array.from({ length: RESAMPLES }, () => resample(values, mean, random));
  const alike = resamples.filter((one) => one.spread < spread * ALIKE);
  const means =
    alike.length > RESAMPLES * ALIKE_MAX
      ? resamples.map(({ shift }) => mean + shift * widening(count))
      : resamples.map((one) => mean - (one.shift / Math.max(one.spread, spread * ALIKE)) * spread);
  return Float64Array.from(means).sort() as unknown as readonly number[];
}

/** A spread this small is a rounding error. */
const ALIKE = 1e-9;

/** As many values, drawn from all with putting back: how far their mean is from that of all, and their spread. */
function resample(
  values: readonly number[],
  mean: number,
  random: Random,
): { readonly shift: number; readonly spread: number } {
  const distances = values.map(() => (values[Math.floor(random() * values.length)] ?? mean) - mean);
  const shift = meanOf(distances);
  // From their own middle: the difference of two sums of squares would leave a spread where all are the same one.
  const squares = distances.reduce((sum, distance) => sum + (distance - shift) ** 2, 0);
  return { shift, spread: Math.sqrt(squares / (values.length - 1)) };
}

/** Normal quantile of 97.5 %. */
const NORMAL = 1.96;

/** How much too narrow the percentiles of resamples are for so few values. Student's quantile is that of Cornish and Fisher. */
function widening(count: number): number {
  const freedom = count - 1;
  const square = NORMAL * NORMAL;
  const student = 1 + (square + 1) / (4 * freedom) + (5 * square * square + 16 * square + 3) / (96 * freedom * freedom);
  return Math.sqrt(count / freedom) * student;
}

/** The middle of the plausible means. @returns null where there are none */
export function intervalOf(plausible: readonly number[], confidence: number = CONFIDENCE): Interval | null {
  if (plausible.length === 0) return null;
  const tail = (1 - confidence) / 2;
  return [quantile(plausible, tail), quantile(plausible, 1 - tail)];
}

function quantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

/** How likely values at least as far from a mean would be if that were the true one, on both sides: the p-value. */
export function likelihoodOf(plausible: readonly number[], mean: number): number {
  const count = plausible.length;
  const below = plausible.filter((one) => one <= mean).length;
  const above = plausible.filter((one) => one >= mean).length;
  return Math.min(1, (2 * (Math.min(below, above) + 1)) / (count + 1));
}
