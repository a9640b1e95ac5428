import { sha256 } from '../content/sha256.js';
import type { AttemptBegan, AttemptFailed, CallEnded, CallStarted, Fact, TurnCommitted } from '../facts/fact.js';
import type { OrderPlan, PlannedNode, PlannedSubject } from '../protocol/order-plan.js';
import { FIRST_STATE, toState } from './transitions.js';
import type { OrderCost, OrderState, WorkOrder } from './work-order.js';

/** An attempt as a session of work orders. */
export interface Session {
  readonly session_id: string;
  readonly began: AttemptBegan;
  /** Readings that all subjects share, in the order of their issue. */
  readonly readings: readonly OrderCall[];
  /** In the scenario's order. */
  readonly chains: readonly Chain[];
  /** Absent while the attempt is open. */
  readonly ended?: TurnCommitted | AttemptFailed;
}

/** The orders of one agent turn. */
export interface Chain {
  readonly subject_id: string;
  readonly workflow_hash: string;
  /** The subject's own readings, in the order of their issue. */
  readonly readings: readonly OrderCall[];
  /** By the numbers of their slots. */
  readonly orders: readonly PerformedOrder[];
  /** The patch that the turn took from it. */
  readonly patch_seq?: number;
}

/** An order with its plan and its calls. */
export interface PerformedOrder {
  readonly order: WorkOrder;
  readonly planned: PlannedNode;
  /** In the order of their issue; none of an order that failed before it was dispatched. */
  readonly calls: readonly OrderCall[];
}

/** A call from its start to its end. */
export interface OrderCall {
  readonly start: CallStarted;
  /** Absent while it is under way. */
  readonly end?: CallEnded;
  readonly is_superseded: boolean;
}

/** The planning tier of every session: the driver of the attempt. */
export const PLANNER = 'driver.ho2';

/** The session of an attempt: it is named by the hash of the 16 bytes of the attempt's id. */
export function sessionIdOf(attempt_id: string): string {
  const bytes = Buffer.from(attempt_id.replaceAll('-', ''), 'hex');
  return `SES-${sha256(bytes).slice(0, 8).toUpperCase()}`;
}

/**
 * Folds the facts of one attempt into its work orders.
 * @param facts all of the attempt so far, from `attempt_began` on
 * @throws Error where they do not begin with it
 */
export function foldOrders(plan: OrderPlan, facts: readonly Fact[]): Session {
  const [began] = facts;
  if (began?.kind !== 'attempt_began') throw new Error('the facts of an attempt begin with its beginning');
  const ended = facts.find((fact) => fact.kind === 'turn_committed' || fact.kind === 'attempt_failed');
  const calls = pairCalls(facts);
  const session_id = sessionIdOf(began.attempt_id);
  const chains = plan.subjects.flatMap((subject) => {
    const own = calls.filter(({ start }) => start.subject_id === subject.subject_id);
    const chain = foldChain({ session_id, subject, calls: own, ended });
    return chain.orders.length === 0 && chain.readings.length === 0 ? [] : [chain];
  });
  const readings = calls.filter(({ start }) => start.subject_id === null);
  return { session_id, began, readings, chains, ...(ended === undefined ? {} : { ended }) };
}

/** The calls of an attempt in the order of their issue. */
function pairCalls(facts: readonly Fact[]): readonly OrderCall[] {
  const ends = new Map<string, CallEnded>();
  const superseded = new Set<string>();
  for (const fact of facts) {
    if (fact.kind === 'call_ended') ends.set(fact.source_invocation_id, fact);
    if (fact.kind === 'call_superseded') superseded.add(fact.source_invocation_id);
  }
  return facts
    .filter((fact) => fact.kind === 'call_started')
    .map((start): OrderCall => {
      const end = ends.get(start.source_invocation_id);
      const is_superseded = superseded.has(start.source_invocation_id);
      return { start, is_superseded, ...(end === undefined ? {} : { end }) };
    })
    .toSorted((left, right) => placeOf(left).localeCompare(placeOf(right)) || 0);
}

/** Adopted calls come first, each as its own attempt numbered it. */
function placeOf({ start }: OrderCall): string {
  const seq = `${start.invocation_seq}`.padStart(10, '0');
  return `${start.adopted_from === null ? '1' : '0'}${seq}${start.source_invocation_id}`;
}

interface ChainParts {
  readonly session_id: string;
  readonly subject: PlannedSubject;
  readonly calls: readonly OrderCall[];
  readonly ended: TurnCommitted | AttemptFailed | undefined;
}

function foldChain(parts: ChainParts): Chain {
  const { subject, calls, ended } = parts;
  const { subject_id, workflow_hash } = subject;
  const readings = calls.filter(({ start }) => start.node_id === null);
  const orders = subject.nodes.flatMap((planned) => foldOrder(parts, planned) ?? []);
  const patch = ended?.kind === 'turn_committed' ? ended.patches.find((it) => it.subject_id === subject_id) : undefined;
  return {
    subject_id,
    workflow_hash,
    readings,
    orders,
    ...(patch === undefined ? {} : { patch_seq: patch.patch_seq }),
  };
}

