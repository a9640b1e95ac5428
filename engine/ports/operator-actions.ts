import type { JsonObject } from '../contract/json.js';

/** The kinds of operators' actions. */
export type OperatorActionKind =
  | 'run_turns'
  | 'take_back_turns'
  | 'stop_attempt'
  | 'fork_world'
  | 'settle_call'
  | 'report_call'
  | 'see_unredacted'
  | 'delete_world'
  | 'decide_call'
  | 'grant_calls'
  | 'purge_memories';

export type ActionSurface = 'command_line' | 'http' | 'browser' | 'library' | 'mcp';

export interface ActionPlace {
  readonly world_slug: string;
  readonly attempt_id: string | null;
  readonly source_invocation_id: string | null;
}

/** An audit entry: actor, action, time and reason. */
export interface OperatorActionRecord extends ActionPlace {
  readonly action_id: string;
  readonly action: OperatorActionKind;
  /** The user of the machine, the session, or the token: operators share one token. */
  readonly acted_by: string;
  readonly surface: ActionSurface;
  /** Null where a program gave none. */
  readonly reason: string | null;
  readonly details: JsonObject;
  readonly acted_at: string;
  /** Whether it had an effect; null where the server died before it knew. */
  readonly accepted: boolean | null;
  /** Its outcome, in a sentence. */
  readonly outcome: string | null;
}
