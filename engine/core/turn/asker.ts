import type { Invoke } from '../protocol/command.js';

/** The asker of a call, and the call's latest command: a call that has failed may be commanded again. */
export type Asker = { readonly kind: 'turn_ambient'; readonly command: Invoke } | SubjectAsker;

/** A subject with an open call, by its index; `key` is the call's key in the run. */
export interface SubjectAsker {
  readonly kind: 'subject';
  readonly index: number;
  readonly key: string;
  readonly command: Invoke;
}
