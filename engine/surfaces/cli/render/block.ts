import type { Json } from '../../../contract/json.js';
import { EMPTY, faint, hanging, type Line, line, strong, verbatim } from './line.js';
import { parseJson } from '../../../core/content/parse-json.js';
import { cut } from '../../../catalogue/phrase.js';
import { toSafeLines } from './neutralise.js';
import { count } from '../../../catalogue/words.js';

/** A name with its value; one without a value is not shown. */
type Fact = readonly [name: string, value: string | number | null];

/** Names and values, one a line. */
export function factLines(facts: readonly Fact[]): readonly Line[] {
  const present = facts.filter(([, value]) => value !== null && value !== '');
  const width = Math.max(0, ...present.map(([name]) => name.length));
  return present.map(([name, value]) => hanging(width + 4, faint(`  ${name.padEnd(width)}  `), String(value)));
}

/** A titled text, unwrapped and complete. */
export function blockLines(title: string, text: string): readonly Line[] {
  if (text === '') return [];
  return [EMPTY, line(strong(title)), ...toSafeLines(text).map((row) => verbatim('  ', row))];
}

const QUOTED_ROWS = 20;
const QUOTED_CHARACTERS = 300;

/** A quoted text, line by line behind a bar: JSON is indented, and a cut says how much is left out. */
export function quotedLines(indent: string, text: string): readonly Line[] {
  const parsed = parseJson(text);
  const rows = toSafeLines(parsed.ok && typeof parsed.value === 'object' ? jsonText(parsed.value) : text);
  const shown = rows.slice(0, QUOTED_ROWS);
  const left = rows.length - shown.length;
  return [
    ...shown.map((row) => hanging(indent.length + 4, faint(`${indent}| `), cut(row, QUOTED_CHARACTERS))),
    ...(left === 0 ? [] : [line(faint(`${indent}| ... ${count(left, 'line')} more`))]),
  ];
}

export function jsonText(value: Json): string {
  return JSON.stringify(value, null, 2);
}

/** Prose, paragraph by paragraph. */
export function proseLines(text: string, indent: number): readonly Line[] {
  const paragraphs = text.split(/\s*\n\s*/).filter((paragraph) => paragraph !== '');
  return paragraphs.map((paragraph) => hanging(indent, ' '.repeat(indent), paragraph));
}
