import type { Json } from '../contract/json.js';
import { present } from '../contract/present.js';
import { stateOf } from '../core/protocol/work-state.js';
import type { CognitionWorkflow } from '../generated/workflow.js';
import type { AttemptPage } from '../operations/browse/attempts.js';
import type { TurnStory } from '../operations/browse/worlds.js';
import type { WorldReading } from '../ports/browse.js';
import type { LlmCallRecord } from '../ports/records.js';
import type { WorldRecord, WorldSnapshot } from '../ports/worlds.js';
import type { IntervalPlot } from './interval-scale.js';
import { commandOf, pathOf, pathOfEntity, pathOfTurn, type PlaceKind } from './places.js';
import { failureName } from './words.js';

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
  /** What keeps it from going on, or what goes on in it. */
  readonly status?: Phrase;
  readonly sections: readonly ViewSection[];
  /** The path of the events that tell of its changes; left out where it can no longer change. */
  readonly events?: string | undefined;
  /** Whether it shows how a text came in, piece by piece. */
  readonly has_pace?: boolean;
}

export interface ViewSection {
  /** Names the section in links of a page. */
  readonly id: string;
  readonly title: string;
  readonly blocks: readonly Block[];
  /** The outcome: a page shows it first. A terminal shows it last, because people read a terminal from its end. */
  readonly is_outcome?: true;
  /** A terminal shows it on request alone. */
  readonly is_extra?: true;
  /** Whether it is about other worlds or operators; exported files leave it out. */
  readonly is_about_others?: true;
}

/** A piece of a sentence; lists are joined, and nothing is drawn for null. */
export type Phrase = string | number | Link | Marked | null | readonly Phrase[];

/** What a surface can lead to: a page by its path, a terminal by the words of a command. */
export interface Link {
  readonly path: string;
  readonly command: readonly string[];
  /** The key of the thing; left out where its text says enough. */
  readonly key?: string;
  readonly text: string;
  /** The text for a screen reader, of a link that asks "Why?". */
  readonly label?: string;
}

export interface Marked {
  /** `so_far`: the milliseconds of something that goes on, which a page counts on. */
  readonly as: 'moment' | 'world_time' | 'state' | 'code' | 'strong' | 'faint' | 'failure' | 'match' | 'so_far' | 'why';
  readonly text: string;
  /** The state of which the text is, where the text is another word. */
  readonly of?: string;
}

export type Block =
  | { readonly block: 'facts'; readonly facts: Readonly<Record<string, Phrase>> }
  /** A text of the world, a model or a person, as it is; where it is long, a page folds it. */
  | { readonly block: 'prose'; readonly text: string }
  | { readonly block: 'note'; readonly said: Phrase }
  /** A page can link to items that have ids. */
  | { readonly block: 'list'; readonly items: readonly (readonly Block[])[]; readonly ids?: readonly string[] }
  | {
      readonly block: 'table';
      /** Left out where it is that of its section. */
      readonly title?: string;
      /** A column in which no row has a value is left out. */
      readonly columns: readonly string[];
      readonly rows: readonly (readonly Phrase[])[];
      readonly empty: Phrase;
    }
  /** An exact text. The pointer is its place in the JSON of the record: from there a page copies it whole. */
  | { readonly block: 'code'; readonly text: string; readonly pointer?: string }
  | { readonly block: 'json'; readonly value: Json; readonly pointer?: string; readonly known?: KnownHashes }
  /** What something said or gave: a terminal shows it in a few words. */
  | { readonly block: 'value'; readonly of: string; readonly value: Json }
  /** A quoted text, which may be long: a terminal shows its first lines, a page folds it. */
  | { readonly block: 'quote'; readonly of: string; readonly text: string }
  /** A text of an author, with placeholders. */
  | { readonly block: 'prompt'; readonly text: string }
  /** The messages of a prompt, each part with its origin. */
  | {
      readonly block: 'conversation';
      readonly messages: LlmCallRecord['messages'];
      /** Their place in the JSON of the record. */
      readonly pointer: string;
      /** What their texts used, which a page shares out; left out where it draws the messages alone. */
      readonly tokens?: LlmCallRecord['tokens'];
    }
  /** Less important blocks: a page folds them behind their summary. */
  | {
      readonly block: 'folded';
      readonly summary: string;
      readonly blocks: readonly Block[];
      readonly is_open?: boolean;
    }
  /** A small form of a page, which leads to another by what is typed. */
  | {
      readonly block: 'question';
      readonly path: string;
      readonly title: string;
      readonly values: readonly AskedValue[];
      readonly button: string;
    }
  /** What a page draws in a way of its own; a terminal prints the alternative. */
  | { readonly block: 'picture'; readonly picture: Picture; readonly alternative: readonly Block[] }
  /** What can be done, and commands that do it, for a terminal: a page has forms instead. */
  | { readonly block: 'commands'; readonly says: string; readonly commands: readonly CommandWords[] }
  /** What replaced what; one of both is null where something was added, or is gone. */
  | { readonly block: 'change'; readonly of?: string; readonly before: string | null; readonly after: string | null }
  /** Where more about it is. */
  | { readonly block: 'links'; readonly links: readonly Link[] }
  /** The rest of a list, by the cursor of its next part. */
  | { readonly block: 'more'; readonly next: string | null };

