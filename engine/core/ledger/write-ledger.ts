import type { JsonObject } from '../../contract/json.js';
import { canonicalText } from '../content/canonical.js';
import { sha256 } from '../content/sha256.js';
import type { Call } from '../facts/call.js';
import type { ApprovalAsked, CallSettled, Fact } from '../facts/fact.js';
import {
  asksModel,
  type Chain,
  costOf,
  type Decision,
  foldOrders,
  type PerformedOrder,
  PLANNER,
  type Session,
  sessionIdOf,
} from '../orders/fold-orders.js';
import type { Tier } from '../orders/work-order.js';
import type { OrderPlan } from '../protocol/order-plan.js';
import type { Artifact, LedgerEntry, LedgerEvent } from './ledger-entry.js';

/**
 * Writes both ledgers of an attempt: a fold of its facts, in an order that follows from the plan and from the order in
 * which calls were issued, never from timing.
 * @param facts those of the attempt up to its end
 */
export function writeLedger(plan: OrderPlan, facts: readonly Fact[]): readonly LedgerEntry[] {
  const session = foldOrders(plan, facts);
  const ledger = openLedger(session.session_id, session.began.attempt_id);
  const began = beginSession(ledger, session);
  const readings = session.readings.map((call) => addReading(ledger, call, { parent: began }));
  const shared = readings.map(({ entry_id }): Artifact => ({ type: 'ledger_entry', id: entry_id }));
  for (const chain of session.chains) writeChain(ledger, session, chain, { began, shared });
  addApprovals(ledger, facts, began);
  endSession(ledger, session, began);
  return ledger.entries;
}

/** What persons were asked, and what was decided, in the order of the calls' keys: the moments of decisions are nobody's plan. */
function addApprovals(ledger: Ledger, facts: readonly Fact[], began: LedgerEntry): void {
  const decisions = new Map(facts.flatMap((it) => (it.kind === 'approval_decided' ? [[it.approval_id, it]] : [])));
  const asked = facts.filter((fact) => fact.kind === 'approval_asked');
  const placeOf = ({ command_key, approval_id }: ApprovalAsked): string => `${command_key} ${approval_id}`;
  for (const { kind: _asked, at, ...question } of asked.toSorted((left, right) =>
    placeOf(left) < placeOf(right) ? -1 : 1,
  )) {
    const { approval_id: place, source_hash } = question;
    const artifacts = [{ type: 'package', id: source_hash }] as const;
    const common = { tier: 'HO2', place } as const;
    const parent = add(ledger, {
      ...common,
      event_type: 'APPROVAL_ASKED',
      at,
      parent: began,
      artifacts,
      details: question,
    });
    const decided = decisions.get(place);
    if (decided === undefined) continue;
    const { kind: _decided, at: decided_at, ...decision } = decided;
    const outcome = decided.decision === 'approved' ? 'success' : 'failure';
    add(ledger, { ...common, event_type: 'APPROVAL_DECIDED', at: decided_at, parent, details: decision, outcome });
  }
}

/** The entry of a settlement, which comes after those of its attempt. */
export function writeSettlement(attempt_id: string, settled: CallSettled): LedgerEntry {
  const ledger = openLedger(sessionIdOf(attempt_id), attempt_id);
  const { source_invocation_id, performed, answer_hash } = settled;
  return add(ledger, {
    tier: 'HO2',
    event_type: 'CALL_SETTLED',
    place: source_invocation_id,
    at: settled.at,
    details: { source_invocation_id, performed, answer_hash },
  });
}

/** Where an entry keeps its text. A weak map of thousands of entries costs more than all their texts. */
const TEXT = Symbol('text');

/** The text of an entry: what is hashed, and a line of an export. It is hashed alone and within its chain, and made once. */
export function entryText(entry: LedgerEntry & { readonly [TEXT]?: string }): string {
  const known = entry[TEXT];
  if (known !== undefined) return known;
  const text = canonicalText(entry as unknown as JsonObject);
  // No copy of an entry has it.
  Object.defineProperty(entry, TEXT, { value: text });
  return text;
}

