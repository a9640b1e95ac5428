import type { Block, Link, Marked, Phrase, RecordView, ViewSection } from '../../../catalogue/view.js';
import { toPhrase } from '../../../catalogue/phrase.js';
import { costFacts, count, shortHash, toDuration, toMinute, toMoment } from '../../../catalogue/words.js';
import type { Cost } from '../../../core/cost/cost.js';
import type { LlmCallRecord } from '../../../ports/records.js';
import { jsonText, proseLines, quotedLines } from './block.js';
import {
  accent,
  advice,
  bad,
  command,
  commandLines,
  EMPTY,
  faint,
  good,
  hanging,
  line,
  type Lines,
  listLines,
  type Span,
  strong,
  unbroken,
  verbatim,
} from './line.js';
import { toSafeLines } from './neutralise.js';
import { tableLines } from './table.js';

/** A declared view, as lines for a terminal. @param wanted the ids of sections that are shown on request alone */
export function viewLines({ eyebrow, title, lede, status, sections }: RecordView, ...wanted: readonly string[]): Lines {
  return [
    verbatim(strong(title), '  ', faint(eyebrow.toLowerCase())),
    [lede, status].map((said) => said !== undefined && hanging(2, ...toSpans(said))),
    sectionLines(sections, ...wanted),
  ];
}

/** The facts, then the other sections. */
function sectionLines(sections: readonly ViewSection[], ...wanted: readonly string[]): Lines {
  const shown = sections
    .filter(({ id, is_extra }) => is_extra !== true || wanted.includes(id))
    .map((section) => ({ ...section, lines: section.blocks.map((block) => blockLines(block, 2)) }))
    .filter(({ lines }) => listLines(lines).length > 0);
  const first = shown.filter(({ id }) => id === 'facts');
  const rest = shown.filter(({ id, is_outcome }) => id !== 'facts' && is_outcome !== true);
  const last = shown.filter(({ is_outcome }) => is_outcome === true);
  return [
    first.map(({ lines }) => lines),
    [...rest, ...last].map(({ title, lines }) => [EMPTY, line(strong(title)), lines]),
  ];
}

export function blockLines(block: Block, indent = 2): Lines {
  const margin = ' '.repeat(indent);
  switch (block.block) {
    case 'facts':
      return factLines(block.facts, margin);
    case 'prose':
      return proseLines(block.text, indent);
    case 'note':
      return hanging(indent + 4, margin, ...toSpans(block.said));
    case 'list':
      return listOf(block, indent);
    case 'table':
      return rowsOf(block, margin);
    case 'code':
    case 'prompt':
      return toSafeLines(block.text).map((row) => verbatim(margin, row));
    case 'json':
      return toSafeLines(jsonText(block.value)).map((row) => verbatim(margin, row));
    case 'value': {
      const said = typeof block.value === 'string' ? block.value : toPhrase(block.value);
      return hanging(indent + 2, margin, strong(block.of), ': ', said);
    }
    case 'quote':
      return [line(faint(`${margin}${block.of}`)), quotedLines(`${margin}  `, block.text)];
    case 'conversation':
      return block.messages.map((message, at) => [at > 0 && EMPTY, messageLines(message)]);
    case 'change':
      return changeLines(block, margin);
    case 'links':
      return linksLine(block, margin);
    case 'folded':
      return summed(
        faint(`${margin}${block.summary}`),
        block.blocks.map((inner) => blockLines(inner, indent)),
      );
    case 'picture':
      return block.alternative.map((inner) => blockLines(inner, indent));
    case 'commands':
      return [
        hanging(indent + 2, margin, block.says),
        commandLines(
          `${margin}  `,
          block.commands.map(([words, why]) => [command(...words), why]),
        ),
      ];
    case 'question':
      return false;
    case 'more':
      return block.next !== null && line(faint(`${margin}More: --after ${block.next}`));
  }
}

type Of<Kind extends Block['block']> = Extract<Block, { readonly block: Kind }>;

function listOf(block: Of<'list'>, indent: number): Lines {
  const isLong = block.items.some((item) => item.length > 2);
  return block.items.map((item, at) => [
    at > 0 && isLong && EMPTY,
    item.map((inner, index) => blockLines(inner, index === 0 ? indent : indent + 2)),
  ]);
}

function rowsOf(block: Of<'table'>, margin: string): Lines {
  if (block.rows.length === 0)
    return block.empty !== null && hanging(margin.length + 2, margin, ...toSpans(block.empty));
  return tableLines(
    block.rows,
    Object.fromEntries(
      block.columns.map((name, at) => [name, (row: readonly Phrase[]) => toCell(row[at] ?? null, name)]),
    ),
  );
}

function linksLine(block: Of<'links'>, margin: string): Lines {
  const [only, ...others] = block.links.map(({ command: words }) => words);
  if (only !== undefined && others.length === 0) return verbatim(margin, command(...only));
  return line(faint(`${margin}${block.links.map(({ command: words }) => words.join(' ')).join(' · ')}`));
}

