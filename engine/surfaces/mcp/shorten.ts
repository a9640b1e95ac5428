/** How many characters a value may have as JSON, and its text twin as many: with both, about 20,000 tokens. */
export const TEXT_LENGTH_MAX = 38_000;

/** How long texts and lists may be, from lenient to strict. */
const LIMITS = [
  [8_000, 100],
  [3_000, 40],
  [1_000, 15],
  [400, 6],
  [120, 3],
  [40, 1],
] as const;

interface Shortened {
  readonly value: unknown;
  /** What was done to it, in a sentence. */
  readonly said: string;
}

/** Shortens a value that is too long for one answer: long texts, and then long lists. @returns undefined where it fits */
export function shorten(value: unknown): Shortened | undefined {
  if (JSON.stringify(value).length <= TEXT_LENGTH_MAX) return undefined;
  let shortened: Shortened = { value, said: '' };
  for (const [length, rows] of LIMITS) {
    shortened = {
      value: prune(value, length, rows, 0),
      said: `This is shortened: texts to ${length} characters, lists to ${rows} rows.`,
    };
    if (JSON.stringify(shortened.value).length <= TEXT_LENGTH_MAX) break;
  }
  return shortened;
}

function prune(value: unknown, length: number, rows: number, depth: number): unknown {
  if (typeof value === 'string') return value.length <= length ? value : `${value.slice(0, length)}…`;
  if (value === null || typeof value !== 'object') return value;
  const inner = (one: unknown): unknown => prune(one, length, rows, depth + 1);
  if (Array.isArray(value)) return value.slice(0, rows).map(inner);
  const members = Object.entries(value);
  // The members of the answer itself stay, as its schema says; those of a map are its rows.
  const kept = depth === 0 ? members : members.slice(0, 20 + rows);
  return Object.fromEntries(kept.map(([name, one]) => [name, inner(one)]));
}
