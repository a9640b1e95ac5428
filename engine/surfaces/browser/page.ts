import type { Problem } from '../../contract/problem.js';
import type { Archive, Done } from '../../operations/engine.js';
import type { Answers } from './answers.js';
import { type Html, html, type HtmlValue } from './html.js';
import type { ParameterName } from './parameters.js';
import type { Decision } from './parts/decision.js';

/** What a reader asks of a page. */
export interface Asked {
  /** Of the path. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Who looks; some pages show operators more. */
  readonly reader: Page['access'];
}

/** One page: its route, who may look at it, and what it shows. */
export interface Page {
  readonly url: string;
  /** What it shows, in a line. */
  readonly summary: string;
  /** The kind of its value. */
  readonly answer: keyof Answers;
  /** What its query may say. */
  readonly query: readonly ParameterName[];
  /** What a person sees in place of a question that was refused, with what was written; left out, the problem alone. */
  readonly refused?: (problem: Problem, asked: Asked) => View;
  /** The least that a reader must be: whoever has the consumer's token, or the operator alone. */
  readonly access: 'consumer' | 'operator';
  read(archive: Archive, asked: Asked): Promise<Done<Shown>>;
}

/** What a page shows: the value as a program gets it, and as a person sees it. */
export interface Shown {
  readonly value: unknown;
  readonly view: () => View;
}

/** A page for a person. */
export interface View {
  readonly title: string;
  /** What kind of thing is shown, above the title. */
  readonly eyebrow: string;
  /** The way back, from the widest. */
  readonly trail: readonly Crumb[];
  readonly lede?: Html;
  readonly sections: readonly Section[];
  /** The path of the events by which the page grows, as long as more can happen. */
  readonly events?: string;
  /** It shows how a model spoke, which a script can play. */
  readonly has_pace?: boolean;
  /** What an operator may decide here; each waits for nobody unless `is_waiting`. */
  readonly decisions?: readonly Decision[];
  /** Somebody has to decide before anything goes on. */
  readonly is_waiting?: boolean;
}

export interface Crumb {
  readonly path: string;
  readonly text: string;
}

export interface Section {
  /** Names the section in links of the page. */
  readonly id: string;
  readonly title: string;
  /** It tells of other worlds or of operators, and stays behind when the page is handed to somebody else. */
  readonly tells_of_others?: true;
  readonly body: Html;
}

/** A column of a list. */
export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => HtmlValue;
  /** Numbers stand to the right. */
  readonly is_number?: boolean;
  /** Sentences have room, and take several lines. */
  readonly is_text?: boolean;
}

/** The catalogue's entry of a page with one thing on it. */
export interface ItemEntry<Kind extends keyof Answers> extends Pick<Page, 'url' | 'access' | 'summary' | 'refused'> {
  readonly answer: Kind;
  readonly query?: Page['query'];
  readonly read: (archive: Archive, asked: Asked) => Promise<Done<Answers[Kind]>>;
  readonly view: (value: Answers[Kind], asked: Asked) => View;
}

/** A page with one thing on it. */
export function itemPage<Kind extends keyof Answers>({ read, view, ...entry }: ItemEntry<Kind>): Page {
  return {
    query: [],
    ...entry,
    async read(archive, asked) {
      const found = await read(archive, asked);
      if (!found.ok) return found;
      return { ok: true, value: { value: found.value, view: () => view(found.value, asked) } };
    },
  };
}

/** A section, unless there is nothing to show in it. */
export function sectionUnless(isEmpty: boolean, section: () => Section): readonly Section[] {
  return isEmpty ? [] : [section()];
}

/** A sentence in place of a list that has no rows. */
export function emptyState(sentence: string, command?: string): Html {
  return html`<p class="empty">${sentence}${command === undefined ? undefined : html` <code>${command}</code>`}</p>`;
}
