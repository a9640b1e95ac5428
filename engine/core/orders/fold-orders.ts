import { runOf } from '../../contract/scripted.js';
import { sha256 } from '../content/sha256.js';
import { type Call, pairCalls } from '../facts/call.js';
import {
  type AttemptBegan,
  type AttemptFailed,
  type CallStarted,
  type Fact,
  type PatchFact,
  type TurnCommitted,
} from '../facts/fact.js';
import type { OrderPlan, PlannedNode, PlannedSubject } from '../protocol/order-plan.js';
import { FIRST_STATE, toState } from './transitions.js';
import type { OrderCost, OrderState, WorkOrder } from './work-order.js';

/** An attempt as a session of work orders. */
export interface Session {
  readonly session_id: string;
  readonly began: AttemptBegan;
  /** Readings that all subjects share, in the order of their issue. */
  readonly readings: readonly Call[];
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
  readonly readings: readonly Call[];
  /** By the numbers of their slots. */
  readonly orders: readonly PerformedOrder[];
  /** What the turn took from it. */
  readonly patch?: PatchFact;
}

/** An order with its plan and its calls. */
export interface PerformedOrder {
  readonly order: WorkOrder;
  readonly planned: PlannedNode;
  /** In the order of their issue; none of an order that failed before it was dispatched. */
  readonly calls: readonly Call[];
  /** What its gate decided of its result; absent where there is none, or it has not decided. */
  readonly judged?: { readonly decision: Decision; readonly source_invocation_id: string; readonly at: string };
}

/** What a quality gate decides. */
export type Decision = 'pass' | 'retry' | 'escalate';

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
  const chains = [...plan.subjects, ...listUnplanned(plan, calls, ended)].flatMap((subject) => {
    const own = calls.filter(({ start }) => start.subject_id === subject.subject_id);
    const chain = foldChain({ session_id, subject, calls: own, ended });
    return chain.orders.length === 0 && chain.readings.length === 0 ? [] : [chain];
  });
  const readings = calls.filter(({ start }) => start.subject_id === null);
  return { session_id, began, readings, chains, ...(ended === undefined ? {} : { ended }) };
}

/** Who has given a patch without an order: a person who edits the world. */
function listUnplanned(
  { subjects }: OrderPlan,
  calls: readonly Call[],
  ended: Session['ended'],
): readonly PlannedSubject[] {
  const patches = ended?.kind === 'turn_committed' ? ended.patches : [];
  const planned = new Set(subjects.map(({ subject_id }) => subject_id));
  return patches.flatMap(({ subject_id, source_invocation_id }) => {
    const call = calls.find(({ start }) => start.source_invocation_id === source_invocation_id);
    if (planned.has(subject_id) || call === undefined) return [];
    return [{ subject_id, workflow_hash: call.start.workflow_hash ?? '', nodes: [] }];
  });
}

interface ChainParts {
  readonly session_id: string;
  readonly subject: PlannedSubject;
  readonly calls: readonly Call[];
  readonly ended: TurnCommitted | AttemptFailed | undefined;
}

function foldChain(parts: ChainParts): Chain {
  const { subject, calls, ended } = parts;
  const { subject_id, workflow_hash } = subject;
  const readings = calls.filter(({ start }) => start.node_id === null);
  const performed = new Map(subject.nodes.map(({ node_id }) => [node_id, splitByOrder(calls, node_id)]));
  const orders = subject.nodes.flatMap((planned) => foldNode({ ...parts, performed }, planned));
  const patch = ended?.kind === 'turn_committed' ? ended.patches.find((it) => it.subject_id === subject_id) : undefined;
  return {
    subject_id,
    workflow_hash,
    readings,
    orders,
    ...(patch === undefined ? {} : { patch }),
  };
}

interface NodeParts extends ChainParts {
  /** The calls of each order of each node. */
  readonly performed: ReadonlyMap<string, readonly (readonly Call[])[]>;
}

/**
 * The orders of a node: one, and one more after each answer that its gate sent back; none where it was not reached. The
 * last one has no calls where the attempt failed before it was dispatched.
 */
