import { commandOf, pathOf, pathOfTurn, type PlaceKind } from './places.js';

/**
 * The view of a record: what a person sees of it, in blocks that each surface draws in its own way. Views hold values
 * and words; widths, colours and markup are the renderers'.
 */
export interface RecordView {
  /** The kind of thing, above the title. */
  readonly eyebrow: string;
  readonly title: string;
  /** The things around it, from the widest. */
  readonly trail: readonly Link[];
  readonly lede?: Phrase;
  readonly sections: readonly ViewSection[];
}

export interface ViewSection {
  /** Names the section in links of a page. */
  readonly id: string;
  readonly title: string;
  readonly blocks: readonly Block[];
}

/** A piece of a sentence; lists are joined, and nothing is drawn for null. */
export type Phrase = string | number | Link | Marked | null | readonly Phrase[];

/** What a surface can lead to: a page by its path, a terminal by the words of a command. */
export interface Link {
  readonly path: string;
  readonly command: readonly string[];
  readonly text: string;
}

export interface Marked {
  readonly as: 'moment' | 'world_time' | 'state' | 'code' | 'strong' | 'faint';
  readonly text: string;
}

export type Block =
  | { readonly block: 'facts'; readonly facts: Readonly<Record<string, Phrase>> }
  /** A text of the world, a model or a person, as it is; where it is long, a page folds it. */
  | { readonly block: 'prose'; readonly text: string }
  | { readonly block: 'note'; readonly said: Phrase }
  | { readonly block: 'list'; readonly items: readonly (readonly Block[])[] }
  | {
      readonly block: 'table';
      readonly title: string;
      /** A column in which no row has a value is left out. */
      readonly columns: readonly string[];
      readonly rows: readonly (readonly Phrase[])[];
      readonly empty: string;
    }
  | { readonly block: 'code'; readonly text: string }
  | { readonly block: 'json'; readonly value: unknown }
  /** What replaced what; `before` is null where something was added. */
  | { readonly block: 'change'; readonly before: string | null; readonly after: string }
  /** Where more about it is. */
  | { readonly block: 'links'; readonly links: readonly Link[] }
  /** The rest of a list, by the cursor of its next part. */
  | { readonly block: 'more'; readonly next: string | null };

export const facts = (said: Readonly<Record<string, Phrase>>): Block => ({ block: 'facts', facts: said });
export const prose = (text: string): Block => ({ block: 'prose', text });
export const note = (...said: readonly Phrase[]): Block => ({ block: 'note', said });
export const list = (items: readonly (readonly Block[])[]): Block => ({ block: 'list', items });
export const json = (value: unknown): Block => ({ block: 'json', value });
export const change = (before: string | null, after: string): Block => ({ block: 'change', before, after });
export const links = (...to: readonly (Link | null)[]): Block => ({
  block: 'links',
  links: to.filter((each) => each !== null),
});
export const more = (next: string | null): Block => ({ block: 'more', next });

/** The columns of a table, in order: the title of each, and its cell in a row. */
export function table<Row>(
  title: string,
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => Phrase>>,
  empty: string,
): Block {
  const cells = rows.map((row) => Object.values(columns).map((cellOf) => cellOf(row)));
  return { block: 'table', title, columns: Object.keys(columns), rows: cells, empty };
}

export const section = (id: string, title: string, ...blocks: readonly Block[]): ViewSection => ({ id, title, blocks });

/** A link to a stored thing. */
export function linkTo(kind: PlaceKind, key: string, text = key): Link {
  return { path: pathOf(kind, key), command: commandOf(kind, key), text };
}

/** A link to a world at a turn. */
export function linkToTurn(world_slug: string, turn: number, text = String(turn)): Link {
  return { path: pathOfTurn(world_slug, turn), command: ['world', 'show', world_slug, '--turn', String(turn)], text };
}

export const moment = (text: string | null): Phrase => text && { as: 'moment', text };
export const worldTime = (text: string): Phrase => ({ as: 'world_time', text });
export const state = (text: string | null): Phrase => text && { as: 'state', text };
export const code = (text: string): Phrase => ({ as: 'code', text });
export const strong = (text: string): Phrase => ({ as: 'strong', text });
export const faint = (text: string): Phrase => ({ as: 'faint', text });