/** One line of a question; what is left empty is not asked for. */
export interface AskedValue {
  readonly name: string;
  readonly label: string;
  readonly value?: string | number;
  readonly is_whole?: boolean;
}

/** The names of entities by id. */
export type Names = ReadonlyMap<string, string>;

/** Documents that a value may name by hash, in members that do not say their kind. */
export type KnownHashes = readonly { readonly kind: PlaceKind; readonly hash: string }[];

type CommandWords = readonly [words: readonly string[], why: string];

/** The pictures of pages, and what each shows. */
export type Picture =
  | { readonly of: 'chunks'; readonly shown: LlmCallRecord['chunks'] }
  | { readonly of: 'output_tokens'; readonly shown: LlmCallRecord['tokens'] }
  | { readonly of: 'timeline'; readonly shown: AttemptPage }
  | { readonly of: 'places'; readonly shown: WorldSnapshot }
  /** Turns as prose: the first patches of each, and a link to the others. */
  | {
      readonly of: 'story';
      readonly shown: {
        readonly world_slug: string;
        readonly turns: readonly TurnStory[];
        readonly patches_max: number;
      };
      readonly names: Names;
    }
  | { readonly of: 'lives'; readonly shown: WorldSnapshot; readonly story: readonly TurnStory[] }
  /** Means with their intervals. */
  | { readonly of: 'intervals'; readonly shown: readonly IntervalPlot[] }
  | { readonly of: 'readings'; readonly shown: readonly WorldReading[] }
  | { readonly of: 'forks'; readonly shown: readonly WorldRecord[]; readonly here: string }
  | { readonly of: 'workflow'; readonly shown: CognitionWorkflow }
  | { readonly of: 'counts'; readonly shown: readonly (readonly [number, Link])[] }
  /** What a terminal shows in other words. */
  | { readonly of: 'blocks'; readonly shown: Blocks };

export const facts = (said: Readonly<Record<string, Phrase>>): Block => ({ block: 'facts', facts: said });
export const prose = (text: string): Block => ({ block: 'prose', text });
export const note = (...said: readonly Phrase[]): Block => ({ block: 'note', said });
export const list = (items: readonly Blocks[], ids?: readonly string[]): Block =>
  present({ block: 'list', items: items.map(listBlocks), ids } as const);
export const exact = (text: string, pointer?: string): Block => present({ block: 'code', text, pointer } as const);
export const json = (value: Json, pointer?: string, known?: KnownHashes): Block =>
  present({ block: 'json', value, pointer, known } as const);
export const prompt = (text: string): Block => ({ block: 'prompt', text });
export const value = (of: string, said: Json): Block => ({ block: 'value', of, value: said });
export const quote = (of: string, text: string): Block => ({ block: 'quote', of, text });
export const folded = (summary: string, ...blocks: readonly Blocks[]): Block => ({
  block: 'folded',
  summary,
  blocks: listBlocks(blocks),
});
export const picture = (shown: Picture, ...alternative: readonly Blocks[]): Block => ({
  block: 'picture',
  picture: shown,
  alternative: listBlocks(alternative),
});
export const commands = (says: string, ...all: readonly CommandWords[]): Block => ({
  block: 'commands',
  says,
  commands: all,
});
export const change = (before: string | null, after: string | null, of?: string): Block =>
  present({ block: 'change', before, after, of } as const);
export const links = (...to: readonly (Link | null)[]): Block => ({
  block: 'links',
  links: to.filter((each) => each !== null),
});
export const question = (path: string, title: string, button: string, values: readonly AskedValue[]): Block => ({
  block: 'question',
  path,
  title,
  button,
  values,
});
export const more = (next: string | null): Block => ({ block: 'more', next });

