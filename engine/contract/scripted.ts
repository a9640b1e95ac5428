import type { Json, JsonObject } from './json.js';
import type { FunctionCallItem } from './source.js';

/** The place of a call in its turn, as its client request id says. */
export interface ScriptedPlace {
  readonly world_slug: string;
  readonly turn: number;
  /** The command key, such as `bob/act/round-1/try-1`. */
  readonly key: string;
}

/** Reads `<world>~<mark>/turn-<n>/<command key>`; the mark is optional. */
export function parseClientRequestId(id: string): ScriptedPlace | undefined {
  const [, world_slug, turn, key] = /^([^/~]+)(?:~[^/]*)?\/turn-([1-9][0-9]*)\/(.+)$/.exec(id) ?? [];
  return world_slug === undefined || turn === undefined || key === undefined
    ? undefined
    : { world_slug, turn: Number(turn), key };
}

/** Values by turn (`1`, `2`, ... or `*` for every other), then by command key. */
export type ByTurn<Value> = Readonly<Record<string, Readonly<Record<string, Value>>>>;

/** A written value, and its place. */
export interface Scripted<Value> {
  readonly turn: string;
  readonly key: string;
  readonly value: Value;
}

/** Finds the written value of a place: under its turn, else under `*`; the part after `@` is optional. */
export function findScripted<Value>(
  turns: ByTurn<Value>,
  place: Pick<ScriptedPlace, 'turn' | 'key'>,
): Scripted<Value> | undefined {
  for (const turn of [String(place.turn), '*']) {
    for (const key of [place.key, withoutMark(place.key)]) {
      const value = memberOf(memberOf(turns, turn), key);
      if (value !== undefined) return { turn, key, value };
    }
  }
  return undefined;
}

/** `turn/park_weather` of `turn/park_weather@0123456789ab`, and `bob/act/round-1/try-1` of the same with `@2`. */
export function withoutMark(key: string): string {
  return withoutRun(key).replace(/@[0-9a-f]{12}$/, '');
}

/** The name that something has in a subject's run of a number, outside of that run. The first run adds nothing to it. */
export function withRun(name: string, run: number): string {
  return run === 1 ? name : `${name}@${run}`;
}

/** The name in the run itself. A hash behind an @, as in the key of a reading of the turn, is longer than any number. */
export function withoutRun(name: string): string {
  return name.replace(/@\d{1,9}$/, '');
}

/** Which run of its subject made a call: 2 of `bob/act/round-1/try-1@2`, and 1 where the key has no mark. */
export function runOf(key: string): number {
  return Number(/@(\d{1,9})$/.exec(key)?.[1] ?? 1);
}

function memberOf<Value>(record: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

/**
 * A written answer as a model gives it that calls tools natively: the same scripts and recordings serve both ways.
 * @param id of the call, which may be empty
 * @returns undefined where the text calls no tool
 */
export function toScriptedCall(text: string, id: string): FunctionCallItem | undefined {
  const { kind, tool_call } = parseObject(text);
  if (kind !== 'tool_call' || typeof tool_call !== 'object' || tool_call === null) return undefined;
  const { name, arguments: given } = tool_call as Readonly<Record<string, Json>>;
  const named = typeof name === 'string' ? name : JSON.stringify(name ?? null);
  return { type: 'function_call', call_id: id, name: named, arguments: JSON.stringify(given ?? {}) };
}

function parseObject(text: string): JsonObject {
  try {
    return Object(JSON.parse(text)) as JsonObject;
  } catch {
    return {};
  }
}

/** A text in pieces of so many characters, cut between characters and never within one, as providers do; whole by default. */
export function toPieces(text: string, characters?: number): readonly string[] {
  const all = Array.from(text);
  const length = characters ?? Math.max(1, all.length);
  const count = Math.ceil(all.length / length);
  return Array.from({ length: count }, (_, index) => all.slice(index * length, (index + 1) * length).join(''));
}
