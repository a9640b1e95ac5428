import type { Json, JsonObject } from '../contract/json.js';
import type { Limits } from '../core/protocol/amounts.js';

/** A world that a study plays: a run, turns that runs share, or a probe of a run. */
export interface SealedWorld {
  readonly world_slug: string;
  readonly seed: number;
  /** Null of turns that runs of several conditions share. */
  readonly condition: string | null;
  /** The path of the probe that it asks, as the study names it; null of others. */
  readonly probe: string | null;
  readonly scenario_hash: string;
  /** The world of the study that it is a fork of, and the turn. */
  readonly parent: { readonly world_slug: string; readonly turn: number } | null;
  /** The last turn that it plays. */
  readonly until_turn: number;
  /** The order in which its agents act. */
  readonly roster: readonly string[];
}

/** A study as its first run begins with it. */
export interface SealedStudy {
  readonly study_label: string;
  readonly study_hash: string;
  readonly document: JsonObject;
  /** By the paths with which the document names them. */
  readonly probes: Readonly<Record<string, JsonObject>>;
}

export interface StudyRecord extends SealedStudy {
  /** Who answers its calls, in words; `unknown` of a study from before this was sealed. */
  readonly answered_by: string;
  readonly sealed_at: string;
}

/** A world of a study, and how far it has come. */
export interface PlayedWorld extends SealedWorld {
  /** Its latest committed turn; null where it has not been made yet. */
  readonly turn: number | null;
}

/** A study in a list. */
export interface ListedStudy {
  readonly study_label: string;
  readonly question: string;
  readonly sealed_at: string;
  readonly runs: number;
  /** Those that have played all their turns. */
  readonly runs_done: number;
}

/** What came of an attempt to seal a study. */
export type Sealing =
  | { readonly kind: 'sealed' | 'known'; readonly sealed_at: string }
  /** It was sealed with another hash, or is answered by others. */
  | { readonly kind: 'changed'; readonly study: StudyRecord }
  /** Worlds of these names are there already, and are not of this study. */
  | { readonly kind: 'taken'; readonly world_slugs: readonly string[] };

/** The budget of the study that plays a world. */
export interface StudyBudget {
  readonly study_label: string;
  readonly limits: Limits;
}

/** What was read of the committed turns of a world of a study. */
export interface StudyFacts {
  /** Calls of tools that succeeded, in the order of the record. */
  readonly tool_calls: readonly {
    readonly world_slug: string;
    readonly turn: number;
    readonly subject_id: string;
    readonly tool: string;
    readonly arguments: Json;
  }[];
  /** The states that were written, the scenario's at turn 0, in the order of turns. */
  readonly states: readonly {
    readonly world_slug: string;
    readonly turn: number;
    readonly entity_id: string;
    readonly state: string;
  }[];
  /** Answers of agents in worlds that ask a probe, as JSON text. */
  readonly answers: readonly {
    readonly world_slug: string;
    readonly subject_id: string;
    readonly question_id: string;
    readonly text: string;
  }[];
}
