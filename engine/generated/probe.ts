// Made by tools/generate-types.ts from schemas/probe.schema.json: do not edit, run `npm run generate`.
import type { JsonObject } from '../contract/json.js';

/** For the editor only; dropped before hashing. */
export type SchemaUrl = string;
/** Lower-case letters and digits, joined by single hyphens or underscores. */
export type HumanId = string;

/** Questions that `chukwa probe` puts to agents of a world at one of its turns. The world does not change. */
export interface Probe {
  readonly $schema?: SchemaUrl;
  readonly version: 1;
  readonly label: HumanId;
  readonly description?: string;
  /** The entity ids of the agents that are asked; all agents of the scenario by default. */
  readonly subjects?: readonly string[];
  readonly questions: readonly ProbeQuestion[];
}
export interface ProbeQuestion {
  readonly id: HumanId;
  /** The question, with placeholders as in prompts. It replaces the last paragraph of the agent's prompt, or follows one that shows more than a name. */
  readonly ask: string;
  /** The form of the answer. */
  readonly answer: ChoiceForm | NumberForm | YesNoForm | TextForm | SchemaForm;
}
export interface ChoiceForm {
  readonly kind: 'choice';
  readonly options: readonly string[];
}
export interface NumberForm {
  readonly kind: 'number';
  readonly minimum?: number;
  readonly maximum?: number;
}
export interface YesNoForm {
  readonly kind: 'yes_no';
}
export interface TextForm {
  readonly kind: 'text';
}
export interface SchemaForm {
  readonly kind: 'schema';
  /** The JSON Schema of the whole answer. */
  readonly schema: JsonObject;
}
