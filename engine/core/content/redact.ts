import type { Json, JsonObject } from '../../contract/json.js';
import { isList, pointerTokens } from './json-pointer.js';

/** The part of a pointer that is still to be matched below a value. */
type Path = readonly string[];

/**
 * The part of a value that may be seen.
 * Members that no pointer leads to vanish. Arrays on the way to something keep their length: their other items are
 * emptied, to `{}` where they are objects and to null otherwise. Nothing at all may be seen without a pointer.
 * @param allow `all`, or JSON Pointers in which the token `*` means every item and every member
 */
export function redact(value: Json, allow: 'all' | readonly string[]): Json {
  if (allow === 'all') return value;
  return view(value, allow.map(pointerTokens)) ?? emptied(value);
}

/** Whether all of the value at a place may be seen, and so may be named. */
export function isShown(pointer: string, allow: 'all' | readonly string[]): boolean {
  if (allow === 'all') return true;
  const place = pointerTokens(pointer);
  return allow.some((allowed) => {
    const tokens = pointerTokens(allowed);
    return tokens.length <= place.length && tokens.every((token, index) => token === '*' || token === place[index]);
  });
}

/** @returns undefined where no path leads to a part of the value */
function view(value: Json, paths: readonly Path[]): Json | undefined {
  if (paths.some((path) => path.length === 0)) return value;
  if (paths.length === 0 || typeof value !== 'object' || value === null) return undefined;
  if (!isList(value)) return viewMembers(value, paths);
  return value.map((item, index) => view(item, below(paths, String(index))) ?? emptied(item));
}

function viewMembers(value: JsonObject, paths: readonly Path[]): JsonObject {
  const shown: [string, Json][] = [];
  for (const [name, member] of Object.entries(value)) {
    const seen = view(member, below(paths, name));
    if (seen !== undefined) shown.push([name, seen]);
  }
  return Object.fromEntries(shown);
}

function below(paths: readonly Path[], token: string): readonly Path[] {
  return paths.filter(([first]) => first === token || first === '*').map((path) => path.slice(1));
}

function emptied(value: Json): Json {
  return typeof value === 'object' && value !== null && !isList(value) ? {} : null;
}
