import type { Json } from '../../../contract/json.js';
import { EMPTY, faint, hanging, type Line, line, strong, verbatim } from './line.js';
import { toSafeLines } from './neutralise.js';

/** A name with its value; one without a value is not shown. */
export type Fact = readonly [name: string, value: string | number | null];

/** Names and values, one a line. */
export function factLines(facts: readonly Fact[]): readonly Line[] {
  const present = facts.filter(([, value]) => value !== null && value !== '');
  const width = Math.max(0, ...present.map(([name]) => name.length));
  return present.map(([name, value]) => hanging(width + 4, faint(`  ${name.padEnd(width)}  `), String(value)));
}

/** A titled text as it stands, nothing broken and nothing left out. */
export function blockLines(title: string, text: string): readonly Line[] {
  if (text === '') return [];
  return [EMPTY, line(strong(title)), ...toSafeLines(text).map((row) => verbatim('  ', row))];
}

export function jsonText(value: Json): string {
  return JSON.stringify(value, null, 2);
}
