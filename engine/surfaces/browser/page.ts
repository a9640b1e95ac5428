import type { Problem } from '../../contract/problem.js';
import { type Archive, type Done, succeed } from '../../operations/engine.js';
import type { Answers } from './answers.js';
import { type Html, html } from './html.js';
import type { ParameterName } from './parameters.js';
import type { Decision } from './parts/decision.js';

export interface Asked {
  /** Those that the URL of its page names. */
  readonly parameters: Readonly<Record<ParameterName, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** The reader's role; some pages show operators more. */
  readonly reader: Page['access'];
}

/** One page: its route, its readers and its content. */
export interface Page {
  readonly url: string;
  readonly summary: string;
  readonly answer: keyof Answers;
  readonly query: readonly ParameterName[];
  /** The view in place of a refused request, with the person's text; left out, the problem alone. */
  readonly refused?: (problem: Problem, asked: Asked) => View;
  /** The least right that a reader needs: the consumer's token, or the operator's. */
  readonly access: 'consumer' | 'operator';
  read(archive: Archive, asked: Asked): Promise<Done<Shown>>;
}

/** The content of a page: the value as JSON, and the view for people. */
export interface Shown {
  readonly value: unknown;
  readonly view: () => View;
}

/** A page for a person. */
export interface View {
  readonly title: string;
  /** The kind of thing, above the title. */
  readonly eyebrow: string;
  /** The breadcrumbs, from the widest. */
  readonly trail: readonly Crumb[];
  readonly lede?: Html;
  readonly sections: readonly Section[];
  /** The path of the events that update the page; absent where it can no longer change. */
  readonly events?: string;
  /** Whether it shows chunks, which the pace script can replay. */
  readonly has_pace?: boolean;
  /** The decisions that an operator may take here; nothing waits for one unless it is `is_waiting`. */
  readonly decisions?: readonly Decision[];
  /** Something waits for this decision. */
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
  /** Whether it is about other worlds or operators; exported files leave it out. */
  readonly is_about_others?: true;
  /** A section without one is left out. */
  readonly body: Html | false | undefined;
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
      return succeed({ value: found.value, view: () => withoutEmpty(view(found.value, asked)) });
    },
  };
}

function withoutEmpty(view: View): View {
  return { ...view, sections: view.sections.filter(({ body }) => body) };
}

/** A sentence in place of a list that has no rows. */
export function emptyState(sentence: string, command?: string): Html {
  return html`<p class="empty">${sentence}${command === undefined ? undefined : html` <code>${command}</code>`}</p>`;
}
