/** The middle of some numbers; of an even count, the mean of the two in the middle. @throws Error for none */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined) throw new Error('nothing was measured');
  return (lower + upper) / 2;
}
