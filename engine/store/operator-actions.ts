import { toStoredText } from '../core/content/stored-text.js';
import type { JsonObject } from '../contract/json.js';
import { canonicalText } from '../core/content/canonical.js';
import type { OperatorActionRecord } from '../ports/operator-actions.js';
import { type InAttempt, type InWorld, query } from './queries.js';
import { prepare, run, type Runner, toTimestamp } from './statement.js';

const BEGIN = prepare(
  'begin_operator_action',
  `INSERT INTO operator_actions (world_slug, action_id, action, acted_by, surface, address, reason, details, attempt_id,
     source_invocation_id, acted_at)
   VALUES (:world_slug, :action_id::uuid, :action, :acted_by, :surface::action_surface, :address, :reason, :details::json,
     :attempt_id::uuid, :source_invocation_id::uuid, :acted_at::timestamptz)`,
);

const END = prepare(
  'end_operator_action',
  `UPDATE operator_actions SET accepted = :accepted::boolean, outcome = :outcome
   WHERE action_id = :action_id::uuid`,
);

/** The latest first, at most 100; of one attempt where it is named. */
export const listActions = query(({ from, lit }, { world_slug, attempt_id }: InWorld & Partial<InAttempt>) => {
  const latest = from('operator_actions')
    .select(['world_slug', 'action_id', 'action', 'acted_by', 'surface', 'reason', 'details'])
    .select(['attempt_id', 'source_invocation_id', 'acted_at', 'accepted', 'outcome'])
    .where('world_slug', '=', world_slug)
    .orderBy('action_id', 'desc')
    .limit(lit(100))
    .$narrowType<{ details: JsonObject; world_slug: string }>();
  return attempt_id === undefined ? latest : latest.where('attempt_id', '=', attempt_id);
});

const FIND_DELETION = prepare(
  'find_deletion',
  `SELECT acted_by, acted_at, reason FROM operator_actions
   WHERE world_slug IS NULL AND accepted AND action = 'delete_world' AND details->>'world_slug' = :world_slug
   ORDER BY action_id DESC LIMIT 1`,
);

export interface BegunAction extends Omit<OperatorActionRecord, 'world_slug' | 'acted_at' | 'accepted' | 'outcome'> {
  /** Null for the deletion of a world. */
  readonly world_slug: string | null;
  /** The address of its origin: for the operator of the database, and on no page. */
  readonly address: string;
  /** In milliseconds since 1970. */
  readonly acted_at: number;
}

/** Writes an action down, before it is performed. */
export async function beginAction(
  runner: Runner,
  { reason, details, acted_at, ...action }: BegunAction,
): Promise<void> {
  await run(runner, BEGIN, {
    ...action,
    reason: reason === null ? null : toStoredText(reason),
    details: canonicalText(details),
    acted_at: toTimestamp(acted_at),
  });
}

/** Writes its outcome, once. */
export async function endAction(
  runner: Runner,
  { outcome, ...action }: { readonly action_id: string; readonly accepted: boolean; readonly outcome: string },
): Promise<void> {
  await run(runner, END, { ...action, outcome: toStoredText(outcome) });
}

/** Who last deleted a world of this name; undefined where nobody has. */
export async function findDeletion(runner: Runner, world_slug: string) {
  return (
    await run<Pick<OperatorActionRecord, 'acted_by' | 'acted_at' | 'reason'>>(runner, FIND_DELETION, { world_slug })
  )[0];
}