interface Ledger {
  readonly session_id: string;
  readonly attempt_id: string;
  readonly entries: LedgerEntry[];
  readonly ids: Set<string>;
}

function openLedger(session_id: string, attempt_id: string): Ledger {
  return { session_id, attempt_id, entries: [], ids: new Set() };
}

interface NewEntry {
  readonly tier: Tier;
  readonly event_type: LedgerEvent;
  /** Tells it from others of its type in the attempt. */
  readonly place: string;
  /** RFC 3339, in UTC. */
  readonly at: string;
  readonly wo_id?: string;
  readonly parent?: LedgerEntry | undefined;
  readonly root?: LedgerEntry | undefined;
  readonly artifacts?: readonly Artifact[];
  readonly agent_id?: string;
  readonly workflow_hash?: string | null;
  readonly details: JsonObject;
  readonly outcome?: 'success' | 'failure';
  readonly fingerprint?: LedgerEntry['metadata']['context_fingerprint'];
}

function add(ledger: Ledger, entry: NewEntry): LedgerEntry {
  const { session_id } = ledger;
  const entry_id = nextId(ledger, `${entry.event_type} ${entry.place}`);
  const { tier, event_type, wo_id, parent, agent_id, workflow_hash, fingerprint, outcome } = entry;
  const written: LedgerEntry = {
    entry_id,
    tier,
    event_type,
    timestamp: entry.at,
    session_id,
    ...(wo_id === undefined ? {} : { wo_id }),
    details: entry.details,
    ...(outcome === undefined ? {} : { outcome: { status: outcome } }),
    metadata: {
      relational: {
        ...(parent === undefined ? {} : { parent_event_id: parent.entry_id }),
        ...(entry.root === undefined ? {} : { root_event_id: entry.root.entry_id }),
        related_artifacts: entry.artifacts ?? [],
      },
      provenance: {
        agent_id: agent_id ?? PLANNER,
        agent_class: agent_id === undefined ? 'KERNEL.syntactic' : 'RESIDENT',
        ...(wo_id === undefined ? {} : { work_order_id: wo_id }),
        session_id,
        ...(workflow_hash === undefined || workflow_hash === null
          ? {}
          : { framework_id: frameworkIdOf(workflow_hash) }),
      },
      ...(fingerprint === undefined ? {} : { context_fingerprint: fingerprint }),
    },
  };
  ledger.entries.push(written);
  return written;
}

/** Two places that come to the same 8 digits are told apart by their order. */
function nextId({ attempt_id, ids }: Ledger, place: string): string {
  let number = Number.parseInt(sha256(`${attempt_id} ${place}`).slice(0, 8), 16);
  const toId = (): string => `LED-${number.toString(16).padStart(8, '0')}`;
  while (ids.has(toId())) number = (number + 1) % 2 ** 32;
  ids.add(toId());
  return toId();
}

/** The framework that governs an agent's orders is its workflow. */
function frameworkIdOf(workflow_hash: string): string {
  return `FMWK-${workflow_hash.slice(0, 16)}`;
}

function beginSession(ledger: Ledger, { began }: Session): LedgerEntry {
  const { world_slug, attempt_id, attempted_turn, scenario_hash, renderer_version, plugin_versions } = began;
  return add(ledger, {
    tier: 'HO2',
    event_type: 'SESSION_BEGAN',
    place: '',
    at: began.at,
    details: {
      world_slug,
      attempt_id,
      attempted_turn,
      scenario_hash,
      renderer_version,
      plugin_versions: { ...plugin_versions },
    },
  });
}

