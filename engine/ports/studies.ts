import type { JsonObject } from '../contract/json.js';
import type { Limits } from '../core/protocol/amounts.js';

/** A world that a study plays: a run, turns that runs share, or a probe of a run. */
export interface StudyWorld {
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
  readonly sealed_at: string;
}

/** A world of a study, and how far it has come. */
export interface PlayedStudyWorld extends StudyWorld {
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
  /** It was sealed with another hash. */
  | { readonly kind: 'changed'; readonly study: StudyRecord }
  /** Worlds of these names are there already, and are not of this study. */
  | { readonly kind: 'taken'; readonly world_slugs: readonly string[] };

/** The budget of the study that plays a world. */
export interface StudyBudget {
  readonly study_label: string;
  readonly limits: Limits;
}
