import type { Json } from '../contract/json.js';
import { isList } from '../core/content/json-pointer.js';

/** Words that would be taken for something other than a string. */
const TAKEN = new Set(['true', 'false', 'null', 'nothing']);

/** A JSON value of any shape in a few words: `temperature_f 64 · condition windy`, `announcements nothing`. */
export function toPhrase(value: Json, charactersMax = 400): string {
  return cut(phrase(value), charactersMax);
}

/** A JSON value as arguments are written: `{button: C, size: 2}`. */
export function toArguments(value: Json, charactersMax = 200): string {
  return cut(braces(value), charactersMax);
}

/** A string in quotation marks, with what is special in it escaped. */
export function quote(text: string, charactersMax = 2000): string {
  return JSON.stringify(cut(text, charactersMax));
}

export const REASON_LENGTH_MAX = 400;

/** The first line of the reason; the record has all that the model was shown, such as a roster. */
export function toReason(message: string): string {
  const [first = ''] = message.split('\n');
  return cut(first.replace(/(?<=\.) [^.]*:$/, ''), REASON_LENGTH_MAX);
}

/** A text of at most so many characters, and how many more there are. */
export function cut(text: string, charactersMax: number): string {
  const characters = Array.from(text);
  if (characters.length <= charactersMax) return text;
  return `${characters.slice(0, charactersMax).join('')}… (${characters.length - charactersMax} more characters)`;
}

function phrase(value: Json): string {
  if (typeof value !== 'object' || value === null) return scalar(value);
  if (isList(value)) return value.length === 0 ? 'nothing' : value.map(nested).join(', ');
  const members = Object.entries(value);
  return members.length === 0 ? 'nothing' : members.map(([name, member]) => `${name} ${nested(member)}`).join(' · ');
}

function nested(value: Json): string {
  const isPlain = typeof value !== 'object' || value === null || isList(value);
  return isPlain ? phrase(value) : `(${phrase(value)})`;
}

function braces(value: Json): string {
  if (typeof value !== 'object' || value === null) return scalar(value);
  if (isList(value)) return `[${value.map(braces).join(', ')}]`;
  const members = Object.entries(value).map(([name, member]) => `${name}: ${braces(member)}`);
  return `{${members.join(', ')}}`;
}

function scalar(value: null | boolean | number | string): string {
  return typeof value === 'string' ? word(value) : String(value);
}

/** A single word is bare, every other string is between quotation marks. */
function word(text: string): string {
  const isBare = /^[\p{L}\p{N}_.:@/+-]+$/u.test(text) && !TAKEN.has(text) && !/^[\d.+-]+$/.test(text);
  return isBare ? text : JSON.stringify(text);
}