function endSession(ledger: Ledger, session: Session, began: LedgerEntry): void {
  const { ended } = session;
  if (ended === undefined) return;
  const total_cost = { ...costOf([...session.readings, ...session.chains.flatMap(callsOf)]) };
  const how =
    ended.kind === 'turn_committed'
      ? { simulation_time: ended.simulation_time, patches: ended.patches.map((patch) => ({ ...patch })) }
      : {
          failure_class: ended.failure_class,
          failure_message: ended.failure_message,
          subject_id: ended.subject_id,
          node_id: ended.node_id,
          source_invocation_id: ended.source_invocation_id,
        };
  add(ledger, {
    tier: 'HO2',
    event_type: 'SESSION_ENDED',
    place: '',
    at: ended.at,
    parent: began,
    details: { ...how, total_cost },
    outcome: ended.kind === 'turn_committed' ? 'success' : 'failure',
  });
}

function callsOf({ readings, orders }: Chain): readonly Call[] {
  return [...readings, ...orders.flatMap(({ calls }) => calls)];
}

interface Opening {
  readonly began: LedgerEntry;
  /** The readings that all subjects share. */
  readonly shared: readonly Artifact[];
}

/** A chain is closed where a gate sends an answer back or escalates: the orders after that are a chain of their own. */
function writeChain(ledger: Ledger, session: Session, chain: Chain, { began, shared }: Opening): void {
  const { subject_id, workflow_hash } = chain;
  let first = ledger.entries.length;
  let orders: PerformedOrder[] = [];
  let root: LedgerEntry | undefined;
  let before: LedgerEntry | undefined;
  if (chain.orders.length === 0) for (const call of chain.readings) addReading(ledger, call, { parent: began });
  for (const performed of chain.orders) {
    const { order } = performed;
    const common = { wo_id: order.wo_id, workflow_hash } as const;
    const isFirst = root === undefined && before === undefined;
    const planned = add(ledger, {
      ...common,
      tier: 'HO2',
      event_type: 'WO_PLANNED',
      place: order.wo_id,
      at: isFirst ? beginningOf(chain, order.created_at) : order.created_at,
      parent: root ?? before ?? began,
      root,
      artifacts: [...contractOf(performed), ...(isFirst ? shared : [])],
      details: {
        wo_type: order.wo_type,
        subject_id,
        node_id: order.node_id,
        parent_wo_id: order.parent_wo_id,
        input_context: { ...order.input_context },
        constraints: { ...order.constraints },
      },
    });
    root ??= planned;
    if (isFirst) for (const call of chain.readings) addReading(ledger, call, { parent: planned, root });
    const performance = { order, root, common, subject_id };
    if (performed.calls.length === 0) closeOrder(ledger, performance, planned, 'HO2');
    else performOrder(ledger, performed, performance, planned);
    orders.push(performed);
    const { judged } = performed;
    if (judged === undefined || judged.decision === 'pass') continue;
    before = closeChain(ledger, chain, root, { first, orders, at: judged.at, judged, place: order.wo_id });
    first = ledger.entries.length;
    [orders, root] = [[], undefined];
  }
  if (session.ended === undefined || root === undefined) return;
  const { at } = session.ended;
  closeChain(ledger, chain, root, { first, orders, at, judged: findPass(chain), place: subject_id });
}

/** The verdict on the patch that the turn took: without a gate, taking it is a pass. */
function findPass({ patch, orders }: Chain): Closing['judged'] {
  if (patch === undefined) return undefined;
  const { source_invocation_id: given } = patch;
  const { judged } = orders.find(({ order }) => order.output_result?.source_invocation_id === given) ?? {};
  return judged ?? { decision: 'pass' };
}

/** An agent turn begins with its first reading. */
function beginningOf({ readings }: Chain, first_call_at: string): string {
  return readings.map(({ start }) => start.at).reduce((left, right) => (right < left ? right : left), first_call_at);
}

interface Performance {
  readonly order: PerformedOrder['order'];
  readonly root: LedgerEntry;
  readonly common: Pick<NewEntry, 'wo_id' | 'workflow_hash'>;
  readonly subject_id: string;
}

