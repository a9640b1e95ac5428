/** A time as facts have it: RFC 3339, in UTC. What somebody has altered to no moment, such as `infinity`, stays as it is. */
export function toMoment(at: number | string): string {
  const moment = new Date(at);
  return Number.isNaN(moment.getTime()) ? String(at) : moment.toISOString();
}
