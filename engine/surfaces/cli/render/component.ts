import type { ComponentKind } from '../../../core/protocol/component.js';
import type { KindCount, UsesOfComponent } from '../../../operations/components.js';
import type { ComponentRecord, ComponentSummary, StoredComponent } from '../../../ports/components.js';
import { jsonText } from './block.js';
import { command, EMPTY, faint, type Line, line, type Lines, type Span, strong, verbatim } from './line.js';
import { toSafeLines } from './neutralise.js';
import { tableLines } from './table.js';
import { count, toMoment } from '../../../catalogue/words.js';

const KIND_WIDTH = 18;

/** A document for people: a prompt as its text, any other written out over lines, so its bytes are not those that were hashed. */
export function componentLines({ kind, hash, content }: ComponentRecord): Lines {
  const text = typeof content['text'] === 'string' && kind === 'prompt_text' ? content['text'] : jsonText(content);
  return [verbatim(strong(kind), `  ${hash}`), toSafeLines(text).map((row) => verbatim(row))];
}

export function componentListLines(kind: ComponentKind, components: readonly StoredComponent[]): Lines {
  if (components.length === 0) return [line(`No ${kind} is stored. Store some: `, command('put', 'PATH'))];
  const table = tableLines(components, {
    hash: ({ hash }) => hash,
    label: ({ label }) => label,
    stored: ({ created_at }) => toMoment(created_at),
  });
  return [table, line(faint(count(components.length, 'document')))];
}

export function kindCountLines(counts: readonly KindCount[]): Lines {
  return tableLines(counts, { count: ({ count: number }) => number, kind: ({ kind }) => kind });
}

/** A document between those that it names and those that name it. */
export function usesLines({ refers_to, used_by, worlds, ...component }: UsesOfComponent): Lines {
  return [
    summaryLine(component, strong(component.kind)),
    sectionLines('names', refers_to),
    sectionLines('is named by', used_by),
    worlds.length > 0 && [
      EMPTY,
      line(strong(count(worlds.length, 'world'))),
      worlds.map((slug) => verbatim(`  ${slug}`)),
    ],
  ];
}

function sectionLines(title: string, components: readonly ComponentSummary[]): Lines {
  if (components.length === 0) return [EMPTY, line(strong(title), '  nothing')];
  return [
    EMPTY,
    line(strong(title), `  ${count(components.length, 'document')}`),
    components.map((component) => summaryLine(component, { text: `  ${component.kind.padEnd(KIND_WIDTH)}` })),
  ];
}

function summaryLine({ hash, label }: ComponentSummary, beginning: Span): Line {
  return verbatim(beginning, `  ${hash}`, ...(label === null ? [] : [`  ${label}`]));
}
