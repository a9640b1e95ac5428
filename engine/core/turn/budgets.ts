import { present } from '../../contract/present.js';
import { withoutRun } from '../../contract/scripted.js';
import { type Budget, openBudget, reserve, settle, unspentOf } from '../budget/budget.js';
import { describeShortage, type NamedBudget } from '../budget/describe-shortage.js';
import { estimateCall, usedBy } from '../budget/estimate.js';
import { limitOutput } from '../budget/limit-output.js';
import { add, NOTHING } from '../protocol/amounts.js';
import type { Fail, Invoke } from '../protocol/command.js';
import type { BudgetsBefore, CallEvent } from '../protocol/event.js';
import type { Program } from '../protocol/program.js';
import { withEntry, without } from './subject-run.js';

// The budgets of profiles within one turn. All of it is computed from facts, so that a resumed attempt lets the same
// calls through, with the same limits.

export interface TurnBudgets {
  /** In the program's order. */
  readonly sessions: readonly Budget[];
  /** Calls under way that a budget counts, by their keys outside. */
  readonly under_way: ReadonlyMap<string, { readonly session: number; readonly command: Invoke }>;
  /** The tokens of earlier answers, by node. */
  readonly outputs: BudgetsBefore['outputs'];
  /** The contents of calls that cost nothing anew. */
  readonly adopted: BudgetsBefore['adopted'];
}

/** Where nothing is bounded. */
export const NO_BUDGETS: TurnBudgets = { sessions: [], under_way: new Map(), outputs: new Map(), adopted: new Set() };

/** Where nothing was spent before, and no earlier answer is known. */
export const NOTHING_BEFORE: BudgetsBefore = { spent: new Map(), outputs: new Map(), adopted: new Set() };

interface Budgeted {
  readonly budgets: TurnBudgets;
}

/** The budgets of a turn at its beginning, with what earlier attempts at it have spent. */
export function openBudgets({ sessions = [] }: Program, before: BudgetsBefore | undefined): TurnBudgets {
  const { spent, outputs, adopted } = before ?? NOTHING_BEFORE;
  const opened = sessions.map(({ limits, subjects }) =>
    openBudget(limits, [...subjects].map((subject) => spent.get(subject) ?? NOTHING).reduce(add, NOTHING)),
  );
  return { sessions: opened, under_way: new Map(), outputs, adopted };
}

/** Whether a call may be made now, and then with its limits. */
export type Passed =
  | { readonly kind: 'granted'; readonly budgets: TurnBudgets; readonly command: Invoke }
  | { readonly kind: 'waits' }
  | { readonly kind: 'refused'; readonly failure: Fail };

/** Reserves what a call may use of the budget of its subject's profile. */
export function reserveCall(program: Program, { budgets: state }: Budgeted, command: Invoke): Passed {
  const session = findSession(program, command);
  const budget = state.sessions[session];
  if (budget === undefined) return { kind: 'granted', budgets: state, command };
  const content = contentOf(command);
  if (state.adopted.has(content)) {
    const adopted = new Set([...state.adopted].filter((one) => one !== content));
    return { kind: 'granted', budgets: { ...state, adopted }, command };
  }
  const { price } = program;
  const outputs = state.outputs.get(nodePlace(command)) ?? [];
  const reserved = reserve(budget, command.key, estimateCall(command, { outputs, unspent: unspentOf(budget), price }));
  if (reserved.kind === 'waits') return reserved;
  if (reserved.kind === 'refused') {
    const { subject_id, node_id } = command;
    const message = describeShortage(ofSession(program, session), command, reserved.short);
    return {
      kind: 'refused',
      failure: present({ kind: 'fail', failure_class: 'budget_exhausted', message, subject_id, node_id }),
    };
  }
  const limited: Invoke = present({
    ...command,
    deadline_ms: Math.min(command.deadline_ms, Math.floor(reserved.left.ms ?? Infinity)),
    max_output_tokens: limitOutput(command, reserved.left, price),
  });
  const sessions = state.sessions.with(session, reserved.budget);
  const under_way = withEntry(state.under_way, command.key, { session, command });
  return { kind: 'granted', budgets: { ...state, sessions, under_way }, command: limited };
}

/** What an ended call has used is spent. */
export function settleCall<State extends Budgeted>({ price }: Program, state: State, event: CallEvent): State {
  const { sessions, under_way, outputs } = state.budgets;
  const call = under_way.get(event.key);
  const budget = call === undefined ? undefined : sessions[call.session];
  if (call === undefined || budget === undefined) return state;
  const { command, session } = call;
  return {
    ...state,
    budgets: {
      ...state.budgets,
      sessions: sessions.with(session, settle(budget, event.key, usedBy(command, event, price))),
      under_way: without(under_way, event.key),
      outputs: withOutput(outputs, command, event),
    },
  };
}

function withOutput(outputs: TurnBudgets['outputs'], command: Invoke, event: CallEvent): TurnBudgets['outputs'] {
  if (event.kind !== 'call_answered' || event.usage === undefined || event.usage === 'paid_before') return outputs;
  const place = nodePlace(command);
  return withEntry(outputs, place, [...(outputs.get(place) ?? []), event.usage.output_tokens]);
}

/** The node of a call, as earlier answers are remembered by it. A verdict of its gate says nothing of its own answers. */
export function nodePlace({ workflow_hash, node_id = '', invocation_kind }: PlacedCall): string {
  return `${workflow_hash}/${node_id}${invocation_kind === 'quality_gate' ? '/gate' : ''}`;
}

type PlacedCall = Pick<Invoke, 'workflow_hash' | 'node_id' | 'invocation_kind'>;

/** The content of a call's request, whichever run of its subject makes it. */
export function contentOf({ key, request_hash }: Pick<Invoke, 'key' | 'request_hash'>): string {
  return `${withoutRun(key)} ${request_hash}`;
}

/** The budget that bounds a call; -1 where none does. */
function findSession({ sessions = [] }: Program, { generation, subject_id = '' }: Invoke): number {
  return generation === undefined ? -1 : sessions.findIndex(({ subjects }) => subjects.has(subject_id));
}

function ofSession({ sessions = [] }: Program, session: number): NamedBudget {
  const of = `the session budget of profile ${sessions[session]?.profile ?? ''}`;
  return { of, repair: (name) => `raise budgets.session.${name} of the profile, or let its nodes use less` };
}
