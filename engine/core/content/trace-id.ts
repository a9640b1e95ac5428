/**
 * The trace of an attempt: the attempt's id as 32 hex digits. Nothing stores it; every driver of an attempt, and every
 * page that shows it, computes the same one.
 */
export function toTraceId(attempt_id: string): string {
  return attempt_id.replaceAll('-', '').toLowerCase();
}

/** The span of a UUID, such as a call's: its last 16 hex digits, which are random in those of our clock. */
export function toSpanId(uuid: string): string {
  return toTraceId(uuid).slice(-16);
}

/** When a UUID that is ordered by time (version 7) was made, in milliseconds since 1970. */
export function timeOfUuid(uuid: string): number {
  return Number.parseInt(toTraceId(uuid).slice(0, 12), 16);
}
