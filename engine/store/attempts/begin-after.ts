import { present } from '../../contract/present.js';
import type { BeginAttempt, BeginOutcome, Doubt, LeftAttempt, SetAside } from '../../ports/attempts.js';
import { prepare, run, type Runner, toTimestamp } from '../statement.js';
import { readWorld, toWindow } from '../world-snapshot.js';
import { beginAdopting } from './continue-attempt.js';
import { DOUBTS } from './doubt.js';
import { listRecordedCalls } from './recorded-calls.js';

// A new attempt after one that failed, with the world's row locked. The core decides, from the records, what it adopts.

const FIND_DOUBT = prepare('find_doubt', `${DOUBTS} LIMIT 1`);

const FIND_LEFT = prepare(
  'find_left_attempt',
  `SELECT attempt_id, attempted_turn, scenario_hash, failure_class, is_transient, failed_source_invocation_id
   FROM attempts WHERE world_slug = :world_slug AND attempt_id = :attempt_id::uuid`,
);

const LEAVE_BEHIND = prepare(
  'leave_attempt_behind',
  'UPDATE worlds SET adoptable_attempt_id = NULL WHERE world_slug = :world_slug',
);

const SET_ASIDE = prepare(
  'set_attempt_aside',
  `WITH doubted AS (${DOUBTS}),
   acted AS (
     SELECT source_invocation_id, command_key FROM source_invocations AS calls
     WHERE world_slug = :world_slug AND effect_class <> 'read_only' AND status = 'succeeded'
       AND (attempt_id = :attempt_id::uuid OR source_invocation_id IN (
         SELECT source_invocation_id FROM adopted_calls
         WHERE world_slug = :world_slug AND attempt_id = :attempt_id::uuid))),
   world AS (UPDATE worlds SET adoptable_attempt_id = NULL WHERE world_slug = :world_slug),
   audit AS (
   INSERT INTO audit_entries (world_slug, audit_kind, attempt_id, occurred_at, details)
   SELECT world_slug, 'attempt_set_aside', attempt_id, :at::timestamptz, json_build_object(
     'begun_anew_by', :new_attempt_id::uuid, 'host', :host::text, 'pid', :pid::int,
     'in_doubt', (SELECT coalesce(json_agg(source_invocation_id), '[]') FROM doubted),
     'side_effects', (SELECT coalesce(json_agg(source_invocation_id), '[]') FROM acted))
   FROM attempts WHERE world_slug = :world_slug AND attempt_id = :attempt_id::uuid)
   SELECT :attempt_id::uuid AS attempt_id, array(SELECT command_key FROM doubted) AS in_doubt,
     array(SELECT command_key FROM acted ORDER BY command_key) AS side_effects`,
);

/**
 * Begins a new attempt after one that failed at the same turn. Demands a transaction, and the world's row locked.
 * @returns `free` where the failed attempt no longer prevents one, with the calls that were set aside for that
 */
export async function beginAfter(
  transaction: Runner,
  request: BeginAttempt,
  left_attempt_id: string,
): Promise<BeginOutcome | Free> {
  const { world_slug } = request;
  const left = { world_slug, attempt_id: left_attempt_id };
  if (request.anew) return setAside(transaction, request, left);
  const [doubt] = await run<Doubt>(transaction, FIND_DOUBT, left);
  if (doubt !== undefined) return { kind: 'in_doubt', ...doubt };
  const found = await readLeft(transaction, left, request);
  const adoption = request.adopt(found);
  if (adoption.kind === 'refused') {
    const { attempt_id, attempted_turn } = found;
    return { kind: 'not_adoptable', attempt_id, attempted_turn, reason: adoption.reason };
  }
  const { source_invocation_ids } = adoption;
  if (source_invocation_ids.length > 0)
    return beginAdopting(transaction, request, { adopts: left_attempt_id, source_invocation_ids });
  await run(transaction, LEAVE_BEHIND, { world_slug });
  return { kind: 'free' };
}

/** Nothing is left in a world with which a new attempt has to do. */
export interface Free {
  readonly kind: 'free';
  readonly sets_aside?: SetAside;
}

interface AttemptKey {
  readonly [column: string]: string;
  readonly world_slug: string;
  readonly attempt_id: string;
}

/** A person wants a turn begun anew in any case: the record names the person and the calls that were set aside. */
async function setAside(transaction: Runner, request: BeginAttempt, left: AttemptKey): Promise<Free> {
  const [sets_aside] = await run<SetAside>(transaction, SET_ASIDE, {
    ...left,
    new_attempt_id: request.attempt_id,
    host: request.holder.host,
    pid: request.holder.pid,
    at: toTimestamp(request.started_at),
  });
  return { kind: 'free', ...present({ sets_aside }) };
}

async function readLeft(
  transaction: Runner,
  { world_slug, attempt_id }: AttemptKey,
  request: BeginAttempt,
): Promise<LeftAttempt> {
  const [row] = await run<Omit<LeftAttempt, 'world' | 'calls'>>(transaction, FIND_LEFT, { world_slug, attempt_id });
  if (!row) throw new Error(`the attempt ${attempt_id} of ${world_slug} is not on record`);
  const turn = row.attempted_turn - 1;
  const { calls } = await listRecordedCalls(transaction, { world_slug, attempt_id });
  return { ...row, world: await readWorld(transaction, { ...toWindow(request), world_slug, turn }), calls };
}
