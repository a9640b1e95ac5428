import type { JsonObject } from './json.js';
import { type Nothing, type ProblemEntry, say } from './problems/entry.js';
import { type FactsOf, PROBLEMS, type ProblemCode } from './problems/index.js';

/** A place in a file: 1-based line and column. */
export interface Location {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/**
 * An expected failure as data: something that a person, a file, a service or a model got wrong.
 * Broken promises of the program itself are thrown as bugs and are never problems.
 */
export interface Problem {
  /** Stable, and a key of the catalogue. */
  readonly code: ProblemCode;
  /** One sentence that says what is wrong. */
  readonly message: string;
  /** JSON Pointer into the document at fault; `''` is the whole document. */
  readonly pointer?: string;
  /** How many characters of the text at the pointer precede the fault. */
  readonly offset?: number;
  readonly location?: Location;
  /** The repair, in one sentence. */
  readonly repair: string;
  readonly details?: JsonObject;
  /** The name at the pointer is at fault. Its value is not, may be a secret, and is not shown. */
  readonly of_name?: true;
  /** A note does not stop anything; left out means an error. */
  readonly severity?: 'error' | 'note';
}

type Place = Omit<Problem, 'code' | 'message' | 'repair'>;

/** The facts may be left out where the sentences need none. */
type Case<Code extends ProblemCode> = [Nothing] extends [FactsOf<Code>]
  ? readonly [facts?: FactsOf<Code>, place?: Place]
  : readonly [facts: FactsOf<Code>, place?: Place];

/** A problem, with the sentences of its catalogue entry about the facts of the case. */
export function problem<Code extends ProblemCode>(code: Code, ...[facts, place]: Case<Code>): Problem {
  const { message, repair, severity } = PROBLEMS[code] as ProblemEntry<unknown>;
  const said = { code, message: say(message, facts), repair: say(repair, facts) };
  return { ...said, ...(severity && { severity }), ...place };
}

/** A value, or all problems that prevented it. */
export type Outcome<Value> = { readonly ok: true; readonly value: Value } | Refused;

/** What prevented a value. */
export interface Refused {
  readonly ok: false;
  /** `content`: the request is at fault; `environment`: the database or a service is. */
  readonly because: 'content' | 'environment';
  readonly problems: readonly Problem[];
}

/** The outcome that has a value. */
export function succeed<Value>(value: Value): Outcome<Value> {
  return { ok: true, value };
}

/** The outcome without one; the catalogue entry of the first problem says what is at fault. */
export function refuse(...problems: readonly Problem[]): Refused {
  const { exit } = PROBLEMS[problems[0]?.code ?? 'UNEXPECTED'];
  return { ok: false, because: exit === 4 ? 'environment' : 'content', problems };
}
