/**
 * A population answers like people of whom only the distribution is known. Its rules are data, and it is deterministic:
 * what it says depends on the prompt, and on a seed that the world's name carries.
 */
import type { Json } from './json.js';
import { type ByTurn, findScripted, type ScriptedPlace, withoutMark } from './scripted.js';

/** A call with the text that it is asked. */
export interface AskedOfPopulation extends ScriptedPlace {
  readonly prompt: string;
}

/** One rule of `population` in `schemas/answers.schema.json`. */
export interface RuleOfPopulation<Answer> {
  readonly where: { readonly key: string; readonly prompt_has?: readonly string[] };
  readonly chance?: number;
  readonly values?: Readonly<Record<string, ValueOfPopulation>>;
  readonly answer: Answer;
}

type ValueOfPopulation =
  | { readonly draw: Normal }
  | { readonly pick: readonly string[] }
  | { readonly read_after: string };

/** What stands in an answer in place of a name. */
type Filled = string | number;

interface Normal {
  readonly mean: number;
  readonly deviation: number;
  readonly minimum: number;
  readonly maximum: number;
}

/** The answer of a document to a call: the one that is written for its place, else that of its population. */
export function findAnswer<Answer>(
  {
    turns,
    population = [],
  }: { readonly turns: ByTurn<Answer>; readonly population?: readonly RuleOfPopulation<Answer>[] },
  asked: AskedOfPopulation,
): Answer | undefined {
  return findScripted(turns, asked)?.value ?? findInPopulation(population, asked);
}

/** The answer of the first rule that applies to a call. */
export function findInPopulation<Answer>(
  rules: readonly RuleOfPopulation<Answer>[],
  asked: AskedOfPopulation,
): Answer | undefined {
  const key = withoutMark(asked.key);
  for (const rule of rules) {
    if (!isMeant(rule.where, key, asked.prompt)) continue;
    // The rule is part of it, so that a rule which passes a call by says nothing of what the next one does.
    const random = (what: string): number =>
      toUniform(JSON.stringify([seedOf(asked.world_slug), asked.turn, key, rule as object, what]));
    if (rule.chance !== undefined && random('chance') >= rule.chance) continue;
    const values = toValues(rule.values ?? {}, asked.prompt, random);
    if (values === undefined) continue;
    const known = new Map<string, Filled>([...values, ['subject', key.split('/')[0] ?? ''], ['turn', asked.turn]]);
    return fillIn(rule.answer as Json, known) as Answer;
  }
  return undefined;
}

/** The text that a model is asked, or the request of another source as JSON. */
export function promptOf(request: Json): string {
  const { messages } = Object(request) as { readonly messages?: Json };
  if (!Array.isArray(messages)) return JSON.stringify(request);
  return messages.map((message) => textOf((Object(message) as { readonly content?: Json }).content)).join('\n');
}

function textOf(content: Json | undefined): string {
  return typeof content === 'string' ? content : JSON.stringify(content ?? '');
}

/** `7` of `trial-s7`, so that worlds of one seed draw alike; else the whole name. */
export function seedOf(world_slug: string): string {
  return /-s(\d+)$/.exec(world_slug)?.[1] ?? world_slug;
}

function isMeant(
  { key: pattern, prompt_has = [] }: RuleOfPopulation<unknown>['where'],
  key: string,
  prompt: string,
): boolean {
  const [wanted, parts] = [pattern.split('/'), key.split('/')];
  const isKey = wanted.length === parts.length && wanted.every((part, index) => part === '*' || part === parts[index]);
  return isKey && prompt_has.every((text) => prompt.includes(text));
}

/** @returns undefined where a text that is to be read is not there */
function toValues(
  wanted: Readonly<Record<string, ValueOfPopulation>>,
  prompt: string,
  random: (what: string) => number,
): readonly (readonly [string, Filled])[] | undefined {
  const values: (readonly [string, Filled])[] = [];
  for (const [name, value] of Object.entries(wanted)) {
    const found = toValue(value, prompt, (part) => random(`${name} ${part}`));
    if (found === undefined) return undefined;
    values.push([name, found]);
  }
  return values;
}

function toValue(value: ValueOfPopulation, prompt: string, random: (part: string) => number): Filled | undefined {
  if ('draw' in value) return draw(value.draw, random('radius'), random('angle'));
  if ('pick' in value) return value.pick[Math.floor(random('place') * value.pick.length)];
  return readAfter(value.read_after, prompt);
}

/** Box and Muller: two uniform numbers make a normal one. */
function draw({ mean, deviation, minimum, maximum }: Normal, radius: number, angle: number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - radius)) * Math.cos(2 * Math.PI * angle);
  return Math.min(maximum, Math.max(minimum, Math.round(mean + deviation * normal)));
}

function readAfter(text: string, prompt: string): number | undefined {
  const at = prompt.lastIndexOf(text);
  if (at === -1) return undefined;
  const [number] = /^\s*-?\d+(\.\d+)?/.exec(prompt.slice(at + text.length)) ?? [];
  return number === undefined ? undefined : Number(number);
}

function fillIn(value: Json, known: ReadonlyMap<string, Filled>): Json {
  if (typeof value === 'string') return fillText(value, known);
  if (Array.isArray(value)) return value.map((item: Json) => fillIn(item, known));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fillIn(inner, known)]));
}

/** The names that the texts of a rule's answer read, each with its place. */
export function listPlaceholders(
  value: Json,
  place: readonly string[] = [],
): readonly { readonly name: string; readonly place: readonly string[] }[] {
  if (typeof value === 'string') return [...value.matchAll(PLACEHOLDER)].map(([, name = '']) => ({ name, place }));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => listPlaceholders(inner, [...place, name]));
}

const PLACEHOLDER = /\{\{([a-z][a-z0-9_]*)\}\}/g;

function fillText(text: string, known: ReadonlyMap<string, Filled>): Json {
  const [, whole] = /^\{\{([a-z][a-z0-9_]*)\}\}$/.exec(text) ?? [];
  const value = whole === undefined ? undefined : known.get(whole);
  return value ?? text.replace(PLACEHOLDER, (written, name: string) => String(known.get(name) ?? written));
}

/** A number from 0 up to 1 that looks random and is the same for the same text: cyrb53, of which all 53 bits are used. */
function toUniform(text: string): number {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (4294967296 * (2097151 & low) + (high >>> 0)) / 2 ** 53;
}