function foldNode(parts: NodeParts, planned: PlannedNode): readonly PerformedOrder[] {
  const { subject, ended, performed } = parts;
  const failure = ended?.kind === 'attempt_failed' ? ended : undefined;
  const fails_here = failure?.subject_id === subject.subject_id && failure.node_id === planned.node_id;
  const dispatched = performed.get(planned.node_id) ?? [];
  const last = dispatched.at(-1);
  const fails_next =
    fails_here &&
    (last === undefined || (failure.source_invocation_id === null && findDecision(last)?.decision === 'retry'));
  const orders = fails_next ? [...dispatched, []] : dispatched;
  return orders.map((calls, index) => {
    const isLast = index === orders.length - 1;
    return foldOrder(parts, planned, { index, calls, failure: fails_here && isLast ? failure : undefined });
  });
}

interface OrderParts {
  /** 0-based, among the orders of the node. */
  readonly index: number;
  readonly calls: readonly Call[];
  /** Set where the attempt failed at this order. */
  readonly failure: AttemptFailed | undefined;
}

function foldOrder(parts: NodeParts, planned: PlannedNode, { index, calls, failure }: OrderParts): PerformedOrder {
  const { session_id, subject, ended } = parts;
  const [first] = calls;
  const judged = findDecision(calls);
  // An answer is no result where the attempt failed because its gate gave no verdict.
  const isUnjudged = failure !== undefined && judged === undefined && calls.some(isOfGate);
  const result = isUnjudged ? undefined : findResult(calls);
  const state = stateOf({
    has_begun: first !== undefined,
    is_done: result !== undefined,
    is_over: ended !== undefined,
  });
  const prior = planned.after.flatMap((id) => subject.nodes.find(({ node_id }) => node_id === id) ?? []);
  const begun_at = first?.start.at ?? ended?.at ?? '';
  const closed_at = result?.end?.at ?? ended?.at;
  const parent = index > 0 ? orderIdOf(session_id, planned, index - 1) : latestOf(parts, prior);
  const order: WorkOrder = {
    wo_id: orderIdOf(session_id, planned, index),
    session_id,
    parent_wo_id: parent,
    wo_type: planned.order_type,
    tier_target: 'HO1',
    state,
    created_at: begun_at,
    created_by: PLANNER,
    subject_id: subject.subject_id,
    node_id: planned.node_id,
    input_context: {
      user_input: null,
      prior_results: prior.map((node) => orderOfResult(parts, node)),
      assembled_context: { context_hash: first?.start.context_hash ?? first?.start.request_hash ?? null },
    },
    constraints: planned.constraints,
    output_result:
      result === undefined
        ? null
        : { source_invocation_id: result.start.source_invocation_id, answer_hash: result.end?.answer_hash ?? null },
    error: state === 'failed' ? errorOf(calls, failure) : null,
    completed_at: (state === 'completed' || state === 'failed') && closed_at !== undefined ? closed_at : null,
    cost: costOf(calls),
  };
  return { order, planned, calls, ...(judged === undefined ? {} : { judged }) };
}

function latestOf(parts: NodeParts, nodes: readonly PlannedNode[]): string | null {
  const latest = nodes.toSorted((left, right) => left.first_slot - right.first_slot).at(-1);
  return latest === undefined ? null : orderOfResult(parts, latest);
}

/** The order of a node whose result others read: the last that is not superseded. */
function orderOfResult({ session_id, performed }: NodeParts, node: PlannedNode): string {
  const orders = performed.get(node.node_id) ?? [];
  const index = orders.findLastIndex((calls) => calls.some(({ is_superseded }) => !is_superseded));
  return orderIdOf(session_id, node, Math.max(0, index));
}

function orderIdOf(session_id: string, { first_slot }: PlannedNode, index: number): string {
  return `WO-${session_id}-${`${first_slot + index}`.padStart(3, '0')}`;
}

/**
 * The calls of a node by its orders: each answer that a gate sent back ends one. A run of a concurrent subject goes on from
 * the verdicts of the runs before it, as far as it has none of its own in a place.
 */
