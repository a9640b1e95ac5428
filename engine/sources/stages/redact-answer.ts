import type { Json } from '../../contract/json.js';
import { describeThrown } from '../source-failure.js';
import { type Halt, halt, type Shown, type Validated } from '../passage.js';

/** The view of a value: the parts that the allow-list lets through. */
export type Redact = (value: Json, allow: 'all' | readonly string[]) => Json;

/** Makes the only thing that the turn, pages and telemetry see. There is no way around it. */
export function redactAnswer(passage: Validated, redact: Redact): Shown | Halt {
  // A model's text has no pointers: all of it is shown or none, and the turn must read it.
  if (passage.route.plugin.speaks === 'chat') return { ...passage, view: passage.answer };
  try {
    return { ...passage, view: redact(passage.answer, passage.command.call.redaction) };
  } catch (error) {
    return halt(passage, 'redaction_failed', `the answer could not be redacted: ${describeThrown(error)}`, {
      answer: passage.answer,
      validation_status: passage.validation_status,
    });
  }
}
