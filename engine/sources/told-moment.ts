/**
 * When something is over, as services write it.
 */

/** A date that begins with its year, or with the day of its week: the three forms of HTTP, and those that are near them. */
const DATE = /^(?:\d{4}-\d{2}-\d{2}[T ]|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? )/;
/** A date without a zone is one of Greenwich. */
const HAS_ZONE = /(?:[A-Z]{1,4}|[+-]\d{2}:?\d{2})$/i;

const AMOUNT = String.raw`\d{1,9}(?:\.\d{1,9})?\s?`;
/** An amount of time with its unit; several of them are a duration, as in `1m30s`, `7.66s` and `2 minutes`. */
export const PART = `${AMOUNT}(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|h|days?|d)`;
/** Also as ISO 8601 writes it: `PT1M30S`. */
const IS_DURATION = new RegExp(`^(?:PT)?(?:${PART}[\\s,]{0,2})+$`, 'i');

/**
 * Reads a moment as seconds or milliseconds since 1970, as a date, or as how long it takes until then, in seconds without a
 * unit.
 * @param now in milliseconds since 1970
 * @returns milliseconds from now; undefined where it is none of these
 */
export function readMoment(said: string, now: number): number | undefined {
  const text = said.trim();
  if (/^\d{10}$|^\d{13}$/.test(text)) return Math.max(0, Number(text) * (text.length === 13 ? 1 : 1_000) - now);
  if (/^\d+(\.\d{1,9})?$/.test(text)) return Number(text) * 1_000;
  if (!DATE.test(text)) return IS_DURATION.test(text) ? readDuration(text) : undefined;
  const at = Date.parse(HAS_ZONE.test(text) ? text : `${text}Z`);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** The milliseconds of a unit, by its beginning: the first that fits is meant. */
const UNITS: readonly (readonly [begins: string, ms: number])[] = [
  ['ms', 1],
  ['mil', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
];

/** The milliseconds of a duration. */
export function readDuration(text: string): number {
  const parts = [...text.toLowerCase().matchAll(/(\d{1,9}(?:\.\d{1,9})?)\s?([a-z]+)/g)];
  return parts.reduce((sum, [, amount, unit = '']) => {
    const [, ms] = UNITS.find(([begins]) => unit.startsWith(begins)) ?? ['', 0];
    return sum + Number(amount) * ms;
  }, 0);
}