/** The columns of a table, in order: the title of each, and its cell in a row. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => Phrase>>;

/** @param empty in place of rows; where it is left out, nothing is drawn */
export function table<Row>(rows: readonly Row[], columns: Columns<Row>, empty: Phrase = null, title?: string): Block {
  const cells = rows.map((row) => Object.values(columns).map((cellOf) => cellOf(row)));
  return present({ block: 'table', title, columns: Object.keys(columns), rows: cells, empty } as const);
}

/** Blocks with lists of blocks among them; what stands for none is left out. */
export type Blocks = Block | false | null | readonly Blocks[];

export const listBlocks = (blocks: Blocks): readonly Block[] => {
  if (!blocks) return [];
  return 'block' in blocks ? [blocks] : blocks.flatMap(listBlocks);
};

export const section = (id: string, title: string, ...blocks: readonly Blocks[]): ViewSection => ({
  id,
  title,
  blocks: listBlocks(blocks),
});

/** The section of the facts about a record, which a terminal shows first. */
export const inShort = (said: Readonly<Record<string, Phrase>>): ViewSection =>
  section('facts', 'In short', facts(said));

/** A section of a kind that its mark says. */
const marked =
  (mark: Pick<ViewSection, 'is_outcome' | 'is_extra' | 'is_about_others'>) =>
  (...of: Parameters<typeof section>): ViewSection => ({ ...section(...of), ...mark });

export const outcome = marked({ is_outcome: true });
export const extra = marked({ is_extra: true });
export const aboutOthers = marked({ is_about_others: true });

/** A link to a stored thing. */
export function linkTo(kind: PlaceKind, key: string, text?: string): Link;
export function linkTo(kind: PlaceKind, key: string | null, text?: string): Link | null;
export function linkTo(kind: PlaceKind, key: string | null, text = key): Link | null {
  return key === null ? null : { path: pathOf(kind, key), command: commandOf(kind, key), key, text: text ?? key };
}

/** A link to an entity of a world; nothing for none. */
export function linkToEntity(world_slug: string, id: string | null, text = id): Link | null {
  if (id === null) return null;
  return { path: pathOfEntity(world_slug, id), command: ['entity', world_slug, id], text: text ?? id };
}

export function linkToTurn(world_slug: string, turn: number, text = String(turn)): Link {
  return { path: pathOfTurn(world_slug, turn), command: ['world', 'show', world_slug, '--turn', String(turn)], text };
}

export const moment = (text: string | null): Phrase => text && { as: 'moment', text };
export const worldTime = (text: string): Phrase => ({ as: 'world_time', text });
export const state = (text: string | null, of?: string): Phrase => text && { as: 'state', text, ...(of && { of }) };
export const code = (text: string): Phrase => ({ as: 'code', text });
export const strong = (text: string): Phrase => ({ as: 'strong', text });
export const faint = (text: string): Phrase => ({ as: 'faint', text });
export const failure = (text: string): Phrase => ({ as: 'failure', text });

/** How a piece of work ended, or how far it is, and why it failed. */
export function ending(
  work: Parameters<typeof stateOf>[0] &
    Pick<LlmCallRecord, 'failure_class' | 'failure_message'> &
    Partial<Pick<LlmCallRecord, 'failure_detail'>>,
): Phrase {
  const { failure_class, failure_detail = null, failure_message } = work;
  const superseded = 'superseded: an earlier subject changed what its subject had read, and nothing followed from it';
  return [
    state(stateOf({ ...work, is_superseded: false })),
    work.is_superseded === true ? [' ', faint(superseded)] : null,
    failure_class && [' ', failure(`${failureName(failure_class, failure_detail)}: ${failure_message ?? ''}`)],
  ];
}

export const trailToWorld = (world_slug: string): readonly Link[] => [
  { path: '/worlds', command: ['world', 'list'], text: 'Worlds' },
  linkTo('world', world_slug),
];

export function trailToAttempt(
  of: Pick<LlmCallRecord, 'world_slug' | 'attempt_id' | 'attempted_turn'>,
): readonly Link[] {
  const { world_slug, attempt_id, attempted_turn } = of;
  return [...trailToWorld(world_slug), linkTo('attempt', attempt_id, `attempt at turn ${attempted_turn}`)];
}
