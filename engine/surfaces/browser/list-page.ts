import { type PartReader, readPart } from '../../operations/browse/list-part.js';
import type { Archive } from '../../operations/engine.js';
import type { Answers } from './answers.js';
import { type Html, html, NOTHING } from './html.js';
import { type Asked, itemPage, type Page, type View } from './page.js';
import { type Columns, table } from './parts/table.js';

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
      const body = html`${table<Row<Kind>>(head.title, columns, rows, empty)}${nextPart(next, asked)}`;
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
