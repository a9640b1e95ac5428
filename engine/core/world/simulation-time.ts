// Time inside a world: the calendar is the proleptic Gregorian one, every day has 86,400 seconds, and PostgreSQL and
// every page can show each valid time.

/** The last millisecond of the year 9999, in milliseconds since 1970. */
const LATEST = 253_402_300_799_999;
/** The first millisecond of the year 1. */
const EARLIEST = -62_135_596_800_000;
/** After 400 years the calendar repeats. */
const MILLISECONDS_OF_400_YEARS = 146_097 * 86_400_000;
/** PostgreSQL takes no offset of sixteen hours. */
const OFFSET_HOURS_MAX = 15;

const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt\s](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)$/;

/** A moment, or why what is written cannot be one. */
type Moment = { readonly ok: true; readonly milliseconds: number } | { readonly ok: false; readonly reason: string };

/** Reads a date and time with its offset. @param text RFC 3339 */
export function parseMoment(text: string): Moment {
  const parts = RFC_3339.exec(text);
  if (!parts) return { ok: false, reason: 'is no date and time with an offset' };
  const [, year, month, day, hour, minute, second, fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] = parts;
  if (Number(second) > 59) return { ok: false, reason: 'names a leap second, which no calendar here has' };
  if (Number(offsetHours) > OFFSET_HOURS_MAX)
    return { ok: false, reason: `has an offset of more than ${OFFSET_HOURS_MAX} hours` };
  const local =
    toMidnight(Number(year), Number(month), Number(day)) +
    toMilliseconds(Number(hour), Number(minute), Number(second)) +
    Number(fraction.padEnd(3, '0').slice(0, 3));
  const offset = toMilliseconds(Number(offsetHours), Number(offsetMinutes), 0);
  const milliseconds = sign === '-' ? local + offset : local - offset;
  if (year === '0000' || !isShowable(milliseconds)) return { ok: false, reason: 'is not in the years 0001 to 9999' };
  return { ok: true, milliseconds };
}

/**
 * The time inside a world at a turn, in milliseconds since 1970.
 * @returns undefined beyond the year 9999
 * @throws Error where the start is no moment, which no compiled scenario has
 */
export function simulationTime(
  { start_time, chronon_seconds }: { readonly start_time: string; readonly chronon_seconds: number },
  turn: number,
): number | undefined {
  const start = parseMoment(start_time);
  if (!start.ok) throw new Error(`the start time ${start_time} ${start.reason}`);
  const milliseconds = Math.trunc(start.milliseconds + turn * chronon_seconds * 1000);
  return isShowable(milliseconds) ? milliseconds : undefined;
}

/** How long a turn may take at most, in whole seconds, for so many of them to end within the year 9999. */
export function longestChronon(start_milliseconds: number, turns: number): number {
  return Math.floor((LATEST - start_milliseconds) / 1000 / turns);
}

function isShowable(milliseconds: number): boolean {
  return milliseconds >= EARLIEST && milliseconds <= LATEST;
}

function toMilliseconds(hours: number, minutes: number, seconds: number): number {
  return ((hours * 60 + minutes) * 60 + seconds) * 1000;
}

/** Of a date, in milliseconds since 1970. `Date.UTC` reads the years 0 to 99 as 1900 to 1999: it gets 400 more. */
function toMidnight(year: number, month: number, day: number): number {
  return Date.UTC(year + 400, month - 1, day) - MILLISECONDS_OF_400_YEARS;
}