function performOrder(ledger: Ledger, performed: PerformedOrder, performance: Performance, planned: LedgerEntry): void {
  const { order, root, common, subject_id } = performance;
  const at = order.created_at;
  const dispatched = add(ledger, {
    ...common,
    tier: 'HO2',
    event_type: 'WO_DISPATCHED',
    place: order.wo_id,
    at,
    parent: planned,
    root,
    details: { tier_target: order.tier_target },
  });
  const executing = add(ledger, {
    ...common,
    tier: 'HO1',
    event_type: 'WO_EXECUTING',
    place: order.wo_id,
    at,
    parent: dispatched,
    root,
    agent_id: subject_id,
    details: { wo_type: order.wo_type },
  });
  for (const call of performed.calls) addCall(ledger, performed, call, { ...performance, executing });
  if (order.state === 'completed' || order.state === 'failed') closeOrder(ledger, performance, executing, 'HO1');
}

/** The one terminal entry of an order. */
function closeOrder(
  ledger: Ledger,
  { order, root, common, subject_id }: Performance,
  parent: LedgerEntry,
  tier: Tier,
): void {
  const { completed_at, created_at, cost, output_result, error, state } = order;
  const isDone = state === 'completed';
  add(ledger, {
    ...common,
    tier,
    event_type: isDone ? 'WO_COMPLETED' : 'WO_FAILED',
    place: order.wo_id,
    at: completed_at ?? created_at,
    parent,
    root,
    ...(tier === 'HO1' ? { agent_id: subject_id } : {}),
    details: { ...(isDone ? { output_result: { ...output_result } } : { error: { ...error } }), cost: { ...cost } },
    outcome: isDone ? 'success' : 'failure',
  });
}

function addReading(ledger: Ledger, call: Call, links: Pick<NewEntry, 'parent' | 'root'>): LedgerEntry {
  const { start } = call;
  return add(ledger, {
    ...links,
    tier: 'HO1',
    event_type: 'AMBIENT_CALL',
    place: start.source_invocation_id,
    at: start.at,
    workflow_hash: start.workflow_hash,
    agent_id: start.subject_id ?? 'world',
    artifacts: [{ type: 'package', id: start.source_hash }],
    details: { ambient_id: start.ambient_id, ...detailsOf(call) },
    ...outcomeOf(call),
  });
}

function addCall(
  ledger: Ledger,
  { planned }: PerformedOrder,
  call: Call,
  { root, common, subject_id, executing }: Performance & { readonly executing: LedgerEntry },
): void {
  const { start, end } = call;
  const isModel = asksModel(start);
  const contract = start.invocation_kind === 'quality_gate' ? planned.gate : planned.contract;
  const tokens = { input: end?.input_tokens ?? 0, output: end?.output_tokens ?? 0 };
  add(ledger, {
    ...common,
    workflow_hash: start.workflow_hash,
    tier: 'HO1',
    event_type: isModel ? 'LLM_CALL' : 'TOOL_CALL',
    place: start.source_invocation_id,
    at: start.at,
    parent: executing,
    root,
    agent_id: subject_id,
    artifacts: [
      { type: 'package', id: start.source_hash },
      ...(isModel && contract !== null ? [{ type: 'framework', id: contract.contract_id } as const] : []),
    ],
    details: isModel
      ? {
          contract_id: contract?.contract_id ?? null,
          input_tokens: end?.input_tokens ?? null,
          output_tokens: end?.output_tokens ?? null,
          cached_input_tokens: end?.cached_input_tokens ?? null,
          cache_written_input_tokens: end?.cache_written_input_tokens ?? null,
          reasoning_tokens: end?.reasoning_tokens ?? null,
          model_output_kind: end?.model_output_kind ?? null,
          generation_try: start.generation_try,
          offered_schema_hash: start.offered_schema_hash,
          delivered_schema_hash: start.delivered_schema_hash,
          schema_delivery: start.schema_delivery,
          endpoint_origin: start.endpoint_origin,
          ...detailsOf(call),
        }
      : { tool_id: start.tool_name ?? start.node_id, ...detailsOf(call) },
    ...outcomeOf(call),
    ...(isModel && start.context_hash !== null
      ? {
          fingerprint: {
            context_hash: start.context_hash,
            ...(contract === null ? {} : { prompt_pack_id: contract.prompt_pack_id }),
            tokens_used: tokens,
            ...(start.model === null ? {} : { model_id: start.model }),
          },
        }
      : {}),
  });
}

