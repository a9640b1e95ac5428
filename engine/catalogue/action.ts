import type { Json, JsonObject } from '../contract/json.js';
import type { Outcome, Problem } from '../contract/problem.js';
import type { Actor, Located } from '../operations/people/audit.js';
import type { Engine } from '../operations/engine.js';
import type { Acknowledgement, Made } from '../operations/settling/reports.js';
import type { Answers } from './answers.js';

/** One value that an action takes. */
export interface Field<Value> {
  /** Asks a person for it. */
  readonly label: string;
  readonly control: 'whole' | 'line' | 'json' | 'choice';
  /** What programs send. */
  readonly schema: JsonObject;
  /** What it is, in the refusal of something else. */
  readonly wanted: string;
  readonly is_optional?: true;
  /** Problems of the operation that are about it: a refused form shows them beside it. */
  readonly refused_by?: readonly Problem['code'][];
  /** @returns undefined for what is no such value */
  read(said: Json): Value | undefined;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

type KeyOf<Path extends string> = Path extends `${string}:${infer Key}/${infer Rest}`
  ? Key | KeyOf<`/${Rest}`>
  : Path extends `${string}:${infer Key}`
    ? Key
    : never;

type ValueOf<Taken> = Taken extends Field<infer Value> ? Value : never;

type OptionalIn<Taken extends Fields> = {
  [Name in keyof Taken]: Taken[Name] extends { readonly is_optional: true } ? Name : never;
}[keyof Taken];

/** The values of fields. */
export type FieldsIn<Taken extends Fields> = {
  readonly [Name in Exclude<keyof Taken, OptionalIn<Taken>>]: ValueOf<Taken[Name]>;
} & { readonly [Name in OptionalIn<Taken>]?: ValueOf<Taken[Name]> };

/** What an action is given: the keys that its path names, and its fields. */
type InputOf<Path extends string, Taken extends Fields> = Readonly<Record<KeyOf<Path>, string>> & FieldsIn<Taken>;

/** One way to ask for an action on a page; an action may have several, such as yes and no. */
export interface Form {
  /** Its fragment on the page. */
  readonly id: string;
  readonly title: string;
  readonly consequence: string;
  /** The fields that it shows, beside the reason; all that the action takes where they are left out. */
  readonly fields?: readonly string[];
  /** What it sends for fields that it does not show. */
  readonly sends?: Readonly<Record<string, string>>;
  readonly button: string;
}

/** A command for an action: the keys of its path are the arguments, and what it takes are options. */
export interface ActionCommand {
  /** The words that call it. */
  readonly name: string;
  /** Left out where the action says it. */
  readonly says?: string;
  /** What the command itself says, so that nobody has to type it. */
  readonly given?: JsonObject;
}

/** What the fields of an action hold at first, by name; of a choice, what it offers. */
export type Prefilled = Readonly<Record<string, string | number | readonly Option[]>>;

export interface Option {
  readonly value: string;
  readonly text: string;
}

/** What an action acknowledges: it may say, beside, what it has made. */
export interface Done<Making extends Made[keyof Made] = Made[keyof Made]> extends Acknowledgement {
  readonly made?: Making;
}

/**
 * One thing that people and programs do: its commands, its route, its forms, its tool and its entry in the audit follow
 * from it.
 * @typeParam Input what it is given
 */
export interface Action<Input = Readonly<Record<string, unknown>>, Making extends Made[keyof Made] = Made[keyof Made]> {
  /** Its name in the audit. */
  readonly kind: string;
  /** What programs call it by; left out where another action serves them. */
  readonly name?: string;
  /** Left out where a command of its own reads files or asks questions. */
  readonly commands?: readonly ActionCommand[];
  readonly path: string;
  readonly says: string;
  /** Who may do it: commands of the server's machine alone, operators, or everybody with a token where it is a tool. */
  readonly by: 'command' | 'operator' | 'consumer';
  /** What a program may assume of it. */
  readonly hints: { readonly is_destructive: boolean; readonly is_idempotent: boolean };
  readonly takes: Fields;
  /** A program may leave the reason out, as a person at the terminal has none to give; a form always has one. */
  readonly is_reason_optional?: true;
  readonly forms: readonly Form[];
  /** The pages that have its forms, by what they show; undefined where there is nothing to do. */
  readonly offered?: { readonly [Kind in keyof Answers]?: (shown: Answers[Kind]) => Prefilled | undefined };
  /** Where it can be done, something waits for it: its forms come before all else. */
  readonly is_awaited?: true;
  /** The place of what it names, with the details that the audit keeps; no answers, which may be secret. */
  locate(engine: Engine, input: Input): Promise<Outcome<Located>>;
  perform(
    engine: Engine,
    input: Input,
    by: Pick<Actor, 'acted_by' | 'surface' | 'reason'>,
  ): Promise<Outcome<Done<Making>>>;
}

/** Declares an action; the type of what it is given follows from its path and its fields. */
export function action<
  const Path extends string,
  const Taken extends Fields,
  Making extends Made[keyof Made] = Made[keyof Made],
>(
  declared: Omit<Action<InputOf<Path, Taken>, Making>, 'path' | 'takes'> & {
    readonly path: Path;
    readonly takes: Taken;
  },
): Action<InputOf<Path, Taken>, Making> {
  return declared;
}

/** A whole number. */
export function whole(
  label: string,
  wanted: string,
  range: { readonly minimum: number; readonly maximum?: number },
  ...refused_by: readonly Problem['code'][]
) {
  const { minimum, maximum = WHOLE_MAX } = range;
  return {
    label,
    wanted,
    refused_by,
    control: 'whole',
    schema: { type: 'integer', ...range },
    read: (said: Json) =>
      typeof said === 'number' && Number.isInteger(said) && said >= minimum && said <= maximum ? said : undefined,
  } as const satisfies Field<number>;
}

const WHOLE_MAX = 999_999_999;

/** A line of text, which is more than space. */
export function line(label: string, wanted: string, ...refused_by: readonly Problem['code'][]) {
  return {
    label,
    wanted,
    refused_by,
    control: 'line',
    schema: { type: 'string' },
    read: (said: Json) => (typeof said === 'string' && said.trim() !== '' ? said.trim() : undefined),
  } as const satisfies Field<string>;
}

/** One of a few words. */
export function choice<const Word extends string>(label: string, words: readonly Word[]) {
  return {
    label,
    wanted: `one of: ${words.join(', ')}`,
    control: 'choice',
    schema: { enum: words },
    read: (said: Json) => words.find((word) => word === said),
  } as const satisfies Field<Word>;
}

/** A value of any kind; a person types it as JSON. */
export function value(label: string) {
  return {
    label,
    wanted: 'JSON; a plain sentence needs double quotes',
    control: 'json',
    schema: {},
    read: (said: Json): Json | undefined => said,
  } as const satisfies Field<Json>;
}

/** A field that may be left out. */
export function optional<Taken extends Field<unknown>>(field: Taken): Taken & { readonly is_optional: true } {
  return { ...field, is_optional: true };
}
