// Made by tools/generate-types.ts from schemas/answers.schema.json: do not edit, run `npm run generate`.
import type { Json } from '../contract/json.js';

/** For the editor only; dropped before hashing. */
export type SchemaUrl = string;
/** Lower-case letters and digits, joined by single hyphens or underscores. */
export type HumanId = string;
export type Description = string;
export type Answer = JsonAnswer | TextAnswer | RefusalAnswer | StatusAnswer | FaultAnswer | FailureAnswer;
/** Characters of each streamed piece. */
export type ChunkCharacters = number;
export type SourceClass =
  | 'transport'
  | 'timeout'
  | 'http_status'
  | 'call_rejected'
  | 'tool_error'
  | 'internal_error'
  | 'non_json'
  | 'result_too_large'
  | 'unavailable'
  | 'structured_output_rejected'
  | 'model_refusal'
  | 'schema_invalid'
  | 'approval_denied'
  | 'approval_expired'
  | 'stopped';
export type PopulationValue = DrawnValue | PickedValue | ReadValue;

/** Answers of models and sources, by turn and command key, or by the rules of a population: for scripted models, dry runs and recordings. */
export interface Answers {
  readonly $schema?: SchemaUrl;
  readonly version: 1;
  readonly label: HumanId;
  readonly description?: Description;
  /** By turn ("1", or "*" for every other), then by command key, such as bob/act/round-1/try-1. Without its part from @ on, turn/park_weather@... answers every source of the turn with that name. */
  readonly turns: {
    readonly [k: string]: {
      readonly [k: string]: Answer;
    };
  };
  /** Rules for calls that turns does not answer; the first that applies answers. What is drawn depends on the seed, the turn, the command key and the rule alone. The seed is the number at the end of a world's name such as trial-s7, else the whole name. */
  readonly population?: readonly PopulationRule[];
}
export interface JsonAnswer {
  /** A model writes this JSON; any other source answers with it. */
  readonly json: Json;
  readonly usage?: AnswerUsage;
  readonly chunk_characters?: ChunkCharacters;
}
export interface AnswerUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
}
export interface TextAnswer {
  /** A model writes exactly this text; any other source answers with it as its body. */
  readonly text: string;
  readonly finish_reason?: 'stop' | 'length' | 'content_filter';
  readonly usage?: AnswerUsage;
  readonly chunk_characters?: ChunkCharacters;
}
export interface RefusalAnswer {
  readonly refusal: string;
  readonly usage?: AnswerUsage;
}
export interface StatusAnswer {
  readonly status: number;
  readonly body?: Json;
}
export interface FaultAnswer {
  /** cut_stream drops the connection after the text; no_finish ends the stream without a finish reason; hang sends nothing after the text; reset drops the connection before the first byte. */
  readonly fault: 'cut_stream' | 'no_finish' | 'hang' | 'reset';
  readonly text?: string;
}
/** The call fails with this class, as if by its plugin; with the class stopped, once the turn no longer needs it. */
export interface FailureAnswer {
  readonly failure: SourceClass;
  /** The message of the failure. */
  readonly message?: string;
  readonly http_status?: number;
  /** What a model wrote before the failure, or the body of another source's answer. */
  readonly text?: string;
}
/** In texts of its answer, {{subject}}, {{turn}} and {{<value>}} are filled in. A text that is one of them alone becomes the value itself, such as a number. */
export interface PopulationRule {
  /** The calls that the rule answers. */
  readonly where: {
    /** The command key of the call, in which * is any one part. */
    readonly key: string;
    /** Texts that the prompt has, all of them; of a source that is no model, its request as JSON. */
    readonly prompt_has?: readonly string[];
  };
  /** The share of those calls that the rule answers; without it, all. */
  readonly chance?: number;
  /** Values by name, for the answer. */
  readonly values?: {
    readonly [k: string]: PopulationValue;
  };
  readonly answer: Answer;
}
export interface DrawnValue {
  /** A whole number, normally distributed, rounded, and held between minimum and maximum. */
  readonly draw: {
    readonly mean: number;
    readonly deviation: number;
    readonly minimum: number;
    readonly maximum: number;
  };
}
export interface PickedValue {
  /** One of these texts, each as likely as another. */
  readonly pick: readonly string[];
}
export interface ReadValue {
  /** The number behind the last such text in the prompt. Without one, the rule does not apply. */
  readonly read_after: string;
}