/** What the entries of all calls say: summaries of arguments and result are their hashes, which the record resolves. */
function detailsOf({ start, end, is_superseded }: Call): JsonObject {
  return {
    source_invocation_id: start.source_invocation_id,
    invocation_seq: start.invocation_seq,
    command_key: start.command_key,
    performance: start.performance,
    invocation_kind: start.invocation_kind,
    effect_class: start.effect_class,
    args_summary: { request_hash: start.request_hash, origins_hash: start.origins_hash },
    parent_source_invocation_id: start.parent_source_invocation_id,
    adopted_from: start.adopted_from,
    policy_ruling: start.policy_ruling && { ...start.policy_ruling },
    is_superseded,
    ended_at: end === undefined ? null : end.at,
    result_summary:
      end === undefined
        ? null
        : {
            status: end.status,
            refused: end.refused,
            answer_hash: end.answer_hash,
            failure_class: end.failure_class,
            failure_detail: end.failure_detail,
            failure_message: end.failure_message,
            duration_ms: end.duration_ms,
          },
  };
}

function outcomeOf({ end }: Call): Pick<NewEntry, 'outcome'> {
  return end === undefined ? {} : { outcome: end.status === 'succeeded' ? 'success' : 'failure' };
}

function contractOf({ planned }: PerformedOrder): readonly Artifact[] {
  return planned.contract === null ? [] : [{ type: 'spec', id: planned.contract.contract_id }];
}

interface Closing {
  /** Where the entries of the chain begin. */
  readonly first: number;
  readonly orders: readonly PerformedOrder[];
  readonly at: string;
  /** What was made of its answer; absent where there is none, or nobody decided. */
  readonly judged: { readonly decision: Decision; readonly source_invocation_id?: string } | undefined;
  readonly place: string;
}

/** Closes a chain of orders, and says what was made of its answer. @returns its last entry */
function closeChain(
  ledger: Ledger,
  { subject_id, workflow_hash, readings, patch }: Chain,
  root: LedgerEntry,
  { first, orders, at, judged, place }: Closing,
): LedgerEntry {
  const written = ledger.entries.slice(first);
  const trace_hash = traceHashOf(written);
  const artifacts = written
    .filter(({ event_type }) => event_type === 'WO_PLANNED')
    .map(({ entry_id }): Artifact => ({ type: 'ledger_entry', id: entry_id }));
  const outcome = judged?.decision === 'pass' ? 'success' : 'failure';
  const common = { tier: 'HO2', place, at, root, workflow_hash, artifacts, outcome } as const;
  const fingerprint = { context_hash: trace_hash };
  const isFirst = written.some(({ event_type }) => event_type === 'AMBIENT_CALL');
  const total_cost = costOf([...(isFirst ? readings : []), ...orders.flatMap(({ calls }) => calls)]);
  const complete = add(ledger, {
    ...common,
    event_type: 'WO_CHAIN_COMPLETE',
    parent: root,
    details: { subject_id, wo_count: orders.length, total_cost: { ...total_cost }, trace_hash },
    fingerprint,
  });
  if (judged === undefined) return complete;
  const { decision, source_invocation_id: judged_by } = judged;
  const taken = decision === 'pass' && patch !== undefined ? { patch_seq: patch.patch_seq } : {};
  return add(ledger, {
    ...common,
    event_type: 'WO_QUALITY_GATE',
    parent: complete,
    details: { subject_id, decision, ...taken, trace_hash, ...(judged_by === undefined ? {} : { judged_by }) },
    fingerprint,
  });
}

/**
 * The hash that ties the decisions of a chain to what was done: SHA-256 of its lines in the execution ledger, each as
 * an export writes it.
 */
export function traceHashOf(entries: readonly LedgerEntry[]): string {
  const done = entries.filter(({ tier }) => tier === 'HO1');
  return sha256(done.map((entry) => `${entryText(entry)}\n`).join(''));
}
