import type { Json } from '../../contract/json.js';
import { findAt, isList } from './json-pointer.js';

/** How far a path leads into a value, and the members where it ends. */
interface NearestLevel {
  /** The part of the path that leads somewhere. */
  readonly tokens: readonly string[];
  /** In words, such as `intent, mood` or `a string`. */
  readonly holds: string;
}

const NAMES_SHOWN = 10;

/** The last place on a path at which there is a value. */
export function nearestLevel(value: Json, tokens: readonly string[]): NearestLevel {
  const [first, ...rest] = tokens;
  const inner = first === undefined ? undefined : findAt(value, [first]);
  if (first === undefined || inner === undefined) return { tokens: [], holds: describe(value) };
  const below = nearestLevel(inner, rest);
  return { tokens: [first, ...below.tokens], holds: below.holds };
}

function describe(value: Json): string {
  if (value === null) return 'null';
  if (typeof value !== 'object') return `a ${typeof value}`;
  if (isList(value)) return `a list of ${value.length}`;
  const names = Object.keys(value);
  if (names.length === 0) return 'nothing';
  const more = names.length - NAMES_SHOWN;
  return `${names.slice(0, NAMES_SHOWN).join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}
