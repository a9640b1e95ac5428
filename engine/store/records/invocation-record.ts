import { describeFaultPlace, parseJson } from '../../core/content/parse-json.js';
import type { NotNull } from 'kysely';
import type { Json, JsonObject } from '../../contract/json.js';
import { canonicalText } from '../../core/content/canonical.js';
import { viewFailureBody } from '../../core/content/failure-body.js';
import { redact } from '../../core/content/redact.js';
import { withoutPieces } from '../../core/policy/provenance.js';
import type { InvocationRecord, InvocationView, PolicyRulingRecord, SettlementRecord } from '../../ports/records.js';
import { IS_UNKNOWN } from '../attempts/doubt.js';
import { type InWorld, query } from '../queries.js';
import type { Runner } from '../statement.js';
import { CHILDREN, RAW_TEXT, type Redacted, SETTLED_AS, SUMMARY, toAnswer, toShown } from './invocation-rows.js';
import { toToolCalls, toToolResult } from './tool-calls.js';
import { callState } from './work-state.js';

/** The request of a generation names its conversation, as its row in `llm_calls` does. */
const REQUEST = `coalesce(calls.request_json, json_build_object('conversation', conversation, 'message_count', message_count,
       'output_schema_hash', llm_calls.output_schema_hash, 'prefix_hash', prefix_hash, 'schema_delivery', schema_delivery))`;

const readInvocation = query(
  ({ from, sql, lit }, { source_invocation_id }: Pick<InvocationRecord, 'source_invocation_id'>) =>
    from('source_invocations as calls')
      .innerJoin('response_sources', 'response_sources.hash', 'calls.source_hash')
      .leftJoin('llm_calls', (join) =>
        join
          .onRef('llm_calls.world_slug', '=', 'calls.world_slug')
          .onRef('llm_calls.llm_call_id', '=', 'calls.llm_call_id'),
      )
      .leftJoin('pending_calls as waits', (join) =>
        join
          .onRef('waits.world_slug', '=', 'calls.world_slug')
          .onRef('waits.source_invocation_id', '=', 'calls.source_invocation_id'),
      )
      .leftJoin('call_settlements as settled', (join) =>
        join
          .onRef('settled.world_slug', '=', 'calls.world_slug')
          .onRef('settled.source_invocation_id', '=', 'calls.source_invocation_id'),
      )
      .leftJoin('attempt_events as settling', (join) =>
        join
          .onRef('settling.world_slug', '=', 'calls.world_slug')
          .onRef('settling.attempt_id', '=', 'calls.attempt_id')
          .on('settling.event_kind', '=', lit('call_settled'))
          .onRef('settling.source_invocation_id', '=', 'calls.source_invocation_id'),
      )
      .select(SUMMARY)
      .select([sql.raw<boolean>(IS_UNKNOWN).as('outcome_unknown'), sql.raw<SettledAs>(SETTLED_AS).as('settled_as')])
      .select([...callState(sql, 'calls'), 'calls.http_status', 'calls.llm_call_id', 'calls.duration_ms'])
      .select([
        'calls.redaction',
        'calls.response_json',
        'finish_reason',
        sql.raw<Buffer | null>(RAW_TEXT).as('raw_text'),
      ])
      .select([
        sql<null>`NULL::uuid`.as('adopted_from'),
        'calls.attempt_id',
        'calls.world_slug',
        'calls.attempted_turn',
      ])
      .select([
        'calls.policy_ruling',
        'calls.argument_origins',
        'calls.tool_call_id',
        'calls.workflow_hash',
        'calls.source_hash',
        sql<string>`content->>'label'`.as('source_label'),
      ])
      .select([sql.raw<Json>(REQUEST).as('request_json'), 'calls.input_schema_hash', 'calls.output_schema_hash'])
      .select(['calls.validation_status', 'calls.response_headers', 'calls.response_body', 'calls.started_at'])
      .select(sql.raw<readonly string[]>(CHILDREN).as('child_source_invocation_ids'))
      .select(['calls.ended_at', 'waits.correlation_alias', 'waits.pended_at', 'waits.deadline', 'settled.performed'])
      .select(['settled.settled_at', 'settled.response_json as settled_json', 'settling.details as settled_how'])
      .where('calls.source_invocation_id', '=', source_invocation_id)
      .$narrowType<Narrowed>(),
);

