import type { KindCount } from '../../../operations/authoring/components.js';
import type { ComponentRecord } from '../../../ports/components.js';
import { jsonText } from './block.js';
import { type Lines, strong, verbatim } from './line.js';
import { toSafeLines } from './neutralise.js';
import { tableLines } from './table.js';

/** A document for people: a prompt as its text, any other written out over lines, so its bytes are not those that were hashed. */
export function componentLines({ kind, hash, content }: ComponentRecord): Lines {
  const text = typeof content['text'] === 'string' && kind === 'prompt_text' ? content['text'] : jsonText(content);
  return [verbatim(strong(kind), `  ${hash}`), toSafeLines(text).map((row) => verbatim(row))];
}

export function kindCountLines(counts: readonly KindCount[]): Lines {
  return tableLines(counts, { count: ({ count: number }) => number, kind: ({ kind }) => kind });
}
