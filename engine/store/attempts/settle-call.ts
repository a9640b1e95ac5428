import { present } from '../../contract/present.js';
import { canonicalText, contentHash } from '../../core/content/canonical.js';
import { sealEntries } from '../../core/ledger/seal.js';
import { writeSettlement } from '../../core/ledger/write-ledger.js';
import type { SettleCall, Settled } from '../../ports/attempts.js';
import { inTransaction, type OpenDatabase } from '../database.js';
import { AT_THE_FRONT, PROMOTE } from '../inbox/turn-message.js';
import { prepare, run, type Runner, toTimestamp } from '../statement.js';
import { COUNT_DOUBTED, IS_UNKNOWN } from './doubt.js';
import { sealRow, toSeal } from './seal.js';

// A statement of its own: of several settlements of one call at once, each sees the earlier ones.
const LOCK = prepare(
  'lock_world_to_settle',
  `SELECT FROM worlds JOIN attempts USING (world_slug) WHERE attempt_id = :attempt_id::uuid FOR UPDATE OF worlds`,
);

// With the world's row locked nobody begins an attempt meanwhile.
const FIND = prepare(
  'find_settleable',
  `SELECT worlds.world_slug, attempts.ended_at IS NOT NULL AS has_ended,
     worlds.adoptable_attempt_id IS NOT DISTINCT FROM attempts.attempt_id AS is_waited_for,
     calls.source_invocation_id IS NOT NULL AS is_unknown, settled.source_invocation_id IS NOT NULL AS is_settled
   FROM attempts JOIN worlds USING (world_slug)
     LEFT JOIN source_invocations AS calls ON calls.world_slug = attempts.world_slug
       AND calls.attempt_id = attempts.attempt_id AND calls.source_invocation_id = :source_invocation_id::uuid
       AND ${IS_UNKNOWN}
     LEFT JOIN call_settlements AS settled ON settled.world_slug = calls.world_slug
       AND settled.source_invocation_id = calls.source_invocation_id
   WHERE attempts.attempt_id = :attempt_id::uuid
   FOR UPDATE OF worlds`,
);

const SETTLE = prepare(
  'settle_call',
  `WITH settlement AS (
     INSERT INTO call_settlements (world_slug, source_invocation_id, attempt_id, performed, response_json, settled_at)
     VALUES (:world_slug, :source_invocation_id::uuid, :attempt_id::uuid, :performed::boolean, :response_json::json,
       :settled_at::timestamptz)),
   fence AS (SELECT :world_slug::human_id_text AS world_slug),
   ${sealRow('fence', ':source_invocation_id::uuid')}
   INSERT INTO attempt_events (world_slug, attempt_id, event_kind, occurred_at, source_invocation_id,
     workflow_node_id, workflow_subject_entity_id, details)
   SELECT world_slug, attempt_id, 'call_settled', :settled_at::timestamptz, source_invocation_id, workflow_node_id,
     workflow_subject_entity_id, :details::json
   FROM source_invocations WHERE world_slug = :world_slug AND source_invocation_id = :source_invocation_id::uuid`,
);

// Where no call of the attempt is in doubt any more, a turn that was deferred for it is due at once.
const RELEASE = prepare(
  'release_settled_attempt',
  `WITH in_doubt AS (${COUNT_DOUBTED}),
   recalled AS (
     UPDATE agent_inbox ${PROMOTE}
     FROM in_doubt
     WHERE in_doubt.left = 0 AND agent_inbox.world_slug = :world_slug AND ${AT_THE_FRONT}
       AND agent_inbox.attempt_id IS NULL
     RETURNING agent_inbox.world_slug)
   SELECT in_doubt.left FROM in_doubt`,
);

interface Found {
  readonly world_slug: string;
  readonly has_ended: boolean;
  readonly is_waited_for: boolean;
  readonly is_unknown: boolean;
  readonly is_settled: boolean;
}

/** Records the outcome of a call in doubt. One transaction. */
export async function settleCall(
  database: Pick<OpenDatabase, 'pool' | 'ring'>,
  settlement: SettleCall,
): Promise<Settled> {
  const { attempt_id, source_invocation_id } = settlement;
  const settled = await inTransaction(database.pool, async (transaction): Promise<Settled> => {
    await run(transaction, LOCK, { attempt_id });
    const [found] = await run<Found>(transaction, FIND, { attempt_id, source_invocation_id });
    if (found?.is_unknown !== true) return { kind: 'not_in_doubt' };
    if (found.is_settled) return { kind: 'already_settled' };
    if (!found.has_ended) return { kind: 'not_ended' };
    if (!found.is_waited_for) return { kind: 'too_late' };
    return write(transaction, settlement, found.world_slug);
  });
  if (settled.kind === 'settled' && settled.left_in_doubt === 0) database.ring([settled.world_slug]);
  return settled;
}

async function write(transaction: Runner, settlement: SettleCall, world_slug: string): Promise<Settled> {
  const { attempt_id, source_invocation_id, answer, settled_at, settled_by, holder, reason } = settlement;
  const performed = answer !== undefined;
  const answer_hash = performed ? contentHash(answer) : null;
  const fact = {
    kind: 'call_settled',
    at: toTimestamp(settled_at),
    source_invocation_id,
    performed,
    answer_hash,
  } as const;
  await run(transaction, SETTLE, {
    world_slug,
    attempt_id,
    source_invocation_id,
    performed,
    response_json: performed ? canonicalText(answer) : null,
    details: canonicalText({ performed, settled_by, ...holder, ...present({ reason }) }),
    settled_at: toTimestamp(settled_at),
    ...toSeal(
      sealEntries([writeSettlement(attempt_id, fact)]),
      { world_slug, attempt_id, source_invocation_id },
      settled_at,
    ),
  });
  const [in_doubt] = await run<{ readonly left: number }>(transaction, RELEASE, { world_slug, attempt_id });
  return { kind: 'settled', world_slug, left_in_doubt: in_doubt?.left ?? 0 };
}
