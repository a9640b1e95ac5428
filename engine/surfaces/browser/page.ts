import { type Outcome, type Problem, succeed } from '../../contract/problem.js';
import type { Archive } from '../../operations/engine.js';
import type { Answers } from '../../catalogue/answers.js';
import { type Html, html, NOTHING } from './html.js';
import type { ParameterName } from '../../catalogue/parameters.js';
import type { Decision } from './parts/decision.js';
import { type PartReader, readPart } from '../../operations/browse/list-part.js';
import { type Columns, table } from './parts/table.js';

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
  read(archive: Archive, asked: Asked): Promise<Outcome<Shown>>;
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
interface ItemEntry<Kind extends keyof Answers> extends Pick<Page, 'url' | 'access' | 'summary' | 'refused'> {
  readonly answer: Kind;
  readonly query?: Page['query'];
  readonly read: (archive: Archive, asked: Asked) => Promise<Outcome<Answers[Kind]>>;
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

/** The answers that are parts of a list. */
type ListKind = {
  [Kind in keyof Answers]: Answers[Kind] extends { readonly rows: readonly unknown[]; readonly next: string | null }
    ? Kind
    : never;
}[keyof Answers];

type Row<Kind extends ListKind> = Answers[Kind]['rows'][number];

/** The catalogue's entry of a page with one list. */
interface ListEntry<Kind extends ListKind> extends Pick<Page, 'url' | 'access' | 'summary'> {
  readonly answer: Kind;
  /** Its query parameters beside the limit and the cursor. */
  readonly query?: Page['query'];
  readonly cursor: PartReader<Row<Kind>>['cursor'];
  readonly keyOf: PartReader<Row<Kind>>['keyOf'];
  readonly read: (
    archive: Archive,
    asked: Asked,
    part: Parameters<PartReader<Row<Kind>>['read']>[0],
  ) => ReturnType<PartReader<Row<Kind>>['read']>;
  /** Without more it is a list, and nothing is above it. */
  readonly about: (asked: Asked) => Pick<View, 'title'> & Partial<View>;
  /** The sort order of the rows, above the table. */
  readonly order: string;
  readonly columns: Columns<Row<Kind>>;
  readonly empty: Html;
}

/** A page with one list, which is read in parts. */
export function listPage<Kind extends ListKind>(entry: ListEntry<Kind>): Page {
  const { url, access, summary, answer, query = [], cursor, keyOf, read, about, order, columns, empty } = entry;
  return itemPage({
    url,
    access,
    summary,
    answer,
    query: [...query, 'limit', 'after'],
    read: async (archive, asked) => {
      const part = await readPart<Row<Kind>>(asked.query, {
        cursor,
        keyOf,
        read: (wanted) => read(archive, asked, wanted),
      });
      return part as Awaited<ReturnType<Parameters<typeof itemPage<Kind>>[0]['read']>>;
    },
    view: ({ rows, next }, asked): View => {
      const head = { eyebrow: 'List', trail: [], ...about(asked) };
      const isPart = Object.keys(asked.query).some((name) => !['limit', 'format'].includes(name));
      const none = isPart ? emptyState('Nothing here, or nothing more.') : empty;
      const body = html`${table<Row<Kind>>(head.title, columns, rows, none)}${nextPart(next, asked)}`;
      return { ...head, sections: [{ id: 'rows', title: order, body }] };
    },
  });
}

/** A link to the next part of a list, with the same query otherwise. */
export function nextPart(next: string | null, { query }: Asked): Html {
  if (next === null) return NOTHING;
  const kept = new URLSearchParams({ ...query, after: next });
  kept.delete('format');
  return html`<p class="more"><a href="?${kept.toString()}">More</a></p>`;
}