/** @returns undefined for a node that was not reached */
function foldOrder(parts: ChainParts, planned: PlannedNode): PerformedOrder | undefined {
  const { session_id, subject, ended } = parts;
  const calls = parts.calls.filter(({ start }) => start.node_id === planned.node_id);
  const failure = ended?.kind === 'attempt_failed' ? ended : undefined;
  const fails_here = failure?.subject_id === subject.subject_id && failure.node_id === planned.node_id;
  const [first] = calls;
  if (first === undefined && !fails_here) return undefined;
  const result = findResult(calls);
  const state = stateOf({
    has_begun: first !== undefined,
    is_done: result !== undefined,
    is_over: ended !== undefined,
  });
  const prior = planned.after.flatMap((id) => subject.nodes.find(({ node_id }) => node_id === id) ?? []);
  const begun_at = first?.start.at ?? ended?.at ?? 0;
  const closed_at = result?.end?.at ?? ended?.at;
  const order: WorkOrder = {
    wo_id: orderIdOf(session_id, planned),
    session_id,
    parent_wo_id: prior.length === 0 ? null : orderIdOf(session_id, latestOf(prior)),
    wo_type: planned.order_type,
    tier_target: 'HO1',
    state,
    created_at: toMoment(begun_at),
    created_by: PLANNER,
    subject_id: subject.subject_id,
    node_id: planned.node_id,
    input_context: {
      user_input: null,
      prior_results: prior.map((node) => orderIdOf(session_id, node)),
      assembled_context: { context_hash: first?.start.context_hash ?? first?.start.request_hash ?? null },
    },
    constraints: planned.constraints,
    output_result:
      result === undefined
        ? null
        : { source_invocation_id: result.start.source_invocation_id, answer_hash: result.end?.answer_hash ?? null },
    error: state === 'failed' ? errorOf(calls, failure, fails_here) : null,
    completed_at: (state === 'completed' || state === 'failed') && closed_at !== undefined ? toMoment(closed_at) : null,
    cost: costOf(calls),
  };
  return { order, planned, calls };
}

function latestOf(nodes: readonly PlannedNode[]): PlannedNode {
  return nodes.reduce((left, right) => (right.first_slot > left.first_slot ? right : left));
}

function orderIdOf(session_id: string, { first_slot }: PlannedNode): string {
  return `WO-${session_id}-${`${first_slot}`.padStart(3, '0')}`;
}

/** The call that gave the order its result: its last that is not superseded, where that ended well. */
function findResult(calls: readonly OrderCall[]): OrderCall | undefined {
  const last = calls.findLast(({ is_superseded, end }) => !is_superseded && end?.status === 'succeeded');
  const kind = last?.end?.model_output_kind ?? null;
  const isResult = last?.start.invocation_kind === 'node_call' || kind === 'final_patch' || kind === 'json_answer';
  return isResult ? last : undefined;
}

/** The way of an order through its states, each step as the table permits it. */
function stateOf(way: {
  readonly has_begun: boolean;
  readonly is_done: boolean;
  readonly is_over: boolean;
}): OrderState {
  if (!way.has_begun) return toState(FIRST_STATE, 'failed', 'HO2');
  const executing = toState(toState(FIRST_STATE, 'dispatched', 'HO2'), 'executing', 'HO1');
  if (way.is_done) return toState(executing, 'completed', 'HO1');
  return way.is_over ? toState(executing, 'failed', 'HO1') : executing;
}

function errorOf(
  calls: readonly OrderCall[],
  failure: AttemptFailed | undefined,
  fails_here: boolean,
): NonNullable<WorkOrder['error']> {
  if (fails_here && failure !== undefined) return { reason: failure.failure_class, message: failure.failure_message };
  const end = calls.findLast((call) => call.end !== undefined && call.end.failure_class !== null)?.end;
  const reason = end?.failure_class ?? null;
  if (calls.at(-1)?.is_superseded === false && reason !== null) return { reason, message: end?.failure_message ?? '' };
  return { reason: 'stopped', message: 'The attempt ended before the order was done.' };
}

/** What calls cost: one that an earlier attempt made was paid for there, and a superseded one counts. */
export function costOf(calls: readonly OrderCall[]): OrderCost {
  const own = calls.filter(({ start }) => start.adopted_from === null);
  const sum = (count: (call: OrderCall) => number | null | undefined): number =>
    own.reduce((total, call) => total + (count(call) ?? 0), 0);
  const input_tokens = sum(({ end }) => end?.input_tokens);
  const output_tokens = sum(({ end }) => end?.output_tokens);
  const llm_calls = own.filter(({ start }) => start.invocation_kind === 'llm_generation').length;
  return {
    input_tokens,
    output_tokens,
    total_tokens: input_tokens + output_tokens,
    llm_calls,
    tool_calls: own.length - llm_calls,
    elapsed_ms: sum(({ end }) => end?.duration_ms),
  };
}

/** RFC 3339, in UTC, of milliseconds since 1970. */
export function toMoment(at: number): string {
  return new Date(at).toISOString();
}