function splitByOrder(all: readonly Call[], node_id: string): readonly (readonly Call[])[] {
  const calls = all.filter(({ start }) => start.node_id === node_id);
  const verdicts = calls.flatMap((call) => {
    const decision = decisionOf(call);
    return decision === undefined ? [] : [{ decision, run: runOfCall(call), place: placeInLane(call) }];
  });
  const orders: Call[][] = [];
  for (const call of calls) {
    const place = placeInLane(call);
    const known = verdicts.filter((one) => one.run <= runOfCall(call) && one.place < place);
    const latest = new Map(known.toSorted((left, right) => left.run - right.run).map((one) => [one.place, one]));
    const index = [...latest.values()].filter(({ decision }) => decision === 'retry').length;
    (orders[index] ??= []).push(call);
  }
  return orders.filter((own) => own !== undefined);
}

/** Which run of its subject made a call; adopted ones come before all. */
function runOfCall({ start }: Call): number {
  return start.adopted_from === null ? runOf(start.command_key) : 0;
}

/** Where a call is among the tries of its node: those of a later round come later. */
function placeInLane({ start }: Call): number {
  const [, round = 0, tried = 0] = /\/round-(\d+)\/try-(\d+)/.exec(start.command_key) ?? [];
  return Number(round) * TRIES_MAX + Number(tried);
}

/** More than a round can have. */
const TRIES_MAX = 1_000;

/** What a call of a gate decided, if it is one that did. */
function decisionOf(call: Call): Decision | undefined {
  const { end } = call;
  if (!isOfGate(call) || end?.status !== 'succeeded') return undefined;
  return DECISIONS.find((decision) => end.model_output_kind === `gate_${decision}`);
}

const isOfGate = ({ start }: Call): boolean => start.invocation_kind === 'quality_gate';

const DECISIONS = ['pass', 'retry', 'escalate'] as const satisfies readonly Decision[];

function findDecision(calls: readonly Call[]): PerformedOrder['judged'] {
  const call = calls.findLast((one) => !one.is_superseded && decisionOf(one) !== undefined);
  const decision = call && decisionOf(call);
  if (call?.end === undefined || decision === undefined) return undefined;
  return { decision, source_invocation_id: call.start.source_invocation_id, at: call.end.at };
}

/** The call that gave the order its result: its last that is not superseded, where that ended well. */
function findResult(calls: readonly Call[]): Call | undefined {
  const last = calls.findLast((call) => !call.is_superseded && call.end?.status === 'succeeded' && !isOfGate(call));
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

function errorOf(calls: readonly Call[], failure: AttemptFailed | undefined): NonNullable<WorkOrder['error']> {
  if (failure !== undefined) {
    const { failure_class: reason, failure_message: message } = failure;
    const isUnplanned = calls.length === 0 && reason === 'budget_exhausted';
    return { reason, message, ...(isUnplanned ? { planning_rule: 'budget_left' } : {}) };
  }
  const end = calls.findLast((call) => call.end !== undefined && call.end.failure_class !== null)?.end;
  const reason = end?.failure_class ?? null;
  if (calls.at(-1)?.is_superseded === false && reason !== null) return { reason, message: end?.failure_message ?? '' };
  if (calls.every(({ is_superseded }) => is_superseded))
    return { reason: 'superseded', message: 'A later run of its subject did not need it.' };
  return { reason: 'stopped', message: 'The attempt ended before the order was done.' };
}

/** What calls cost: one that an earlier attempt made was paid for there, and a superseded one counts. */
export function costOf(calls: readonly Call[]): OrderCost {
  const own = calls.filter(({ start }) => start.adopted_from === null);
  const sum = (count: (call: Call) => number | null | undefined): number =>
    own.reduce((total, call) => total + (count(call) ?? 0), 0);
  const input_tokens = sum(({ end }) => end?.input_tokens);
  const output_tokens = sum(({ end }) => end?.output_tokens);
  const llm_calls = own.filter(({ start }) => asksModel(start)).length;
  return {
    input_tokens,
    output_tokens,
    total_tokens: input_tokens + output_tokens,
    llm_calls,
    tool_calls: own.length - llm_calls,
    elapsed_ms: sum(({ end }) => end?.duration_ms),
  };
}

/** Whether a call asks a model: for a node's answer, or for a verdict on one. */
export function asksModel({ invocation_kind }: CallStarted): boolean {
  return invocation_kind === 'llm_generation' || invocation_kind === 'quality_gate';
}
