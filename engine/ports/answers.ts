import type { Json } from '../contract/json.js';
import type { ScriptedPlace } from '../contract/scripted.js';
import type { Answer } from '../generated/answers.js';

/** A call that a dry run answers: nothing outside is asked. */
export interface CallToAnswer extends ScriptedPlace {
  readonly source_label: string;
  readonly speaks: 'json' | 'chat';
  /** What a source would have been asked; of a generation, its conversation. */
  readonly request: Json;
}

/** Finds what was written for a call. @returns undefined where nothing was */
export type AnswerCall = (call: CallToAnswer) => Answer | undefined;
