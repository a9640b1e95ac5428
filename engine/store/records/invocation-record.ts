import type { Json } from '../../contract/json.js';
import { canonicalText } from '../../core/content/canonical.js';
import { viewFailureBody } from '../../core/content/failure-body.js';
import { redact } from '../../core/content/redact.js';
import type { InvocationRecord, InvocationView, SettlementRecord } from '../../ports/records.js';
import { prepare, run, type Runner } from '../statement.js';
import { type InvocationRow, selectInvocation, toAnswer, toShown } from './invocation-rows.js';

/** The request of a generation names its conversation, as its row in `llm_calls` does. */
const REQUEST = `coalesce(calls.request_json, json_build_object('conversation', conversation, 'message_count', message_count,
       'output_schema_hash', llm_calls.output_schema_hash, 'prefix_hash', prefix_hash, 'schema_delivery', schema_delivery))`;

const INVOCATION = prepare(
  'find_invocation',
  `${selectInvocation(`
     calls.attempt_id, calls.world_slug, calls.attempted_turn, calls.workflow_hash, calls.source_hash,
     response_sources.content->>'label' AS source_label,
     ${REQUEST} AS request_json, calls.input_schema_hash, calls.output_schema_hash, calls.validation_status,
     calls.response_headers, calls.response_body, calls.started_at, calls.ended_at, pending_calls.correlation_alias,
     pending_calls.pended_at, pending_calls.deadline, settled.performed, settled.settled_at,
     settled.response_json AS settled_json, settling.details AS settled_how`)}
   JOIN response_sources ON response_sources.hash = calls.source_hash
   LEFT JOIN pending_calls ON pending_calls.world_slug = calls.world_slug
     AND pending_calls.source_invocation_id = calls.source_invocation_id
   LEFT JOIN call_settlements AS settled ON settled.world_slug = calls.world_slug
     AND settled.source_invocation_id = calls.source_invocation_id
   LEFT JOIN attempt_events AS settling ON settling.world_slug = calls.world_slug
     AND settling.attempt_id = calls.attempt_id AND settling.event_kind = 'call_settled'
     AND settling.source_invocation_id = calls.source_invocation_id
   WHERE calls.source_invocation_id = :source_invocation_id::uuid`,
);

interface Row
  extends InvocationRow,
    Omit<
      InvocationRecord,
      keyof InvocationRow | 'response_text' | 'response_bytes' | 'hidden_by_redaction' | 'pended' | 'settlement'
    > {
  readonly response_body: Buffer | null;
  readonly correlation_alias: string | null;
  readonly pended_at: string | null;
  readonly deadline: string | null;
  readonly performed: boolean | null;
  readonly settled_at: string | null;
  readonly settled_json: Json;
  readonly settled_how: Partial<Pick<SettlementRecord, 'settled_by' | 'host' | 'reason'>> | null;
}

/** One call with all that may be seen of it. */
export async function findInvocation(
  runner: Runner,
  source_invocation_id: string,
  view: InvocationView,
): Promise<InvocationRecord | undefined> {
  const [row] = await run<Row>(runner, INVOCATION, { source_invocation_id });
  if (!row) return undefined;
  const seen: Row = view === 'unredacted' ? { ...row, redaction: 'all' } : row;
  const { response_body, correlation_alias, pended_at, deadline, ...others } = toShown(seen);
  const { performed: _performed, settled_at: _at, settled_json, settled_how: _how, ...shown } = others;
  const settlement = toSettlement(seen);
  const answer = toAnswer(row);
  const isBodyHidden = response_body !== null && seen.redaction !== 'all';
  return {
    ...shown,
    response_text: isBodyHidden ? toSaid(response_body, seen) : (response_body?.toString('utf8') ?? null),
    response_bytes: response_body?.length ?? (answer === null ? null : Buffer.byteLength(canonicalText(answer))),
    hidden_by_redaction:
      isBodyHidden ||
      canonicalText(shown.response_json) !== canonicalText(answer) ||
      canonicalText(settlement?.answer ?? null) !== canonicalText(settled_json),
    pended: pended_at === null || deadline === null ? null : { correlation_alias, pended_at, deadline },
    settlement,
  };
}

/** The visible part of a failed call's body, as a model is shown it. An answer has a view. */
function toSaid(body: Buffer, { status, redaction }: Row): string | null {
  const said = status === 'failed' ? viewFailureBody(body, redaction) : undefined;
  return said === undefined ? null : canonicalText(said);
}

function toSettlement({ performed, settled_at, settled_json, settled_how, redaction }: Row): SettlementRecord | null {
  if (performed === null || settled_at === null) return null;
  const { settled_by = null, host = null, reason = null } = settled_how ?? {};
  const answer = settled_json === null ? null : redact(settled_json, redaction);
  return { performed, answer, settled_at, settled_by, host, reason };
}
