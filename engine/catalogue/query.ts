import type { Outcome } from '../contract/problem.js';
import type { Engine } from '../operations/engine.js';
import type { FieldsIn, Fields } from './action.js';
import type { Answers } from './answers.js';

/**
 * Something that programs ask with inputs, and that has no page: whether documents validate, what a kind looks like. Every
 * reader may ask.
 */
export interface Query<Input = Readonly<Record<string, unknown>>, Kind extends keyof Answers = keyof Answers> {
  /** What programs call it by. */
  readonly name: string;
  readonly says: string;
  /** It stores something; what is stored never changes or goes. */
  readonly stores?: true;
  /** The schema of its answer. */
  readonly gives: Kind;
  readonly takes: Fields;
  answer(engine: Engine, input: Input): Promise<Outcome<Answers[Kind]>>;
}

/** Declares a query; the type of what it is given follows from its fields. */
export function query<const Taken extends Fields, Kind extends keyof Answers>(
  declared: Omit<Query<FieldsIn<Taken>, Kind>, 'takes'> & { readonly takes: Taken },
): Query<FieldsIn<Taken>, Kind> {
  return declared;
}
