import type { Call } from '../facts/call.js';
import type { AttemptBegan, AttemptFailed, TurnCommitted } from '../facts/fact.js';

/** The state of an attempt and of its agents, which the rows hold and the facts do not. */
export interface AroundAttempt {
  readonly status: string;
  /** A driver holds it. */
  readonly is_driven: boolean;
  /** The agents that have a turn in it, each with the `turn_epoch` with which that began. */
  readonly agents: ReadonlyMap<string, number>;
  /** The agents' tasks, as far as their workflows name them. */
  readonly tasks: ReadonlyMap<string, AgentTask>;
}

/** An attempt whose facts are folded into the turns of its agents. */
export interface RecordedAttempt extends AroundAttempt {
  readonly began: AttemptBegan;
  /** Absent while it is open. */
  readonly ended?: TurnCommitted | AttemptFailed;
  /** In the order of their issue. */
  readonly calls: readonly Call[];
}

/** The task of one agent, as the documents of an attempt have it. */
export interface AgentTask {
  /** The node whose final patch is applied. */
  readonly apply_node: string;
  /** The keys of the once-per-turn readings that the agent is given. */
  readonly turn_reading_keys: readonly string[];
}