type SettledAs = InvocationRecord['settled_as'];

type Row = Awaited<ReturnType<typeof readInvocation>>[number];

/** What the tables cannot say: every call has a workflow, and documents are in columns of json. */
interface Narrowed extends Redacted {
  readonly workflow_hash: NotNull;
  readonly response_headers: JsonObject;
  readonly policy_ruling: Pick<PolicyRulingRecord, keyof PolicyRulingRecord> | null;
  readonly argument_origins: InvocationRecord['argument_origins'];
  readonly settled_how: Partial<Pick<SettlementRecord, 'settled_by' | 'host' | 'reason'>> | null;
}

/** One call with all that may be seen of it. */
export async function findInvocation(
  runner: Runner,
  source_invocation_id: string,
  view: InvocationView,
): Promise<InvocationRecord | undefined> {
  const [row] = await readInvocation(runner, { source_invocation_id });
  if (!row) return undefined;
  const seen: Row = view === 'unredacted' ? { ...row, redaction: 'all' } : row;
  const { response_body, correlation_alias, pended_at, deadline, tool_call_id, ...others } = toShown(seen);
  const { performed: _performed, settled_at: _at, settled_json, settled_how: _how, ...shown } = others;
  const settlement = toSettlement(seen);
  const answer = toAnswer(row);
  const isBodyHidden = response_body !== null && seen.redaction !== 'all';
  return {
    ...shown,
    argument_origins: shown.argument_origins && withoutPieces(shown.argument_origins),
    response_text: isBodyHidden ? toSaid(response_body, seen) : (response_body?.toString('utf8') ?? null),
    response_bytes: response_body?.length ?? (answer === null ? null : Buffer.byteLength(canonicalText(answer))),
    replaced: findReplaced(row),
    hidden_by_redaction:
      isBodyHidden ||
      canonicalText(shown.response_json) !== canonicalText(answer) ||
      canonicalText(settlement?.answer ?? null) !== canonicalText(settled_json),
    pended: pended_at === null || deadline === null ? null : { correlation_alias, pended_at, deadline },
    settlement,
    tool_result: toToolResult({ ...shown, tool_call_id }),
    tool_calls: toToolCalls({ ...shown, tool_call_id }),
  };
}

/** Without the names of members, which redaction may hide. */
function findReplaced({ status, response_body }: Row): string | null {
  if (status !== 'succeeded' || response_body === null) return null;
  const parsed = parseJson(response_body.toString('utf8'), 'lenient');
  return parsed.ok && parsed.replaced ? describeFaultPlace(parsed.replaced) : null;
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

type AskedCalls = InWorld & { readonly source_invocation_ids: readonly string[] };

const readExchanges = query(({ from }, { world_slug, source_invocation_ids }: AskedCalls) =>
  from('source_invocations as calls')
    .leftJoin('call_settlements as settled', (join) =>
      join
        .onRef('settled.world_slug', '=', 'calls.world_slug')
        .onRef('settled.source_invocation_id', '=', 'calls.source_invocation_id'),
    )
    .select(['calls.source_invocation_id', 'command_key', 'ambient_source_id', 'tool_name', 'request_json'])
    .select(['workflow_node_id', 'failure_class', 'failure_detail', 'failure_message', 'redaction'])
    .select(['calls.response_json', 'performed', 'settled.response_json as settled_json'])
    .where('calls.world_slug', '=', world_slug)
    .where('calls.source_invocation_id', '=', (eb) => eb.fn.any(eb.val(source_invocation_ids)))
    .$narrowType<Redacted>(),
);

const NO_FAILURE = { failure_class: null, failure_detail: null, failure_message: null };

/**
 * Reads the requests and answers of several calls, none of them a generation, by one statement. A call that was settled
 * has the answer with which it was.
 */
export async function listExchanges(runner: Runner, world_slug: string, source_invocation_ids: readonly string[]) {
  const rows = await readExchanges(runner, { world_slug, source_invocation_ids });
  return rows.map(({ redaction, response_json, performed, settled_json, ...call }) => {
    const answer = performed === true ? settled_json : response_json;
    const failure = performed === true ? NO_FAILURE : {};
    return { ...call, ...failure, response_json: answer === null ? null : redact(answer, redaction) };
  });
}
