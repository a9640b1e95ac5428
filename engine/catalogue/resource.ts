import type { Outcome } from '../contract/problem.js';
import { type PartReader, readPart } from '../operations/browse/list-part.js';
import type { Archive } from '../operations/engine.js';
import type { Answers } from './answers.js';
import type { ParameterName } from './parameters.js';
import type { Block, Columns, Link, Phrase, RecordView } from './view.js';
import { linkTo, linkToTurn, more, section, table, trailToWorld } from './view.js';

/** What a reader asks of a resource: the keys that its path names, the values of its query, and the reader's role. */
export interface Asked {
  readonly parameters: Readonly<Record<ParameterName, string>>;
  readonly query: Readonly<Partial<Record<ParameterName, string>>>;
  readonly reader: 'consumer' | 'operator';
}

/**
 * One kind of thing that people and programs look at: its page, JSON, command and tool follow from it. A path names its
 * keys in the order in which the command takes them.
 */
export interface Resource<Kind extends keyof Answers = keyof Answers> {
  /** What programs call it by; left out where another resource serves them. */
  readonly name?: string;
  /** Where its page is. */
  readonly path: string;
  /** The words of its command; left out where it has none, or one of its own. */
  readonly command?: string;
  readonly says: string;
  /** The least right that a reader needs; an operator's where it is left out of a declaration. */
  readonly reader: 'consumer' | 'operator';
  /** The schema of its JSON. */
  readonly gives: Kind;
  /** The parameters that it takes beside its keys. */
  readonly takes: readonly ParameterName[];
  /** What its command's help says of each section that it shows on request alone, by the section's id. */
  readonly extras?: Readonly<Record<string, string>>;
  read(archive: Archive, asked: Asked): Promise<Outcome<Answers[Kind]>>;
  /** The form of its page, which stays where the question is refused: the label of each parameter. */
  readonly asks?: Pick<RecordView, 'title' | 'eyebrow' | 'trail'> & {
    readonly fields: Readonly<Partial<Record<ParameterName, string>>>;
  };
  /** What people see of it. */
  view(value: Answers[Kind], asked: Asked): RecordView;
}

/** A resource that takes nothing beside its keys need not say so, nor one that is for operators. */
type Declaration<Kind extends keyof Answers> = Omit<Resource<Kind>, 'takes' | 'reader'> &
  Partial<Pick<Resource<Kind>, 'takes' | 'reader'>>;

/** Declares a resource; the types of what it reads and draws follow from what it gives. */
export function resource<Kind extends keyof Answers>(declared: Declaration<Kind>): Resource<Kind> {
  return { takes: [], reader: 'operator', ...declared };
}

/** The answers that are parts of a list. */
type ListKind = {
  [Kind in keyof Answers]: Answers[Kind] extends { readonly rows: readonly unknown[]; readonly next: string | null }
    ? Kind
    : never;
}[keyof Answers];

export type Row<Kind extends ListKind> = Answers[Kind]['rows'][number];

/** A list: how its parts are read, and what people see of it. */
export interface ListDeclaration<Kind extends ListKind> extends Omit<Declaration<Kind>, 'read' | 'view'> {
  readonly cursor: PartReader<Row<Kind>>['cursor'];
  readonly keyOf: PartReader<Row<Kind>>['keyOf'];
  readonly read: (
    archive: Archive,
    asked: Asked,
    part: Parameters<PartReader<Row<Kind>>['read']>[0],
  ) => ReturnType<PartReader<Row<Kind>>['read']>;
  readonly title: string | ((asked: Asked) => string);
  readonly eyebrow?: string;
  /** The order of its rows, in words. */
  readonly order: string;
  readonly columns?: Columns<Row<Kind>> | ((asked: Asked) => Columns<Row<Kind>>);
  /** Draws the rows of a list that is no table. */
  readonly draw?: (rows: readonly Row<Kind>[]) => Block;
  readonly empty: Phrase;
}

/** Declares a list, which is read in parts. */
export function listResource<Kind extends ListKind>(declared: ListDeclaration<Kind>): Resource<Kind> {
  const { cursor, keyOf, read, takes = [], title: said, eyebrow = 'List', order, ...others } = declared;
  const { columns = {}, draw, empty, ...resource } = others;
  return {
    reader: 'operator',
    ...resource,
    takes: [...takes, 'limit', 'after'],
    view({ rows, next }, asked) {
      const title = typeof said === 'function' ? said(asked) : said;
      const isPart = Object.keys(asked.query).some((name) => !['limit', 'format'].includes(name));
      const none = isPart ? 'Nothing here, or nothing more.' : empty;
      const shown = typeof columns === 'function' ? columns(asked) : columns;
      const drawn = draw && rows.length > 0 ? draw(rows) : table<Row<Kind>>(rows, shown, none, title);
      return { title, eyebrow, trail: trailAbove(asked), sections: [section('rows', order, drawn, more(next))] };
    },
    async read(archive, asked) {
      const part = await readPart<Row<Kind>>(asked.query, {
        cursor,
        keyOf,
        read: (wanted) => read(archive, asked, wanted),
      });
      return part as Outcome<Answers[Kind]>;
    },
  };
}

/** The trail to a list of what a world, a turn or an attempt has, which its path names. */
function trailAbove({ parameters: { world_slug, turn, attempt_id } }: Asked): readonly Link[] {
  const world = world_slug && trailToWorld(world_slug);
  const of_turn = turn && linkToTurn(world_slug, Number(turn), `turn ${turn}`);
  const attempt = attempt_id && linkTo('attempt', attempt_id, 'the attempt');
  return [...(world || []), of_turn, attempt].filter((link) => typeof link === 'object');
}

/** The names of the keys in a path, in order. */
export function keysOf(path: string): readonly ParameterName[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as ParameterName);
}

/** A path with the values of its keys; nothing stands for a key that has none. */
export function fillPath(path: string, values: Readonly<Record<string, unknown>>): string {
  return path.replaceAll(/:(\w+)/g, (_, key: string) => {
    const value = values[key];
    return typeof value === 'string' ? encodeURIComponent(value) : '';
  });
}

/** The values of the keys in a path; undefined for a path that is none of this pattern. */
export function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const found = toExpression(pattern).exec(path);
  try {
    const keys = Object.entries(found?.groups ?? {}).map(([name, text]) => [name, decodeURIComponent(text)]);
    return found === null ? undefined : Object.fromEntries(keys);
  } catch {
    return undefined;
  }
}

const EXPRESSIONS = new Map<string, RegExp>();

function toExpression(pattern: string): RegExp {
  const known = EXPRESSIONS.get(pattern) ?? new RegExp(`^${pattern.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
  EXPRESSIONS.set(pattern, known);
  return known;
}
