import { setTimeout } from 'node:timers/promises';
import { present } from '../contract/present.js';
import { describeShortage, type NamedBudget } from '../core/budget/describe-shortage.js';
import { estimateCall, usedBy } from '../core/budget/estimate.js';
import { limitOutput } from '../core/budget/limit-output.js';
import type { Limits } from '../core/protocol/amounts.js';
import type { Invoke } from '../core/protocol/command.js';
import type { Program } from '../core/protocol/program.js';
import { nodePlace } from '../core/turn/budgets.js';
import type { AttemptLease } from '../ports/attempts.js';
import type { KeptBudget, KeptCall } from '../ports/budgets.js';
import type { CallBroke, CallResult } from '../ports/sources.js';
import { eventOf } from './event-of.js';
import type { RuntimeParts } from './runtime-parts.js';

// Budgets of the operator, of studies and of worlds. All processes share them, so that they are kept in the database: a call is
// reserved there before its record begins, and settled after its end. Where none is configured, no statement is made.

/** How long a call waits before it looks again whether others have been settled. */
const LOOK_MS = 250;

const DAY_MS = 86_400_000;

/** A budget, with the words for it; `renewed_ms`: how long until it is renewed. */
interface NamedKept extends KeptBudget, NamedBudget {
  readonly renewed_ms?: number;
}

type BudgetParts = Pick<RuntimeParts, 'budgets' | 'clock'>;

/** The budgets against which the generations of a world count; outside of worlds, those of the day. */
export function listKept({ budgets, clock }: BudgetParts, { world_budget, study_budget }: Bounded, world_slug = '') {
  return [
    ...(budgets?.of_day === undefined ? [] : [toDay(budgets.of_day, clock.now())]),
    ...(study_budget === undefined || budgets === undefined ? [] : [toStudy(study_budget)]),
    ...(world_budget === undefined || budgets === undefined ? [] : [toWorld(world_budget, world_slug)]),
  ];
}

type Bounded = Pick<Program, 'world_budget' | 'study_budget' | 'price'>;

/** A day begins at midnight, UTC. */
function toDay(limits: Limits, now: number): NamedKept {
  const day = new Date(now).toISOString().slice(0, 10);
  const renewed_ms = DAY_MS - (now % DAY_MS);
  const until = new Date(now + renewed_ms).toISOString();
  const variable = (name: string): string => (name === 'usd' ? 'CHUKWA_BUDGET_USD' : 'CHUKWA_BUDGET_TOKENS');
  return {
    key: `day/${day}`,
    limits,
    renewed_ms,
    of: `the operator's budget of ${day} for all worlds`,
    repair: (name) => `raise ${variable(name)}, or wait until it is renewed at ${until}`,
  };
}

function toStudy({ study_label, limits }: NonNullable<Bounded['study_budget']>): NamedKept {
  return {
    key: `study/${study_label}`,
    limits,
    of: `the budget of study ${study_label}`,
    repair: (name) => `raise budget.${name} in the document of the study, and run the study again`,
  };
}

function toWorld(limits: Limits, world_slug: string): NamedKept {
  return {
    key: `world/${world_slug}`,
    world_slug,
    limits,
    of: `the budget of world ${world_slug}`,
    repair: (name) =>
      `raise budgets.world.${name} of its scenario, and adopt it: chukwa run ${world_slug} --scenario PATH`,
  };
}

/** A generation that is about to be made. */
interface Generating {
  readonly command: Invoke;
  readonly program: Bounded;
  /** Left out outside an attempt. */
  readonly lease?: AttemptLease;
  readonly call_id: string;
  readonly signal: AbortSignal;
}

/**
 * Makes a generation within the budgets that are kept: reserves it with each, and settles it with each.
 * @param make makes it with the limits of the command that it is given
 * @returns how it ended, or that a budget refuses it
 */
export async function callWithinBudgets(
  parts: BudgetParts,
  generating: Generating,
  make: (command: Invoke) => Promise<CallResult>,
): Promise<CallResult> {
  const { command, program, lease } = generating;
  const kept = command.generation === undefined ? [] : listKept(parts, program, lease?.world_slug);
  if (kept.length === 0 || parts.budgets === undefined) return make(command);
  const { store, outputs } = parts.budgets;
  const known = { outputs: outputs.get(nodePlace(command)) ?? [], unspent: {}, price: program.price };
  const call: KeptCall = { call_id: generating.call_id, ...estimateCall(command, known) };
  const held: NamedKept[] = [];
  let limited = command;
  const settleAll = async (result: CallResult | undefined): Promise<void> => {
    const used =
      result === undefined || result.status === 'pending' || result.status === 'unapproved'
        ? call.least
        : usedBy(command, eventOf(result), program.price);
    for (const budget of held) await store.settle(budget, call, used);
  };
  for (const budget of kept) {
    const refused = await reserve(
      parts,
      generating,
      budget,
      call,
      (left) => (limited = toLimited(limited, left, program)),
    );
    if (refused === undefined) {
      held.push(budget);
      continue;
    }
    await settleAll(refused);
    return refused;
  }
  const result = await make(limited);
  if (result.status === 'succeeded') remember(outputs, command, result.usage?.output_tokens);
  await settleAll(result);
  return result;
}

async function reserve(
  parts: BudgetParts,
  { command, lease, signal }: Generating,
  budget: NamedKept,
  call: KeptCall,
  onGranted: (left: Limits) => void,
): Promise<CallBroke | undefined> {
  for (;;) {
    if (signal.aborted)
      return refuse(parts, command, 'stopped', 'the answer was not wanted any more before the call was made');
    const reserved = await parts.budgets?.store.reserve(budget, lease, call);
    if (reserved === undefined || reserved.kind === 'granted') {
      onGranted(reserved?.left ?? {});
      return undefined;
    }
    if (reserved.kind === 'refused') {
      const broke = refuse(parts, command, 'budget_exhausted', describeShortage(budget, command, reserved.short));
      // What no price is known for is not let through tomorrow either.
      const isRenewed = reserved.short.needed !== null;
      return { ...broke, ...present({ retry_after_ms: isRenewed ? budget.renewed_ms : undefined }) };
    }
    await setTimeout(LOOK_MS, undefined, { signal }).catch(() => {});
  }
}

function refuse(
  { clock }: Pick<RuntimeParts, 'clock'>,
  { key }: Invoke,
  failure_class: CallBroke['failure_class'],
  failure_message: string,
): CallBroke {
  const ended = { key, ended_at: clock.now(), duration_ms: 0, validation_status: 'not_checked' } as const;
  return { ...ended, status: 'failed', failure_class, failure_message, refused: true };
}

function toLimited(command: Invoke, left: Limits, { price }: Bounded): Invoke {
  const limit = limitOutput(command, left, price);
  const least = Math.min(limit ?? Infinity, command.max_output_tokens ?? Infinity);
  return least === Infinity ? command : { ...command, max_output_tokens: least };
}

/** How many answers of each node a process remembers. */
const REMEMBERED = 50;

function remember(outputs: Map<string, readonly number[]>, command: Invoke, output_tokens: number | undefined): void {
  if (output_tokens === undefined) return;
  const place = nodePlace(command);
  outputs.set(place, [output_tokens, ...(outputs.get(place) ?? [])].slice(0, REMEMBERED));
}
