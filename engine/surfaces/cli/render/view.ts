import type { Block, Marked, Phrase, RecordView } from '../../../catalogue/view.js';
import type { Json } from '../../../contract/json.js';
import { factLines, jsonText, proseLines } from './block.js';
import { EMPTY, faint, good, hanging, line, type Lines, type Span, strong, verbatim } from './line.js';
import { toSafeLines } from './neutralise.js';
import { tableLines } from './table.js';
import { toMoment } from './words.js';

/** A declared view, as lines for a terminal. */
export function viewLines({ eyebrow, title, lede, sections }: RecordView): Lines {
  return [
    verbatim(strong(title), '  ', faint(eyebrow.toLowerCase())),
    lede !== undefined && hanging(0, ...toSpans(lede)),
    sections
      .filter(({ blocks }) => blocks.length > 0)
      .map(({ title: heading, blocks }) => [EMPTY, line(strong(heading)), blocks.map((block) => blockLines(block, 2))]),
  ];
}

function blockLines(block: Block, indent: number): Lines {
  const margin = ' '.repeat(indent);
  switch (block.block) {
    case 'facts':
      return factLines(Object.entries(block.facts).map(([name, said]) => [name, toText(said)]));
    case 'prose':
      return proseLines(block.text, indent);
    case 'note':
      return hanging(indent + 2, margin, ...toSpans(block.said));
    case 'list':
      return block.items.map((item, at) => [
        at > 0 && EMPTY,
        item.map((inner, index) => blockLines(inner, index === 0 ? indent : indent + 2)),
      ]);
    case 'table':
      if (block.rows.length === 0) return line(`${margin}${block.empty}`);
      return tableLines(
        block.rows,
        Object.fromEntries(
          block.columns.map((name, at) => [name, (row: readonly Phrase[]) => toText(row[at] ?? null)]),
        ),
      );
    case 'code':
      return toSafeLines(block.text).map((row) => verbatim(margin, row));
    case 'json':
      return toSafeLines(jsonText(block.value as Json)).map((row) => verbatim(margin, row));
    case 'change':
      return [
        block.before !== null && hanging(indent + 2, faint(`${margin}- `), block.before),
        hanging(indent + 2, faint(`${margin}${block.before === null ? '+' : '>'} `), block.after),
      ];
    case 'links':
      return line(faint(`${margin}${block.links.map(({ command: words }) => words.join(' ')).join(' · ')}`));
    case 'more':
      return block.next !== null && line(faint(`${margin}More: --after ${block.next}`));
  }
}

function toSpans(said: Phrase): readonly Span[] {
  if (said === null) return [];
  if (typeof said !== 'object') return [{ text: String(said) }];
  if (Array.isArray(said)) return (said as readonly Phrase[]).flatMap(toSpans);
  return 'path' in said ? [{ text: said.text }] : [toMarked(said as Marked)];
}

function toMarked({ as, text }: Marked): Span {
  switch (as) {
    case 'moment':
    case 'world_time':
      return { text: toMoment(text) };
    case 'state':
      return text === 'failed' ? { text, tone: 'bad' } : good(text);
    case 'strong':
      return strong(text);
    case 'faint':
      return faint(text);
    case 'code':
      return { text };
  }
}

function toText(said: Phrase): string | number | null {
  if (said === null || typeof said === 'number') return said;
  return toSpans(said)
    .map(({ text }) => text)
    .join('');
}
