import type { JsonObject } from '../contract/json.js';

export type ActionSurface = 'command_line' | 'http' | 'browser' | 'library' | 'mcp';

export interface ActionPlace {
  readonly world_slug: string;
  readonly attempt_id: string | null;
  readonly source_invocation_id: string | null;
}

/** An audit entry: actor, action, time and reason. */
export interface OperatorActionRecord extends ActionPlace {
  readonly action_id: string;
  /** The kind of its declaration, or `see_unredacted`. */
  readonly action: string;
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
