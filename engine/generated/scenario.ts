// Made by tools/generate-types.ts from schemas/scenario.schema.json: do not edit, run `npm run generate`.
/** For the editor only; dropped before hashing. */
export type SchemaUrl = string;
/** Lower-case letters and digits, joined by single hyphens or underscores. */
export type HumanId = string;
export type Description = string;
/** Another document: the hash of its canonical form or, in a file, a relative path, which storing replaces by the hash. */
export type Reference = HashReference | PathReference;

/** A small world at its start, and its thinking agents. */
export interface Scenario {
  readonly $schema?: SchemaUrl;
  readonly version: 1;
  readonly label: HumanId;
  readonly description?: Description;
  readonly start_time: string;
  /** Simulated seconds of one turn. */
  readonly chronon_seconds: number;
  /** What model calls of its worlds may use. */
  readonly budgets?: {
    readonly world?: WorldBudget;
  };
  readonly environments: readonly ScenarioEnvironment[];
  readonly entities: readonly ScenarioEntity[];
  readonly cognition: readonly ScenarioCognition[];
}
/** In all turns of one world together, failed attempts included. */
export interface WorldBudget {
  /** Tokens of prompts and answers. */
  readonly token_budget?: number;
  /** US dollars. A call whose price is not known is refused. */
  readonly usd?: number;
}
export interface ScenarioEnvironment {
  readonly label: HumanId;
  readonly content: string;
}
export interface ScenarioEntity {
  /** Canonical entity id: lower-case parts of [a-z0-9_-] joined by dots. */
  readonly id: string;
  readonly name: string;
  readonly kind: 'agent' | 'prop';
  readonly environment?: HumanId;
  readonly state: string;
  readonly goal?: string;
  readonly memory?: readonly string[];
}
export interface ScenarioCognition {
  readonly profile_ref: Reference;
  readonly subjects: readonly string[];
}
export interface HashReference {
  readonly hash: string;
}
export interface PathReference {
  readonly path: string;
}
