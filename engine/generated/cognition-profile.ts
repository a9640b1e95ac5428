// Made by tools/generate-types.ts from schemas/cognition-profile.schema.json: do not edit, run `npm run generate`.
/** For the editor only; dropped before hashing. */
export type SchemaUrl = string;
/** Lower-case letters and digits, joined by single hyphens or underscores. */
export type HumanId = string;
export type Description = string;
/** Another document: the hash of its canonical form or, in a file, a relative path, which storing replaces by the hash. */
export type Reference = HashReference | PathReference;

/** A workflow, with the policy and the budgets under which it runs. */
export interface CognitionProfile {
  readonly $schema?: SchemaUrl;
  readonly version: 1;
  readonly label: HumanId;
  readonly description?: Description;
  readonly workflow_ref: Reference;
  readonly tool_policy_ref?: Reference;
  /** What model calls of its subjects may use together. */
  readonly budgets?: {
    /** In one turn of a world, all attempts at it together. A call that does not fit ends the attempt with budget_exhausted; one that may still fit waits for calls under way. */
    readonly session?: {
      /** Tokens of prompts and answers. */
      readonly token_budget?: number;
      /** US dollars. A call whose price is not known is refused. */
      readonly usd?: number;
      /** Generations. */
      readonly turn_limit?: number;
      /** Seconds of all calls, added up. */
      readonly timeout_seconds?: number;
    };
  };
  /** Ids of the connections that the workflow may use; each that it names, by default. */
  readonly connections?: readonly HumanId[];
}
export interface HashReference {
  readonly hash: string;
}
export interface PathReference {
  readonly path: string;
}
