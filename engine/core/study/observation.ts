import type { Json } from '../../contract/json.js';

/** What a measure can read of one run. */
export interface RunFacts {
  /** Calls of tools that succeeded, in the order of the record. */
  readonly tool_calls: readonly {
    readonly turn: number;
    readonly subject_id: string;
    readonly tool: string;
    readonly arguments: Json;
  }[];
  /** The state of each measured entity after each turn, in ascending order of turns. */
  readonly states: readonly { readonly turn: number; readonly entity_id: string; readonly state: string }[];
  /** Answers to the study's probes, in ascending order of turns. */
  readonly answers: readonly {
    readonly turn: number;
    /** The file of the probe, as the study names it. */
    readonly ask: string;
    readonly subject_id: string;
    readonly question_id: string;
    readonly answer: Json;
  }[];
}

/** One measure of one run. */
export interface Observation {
  readonly condition: string;
  readonly seed: number;
  readonly measure: string;
  /** Null where there was nothing to measure, or the run has failed. */
  readonly value: number | null;
  readonly failed: boolean;
}
