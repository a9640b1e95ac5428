/** `1 call`, `2 calls`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** A moment as people read it: `2025-10-04 12:00 UTC`. */
export function toMoment(rfc3339: string): string {
  const date = new Date(rfc3339);
  if (Number.isNaN(date.getTime())) return rfc3339;
  const text = date.toISOString();
  return `${text.slice(0, 10)} ${text.slice(11, text.endsWith(':00.000Z') ? 16 : 19)} UTC`;
}

/** A length of time: `23 ms`, `4.2 s`. */
export function toDuration(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

/** From one moment to another, where both are known. */
export function toSpanOfTime(from: string, until: string | null): string | undefined {
  return until === null ? undefined : toDuration(Date.parse(until) - Date.parse(from));
}

/** The first digits of a hash. */
export function shortHash(hash: string): string {
  return hash.slice(0, 12);
}
