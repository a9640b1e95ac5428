import type { Json } from '../contract/json.js';
import type { ScriptedPlace } from '../contract/scripted.js';
import type { Answer } from '../generated/answers.js';

/** A call of a dry run, which is answered without the outside. */
export interface CallToAnswer extends ScriptedPlace {
  readonly source_label: string;
  readonly speaks: 'json' | 'chat';
  /** The request of the source; of a generation, its conversation. */
  readonly request: Json;
}

/** Finds the written answer of a call. @returns undefined where there is none */
export type AnswerCall = (call: CallToAnswer) => Answer | undefined;
