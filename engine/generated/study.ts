// Made by tools/generate-types.ts from schemas/study.schema.json: do not edit, run `npm run generate`.
import type { Json } from '../contract/json.js';

/** For the editor only; dropped before hashing. */
export type SchemaUrl = string;
/** Lower-case letters and digits, joined by single hyphens or underscores. */
export type HumanId = string;
export type Seed = number;
/** A path, relative to the file in which it is written. */
export type RelativePath = string;
/** The entity ids of the agents that count; all by default. */
export type Subjects = readonly string[];
/** Lower-case letters and digits, joined by single hyphens. */
export type LevelId = string;

/** A question asked of many worlds: what differs between them, what is measured, and how it is decided. */
export interface Study {
  readonly $schema?: SchemaUrl;
  readonly version: 1;
  readonly label: HumanId;
  readonly description?: string;
  /** What the study asks, in one sentence. */
  readonly question: string;
  /** The file of the scenario that every condition begins with. */
  readonly scenario: string;
  /** How many turns each run has. */
  readonly turns: number;
  /** The number of each repetition, as a range or a list. Each condition has one run by each seed; runs of one seed are compared. */
  readonly seeds: SeedRange | readonly Seed[];
  /** What differs. Every combination of levels is a condition; without variables there is one. */
  readonly variables?: {
    readonly [k: string]: StudyVariable;
  };
  /** The order in which agents act and are listed: that of the scenario, by default, or one for each seed. */
  readonly roster?: 'as_written' | 'shuffled';
  /** One number of each run. */
  readonly measures: readonly StudyMeasure[];
  /** Questions that are put to the agents of each run. Its world does not change. */
  readonly probes?: readonly StudyProbe[];
  readonly hypotheses?: readonly StudyHypothesis[];
  /** How several hypotheses are decided: together by Holm's method, by default, or each as if alone. */
  readonly correction?: 'holm' | 'none';
  readonly audit?: StudyAudit;
  readonly budget?: StudyBudget;
}
export interface SeedRange {
  readonly from: number;
  readonly count: number;
}
export interface StudyVariable {
  readonly description?: string;
  /** The first turn that differs; 1 by default. Conditions share the turns before it. */
  readonly from_turn?: number;
  readonly levels: {
    readonly [k: string]: StudyLevel;
  };
}
/** How the scenario differs from the written one; not at all where it is empty. */
export interface StudyLevel {
  readonly description?: string;
  /** A file in place of another that the scenario uses. */
  readonly replace?: {
    readonly [k: string]: RelativePath;
  };
  /** Values of members of the scenario, by JSON Pointer. The member, or its object, must be there. */
  readonly set?: {
    readonly [k: string]: Json;
  };
}
export interface StudyMeasure {
  readonly id: HumanId;
  readonly description?: string;
  /** Where its values stand. True and yes count 1, false and no 0. */
  readonly read: ToolReading | StateReading | AnswerReading;
  /** Each value counts as 1 where it equals this, else as 0. */
  readonly equal_to?: string | number | boolean;
  readonly of_turns?: MeasuredTurns;
  /** The number of the run: mean or sum of its values, last: the mean of those of the last turn that has any, count or share of those that are not 0. */
  readonly take: 'mean' | 'sum' | 'last' | 'count' | 'share';
}
/** Arguments of the calls of a tool. */
export interface ToolReading {
  readonly tool: HumanId;
  /** Of the argument; without it, each call is a value of 1. */
  readonly pointer?: string;
  readonly subjects?: Subjects;
}
/** The first number in the state of an entity, after each turn. */
export interface StateReading {
  readonly state_of: string;
  /** The number is read behind this text. */
  readonly after?: string;
}
/** Answers to a question of a probe. */
export interface AnswerReading {
  /** A path, relative to the file in which it is written. */
  readonly probe: string;
  readonly question: HumanId;
  readonly subjects?: Subjects;
}
/** The turns that count; all by default. */
export interface MeasuredTurns {
  readonly from?: number;
  readonly to?: number;
}
export interface StudyProbe {
  /** A path, relative to the file in which it is written. */
  readonly ask: string;
  /** It is asked after each of these turns. */
  readonly at_turns: readonly number[];
}
export interface StudyHypothesis {
  readonly id: HumanId;
  readonly says: string;
  /** Lower-case letters and digits, joined by single hyphens or underscores. */
  readonly measure: string;
  /** Two sides, each of all conditions with these levels. The difference is the first less the second, seed by seed. */
  readonly compare: readonly ComparedLevels[];
  /** Of the first side, beside the second. */
  readonly expect: 'greater' | 'less' | 'different';
  /** The smallest difference that counts; 0 by default. */
  readonly by_at_least?: number;
  readonly decide: DecisionRule;
}
/** Levels by the names of their variables. */
export interface ComparedLevels {
  readonly [k: string]: LevelId;
}
/** It is supported where the whole interval of the difference is beyond by_at_least, and not supported where the interval excludes that, or holds 0. */
export interface DecisionRule {
  /** The confidence of the interval; 0.95 by default. */
  readonly interval?: number;
  /** With fewer seeds that both sides have, it is undecided. */
  readonly at_least_runs: number;
}
/** Changes that should not matter, beside those that each audit makes. They are no part of the study's hash. */
export interface StudyAudit {
  readonly persona?: Variants;
  readonly wording?: Variants1;
  readonly memories?: Variants2;
  readonly model?: Variants3;
}
/** Who agents are, in another form. */
export interface Variants {
  readonly [k: string]: StudyLevel;
}
/** The framing, in other words. */
export interface Variants1 {
  readonly [k: string]: StudyLevel;
}
/** Other memories in a prompt. */
export interface Variants2 {
  readonly [k: string]: StudyLevel;
}
/** Other models. */
export interface Variants3 {
  readonly [k: string]: StudyLevel;
}
/** What model calls of all runs may use together. */
export interface StudyBudget {
  /** Tokens of prompts and answers. */
  readonly token_budget?: number;
  /** US dollars. */
  readonly usd?: number;
}
export interface Variants4 {
  readonly [k: string]: StudyLevel;
}
