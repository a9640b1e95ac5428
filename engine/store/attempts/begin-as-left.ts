import type { AttemptLease, BeginAttempt, CallsWrite, Written } from '../../ports/attempts.js';
import type { Runner } from '../statement.js';
import { toClaim } from './begin-attempt.js';
import { ASKS, BEGUN_FOR } from '../inbox/turn-message.js';
import type { ConversationMemory } from './conversation.js';
import { DRAWN_EVENT_ID } from './event-numbers.js';
import { leaseEnd } from './fence.js';
import { writeCallsAfter } from './write-calls.js';

// The epoch says that nobody has driven the world since its last driver left it with a committed turn: then there is no
// open attempt, no call in doubt, and no earlier driver whose fence the row would still let pass. So the statement
// looks for none of them, and the row needs no lock beside that of its change. The attempt that committed the turn
// proves that it is the same world, and not a later one of that name.
const IS_AS_LEFT = `
      worlds.world_slug = :world_slug AND turn = :attempted_turn::bigint - 1 AND lease_epoch = :epoch::bigint - 1
      AND lease_attempt_id IS NULL AND adoptable_attempt_id IS NULL AND scenario_hash = :scenario_hash
      AND :left_by::uuid = (
        SELECT attempt_id FROM turns WHERE world_slug = :world_slug AND turn = :attempted_turn::bigint - 1)`;

const CLAIM = `
    UPDATE worlds
    SET lease_epoch = :epoch::bigint, lease_attempt_id = :attempt_id::uuid, lease_host = :host, lease_pid = :pid::int,
      lease_until = ${leaseEnd('lease_ms')}`;

const CLAIMED = `RETURNING worlds.world_slug, scenario_hash, ${DRAWN_EVENT_ID}`;

const CLAIM_AS_LEFT = `
  fence AS (${CLAIM} WHERE ${IS_AS_LEFT} ${CLAIMED})`;

// The message is claimed with the world or not at all; a driver that gives turns back holds the lock of the world.
const CLAIM_WITH_MESSAGE = `
  free AS (SELECT world_slug FROM worlds WHERE ${IS_AS_LEFT} FOR NO KEY UPDATE),
  message AS (
    UPDATE agent_inbox ${BEGUN_FOR}
    FROM free
    WHERE ${ASKS}
    RETURNING agent_inbox.world_slug),
  fence AS (${CLAIM} FROM message WHERE worlds.world_slug = message.world_slug ${CLAIMED})`;

const ATTEMPT = `
  attempt AS (
    INSERT INTO attempts (world_slug, attempt_id, attempted_turn, epoch, scenario_hash, renderer_version,
      plugin_versions, holder_host, holder_pid, inbox_id, started_at, began_event_id)
    SELECT world_slug, :attempt_id::uuid, :attempted_turn::bigint, :epoch::bigint, scenario_hash, :renderer_version,
      :plugin_versions::json, :host, :pid::int, :inbox_id::uuid, :started_at::timestamptz, event_id
    FROM fence)`;

const HEAD = { name: 'begin_as_left', clauses: [CLAIM_AS_LEFT, ATTEMPT] };
const HEAD_WITH_MESSAGE = { name: 'begin_turn_as_left', clauses: [CLAIM_WITH_MESSAGE, ATTEMPT] };

/**
 * Claims a world that is as it was left, and the message that asks for the turn; opens an attempt and writes its first
 * calls: one statement.
 * @param left_by the attempt that committed the turn before
 * @param lease what the lease will be: of the next turn, with the next epoch
 * @returns `overtaken` where the world is not as it was left, or the message asks for nothing any more: nothing has been written
 */
export function beginAsLeft(
  runner: Runner,
  memory: ConversationMemory,
  request: BeginAttempt,
  { left_by, lease, calls }: { readonly left_by: string; readonly lease: AttemptLease; readonly calls: CallsWrite },
): Promise<Written> {
  const head = request.inbox_id === undefined ? HEAD : HEAD_WITH_MESSAGE;
  return writeCallsAfter(head, { ...toClaim(request), left_by }, { runner, memory, lease, calls });
}
