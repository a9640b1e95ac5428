import type { JsonObject } from '../contract/json.js';

/** What an operator may do by hand. */
export type OperatorActionKind = 'run_turns' | 'stop_attempt' | 'fork_world' | 'settle_call' | 'report_call';

/** What an action is about. */
export interface ActionPlace {
  readonly world_slug: string;
  readonly attempt_id: string | null;
  readonly source_invocation_id: string | null;
}

/** An entry of the audit: who did what, when and why. */
export interface OperatorActionRecord extends ActionPlace {
  readonly action_id: string;
  readonly action: OperatorActionKind;
  /** By which session, or by the token or a proof of it: operators share one token. */
  readonly acted_by: string;
  /** Null where a program gave none. */
  readonly reason: string | null;
  readonly details: JsonObject;
  readonly acted_at: string;
  /** Whether something follows from it; null where the server died before it knew. */
  readonly accepted: boolean | null;
  /** What came of it, in a sentence. */
  readonly outcome: string | null;
}

/** An action that is about to be done. */
export interface BegunAction extends Omit<OperatorActionRecord, 'acted_at' | 'accepted' | 'outcome'> {
  /** From where: for the operator of the database, and on no page. */
  readonly address: string;
  /** In milliseconds since 1970. */
  readonly acted_at: number;
}

/** What came of an action. */
export interface EndedAction {
  readonly world_slug: string;
  readonly action_id: string;
  readonly accepted: boolean;
  readonly outcome: string;
}

/** The audit of what operators do. */
export interface OperatorActions {
  /** Written before the action is done. */
  begin(action: BegunAction): Promise<void>;
  /** Written once. */
  end(action: EndedAction): Promise<void>;
  /** The latest first, at most 100; of one attempt where it is named. */
  list(of: { readonly world_slug: string; readonly attempt_id?: string }): Promise<readonly OperatorActionRecord[]>;
}