function changeLines({ of = '', before, after }: Of<'change'>, margin: string): Lines {
  const sides = [
    ...(before === null ? [] : [['-', before]]),
    ...(after === null ? [] : [[before === null ? '+' : '>', after]]),
  ];
  const lead = of === '' ? '' : `${of.padEnd(8)} `;
  return sides.map(([sign, text = ''], at) => {
    const start = `${margin}${at === 0 ? lead : ' '.repeat(lead.length)}${sign} `;
    return hanging(start.length, faint(start), text);
  });
}

/** Lines below their summary; nothing where there are none. */
function summed(summary: Span, lines: Lines): Lines {
  return listLines(lines).length > 0 && [hanging(summary.text.length, summary), lines];
}

/** Names and values, one a line; one without a value is not shown. */
function factLines(facts: Readonly<Record<string, Phrase>>, margin: string): Lines {
  const shown = Object.entries(facts).filter(([, said]) => toText(said) !== '');
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown.map(([name, said]) =>
    hanging(margin.length + width + 2, faint(`${margin}${name.padEnd(width)}  `), ...toSpans(said)),
  );
}

type Message = LlmCallRecord['messages'][number];

/** The author's text is plain; text that filled a placeholder is emphasised. */
function messageLines({ role, content, segments, is_new, ...from }: Message): Lines {
  const sizes = new Map<string, number>();
  for (const { origin, characters } of segments) sizes.set(origin, (sizes.get(origin) ?? 0) + characters);
  const origins = [...sizes].map(([origin, characters]) => `${origin} ${characters}`).join(' · ');
  const rows: Span[][] = [[]];
  let start = 0;
  for (const { origin, characters } of segments) {
    const [first = '', ...others] = toSafeLines(content.slice(start, start + characters));
    const toned = (text: string): Span => (origin === 'author' ? { text } : accent(text));
    rows.at(-1)?.push(toned(first));
    rows.push(...others.map((text) => [toned(text)]));
    start += characters;
  }
  return [
    line('  ', strong(role), faint(`  ${is_new ? 'new, ' : ''}${count(content.length, 'character')}: ${origins}`)),
    from.llm_call_id !== null && verbatim(faint(`  from llm-call ${from.llm_call_id}`)),
    from.source_invocation_id !== null && verbatim(faint(`  from invocation ${from.source_invocation_id}`)),
    rows.map((spans) => verbatim(faint('  | '), ...spans)),
  ];
}

function toSpans(said: Phrase): readonly Span[] {
  if (said === null) return [];
  if (typeof said !== 'object') return [{ text: String(said) }];
  if (Array.isArray(said)) return (said as readonly Phrase[]).flatMap(toSpans);
  // The question of a page is answered by commands.
  if ('path' in said) return said.label === undefined ? [{ text: toLinkText(said) }] : [];
  return toMarked(said as Marked);
}

/** A link says what to type: an id as it is, a hash by its beginning, and for what has another name the command, too. */
function toLinkText({ key, text, command: words }: Link): string {
  const isHash = key !== undefined && /^[0-9a-f]{64}$/.test(key);
  if (isHash) return text === key ? shortHash(key) : `${text} (${shortHash(key)})`;
  return key !== undefined && key !== text && /^[0-9a-f-]{36}$/.test(key) ? unbroken(words.join(' ')) : text;
}

function toMarked({ as, text, of = text }: Marked): readonly Span[] {
  switch (as) {
    case 'moment':
    case 'world_time':
      return [{ text: toMoment(text) }];
    case 'state':
      return [{ ...toState(of), text }];
    case 'strong':
    case 'match':
      return [strong(text)];
    case 'faint':
      return [faint(text)];
    case 'failure': {
      const [, name = '', why = text] = /^([\w, ]+)(:[^]*)$/.exec(text) ?? [];
      return [bad(name), ...advice({ text: why })];
    }
    case 'code':
    case 'why':
      return [{ text }];
    case 'so_far':
      return [{ text: toDuration(Number(text)) }];
  }
}

/** What was used and what it cost, as facts; nothing where no model was asked. */
export function costLines({ cost }: { readonly cost: Cost }): Lines {
  const said = Object.values(costFacts(cost)).filter((fact) => fact !== null);
  return said.map((fact, at) => hanging(2, faint(at === 0 ? 'tokens ' : 'cost '), fact));
}

/** The state of something, in its colour. */
export function toState(text: string): Span {
  if (['committed', 'succeeded', 'success'].includes(text)) return good(text);
  return ['failed', 'interrupted', 'timed_out'].includes(text) ? bad(text) : { text };
}

function toText(said: Phrase): string {
  return toSpans(said)
    .map(({ text }) => text)
    .join('');
}

/** A moment in a column that names UTC is shown to the minute; a link by its text, or by its key where that says as much as its column. */
function toCell(said: Phrase, column: string): string | number | null {
  if (said === null || typeof said === 'number') return said;
  if (typeof said === 'object' && 'path' in said) return said.text === column ? (said.key ?? said.text) : said.text;
  const isMoment = typeof said === 'object' && 'as' in said && ['moment', 'world_time'].includes(said.as);
  return isMoment && column.endsWith('(UTC)') ? toMinute(said.text) : toText(said);
}
