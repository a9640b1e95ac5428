import type { PassedOn } from '../../../core/protocol/on-failure.js';

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

/** A moment to the minute, for tables whose title names UTC: `2025-10-04 12:00`. */
export function toMinute(rfc3339: string): string {
  return toMoment(rfc3339).slice(0, 16);
}

/** A length of time: `23 ms`, `4.2 s`. */
export function toDuration(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

export function shortHash(hash: string): string {
  return hash.slice(0, 12);
}

export const PASSED_ON: Readonly<Record<PassedOn, string>> = {
  told_to_model: 'told to the model',
  absent: 'the reading is absent',
  asked_fallback: 'the fallback was asked',
};

/** The class of a failure with its detail. */
export function failureName(failure_class: string, failure_detail: string | null): string {
  if (failure_detail === null) return failure_class;
  const words = Object.entries(PASSED_ON).find(([detail]) => detail === failure_detail)?.[1];
  return `${failure_class}, ${words ?? failure_detail}`;
}
