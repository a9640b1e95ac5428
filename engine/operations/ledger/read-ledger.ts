import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import type { Fact } from '../../core/facts/fact.js';
import type { LedgerEntry } from '../../core/ledger/ledger-entry.js';
import { writeLedger, writeSettlement } from '../../core/ledger/write-ledger.js';
import { foldOrders, type Session } from '../../core/orders/fold-orders.js';
import type { ComponentKind } from '../../core/protocol/component.js';
import type { OrderPlan } from '../../core/protocol/order-plan.js';
import { planOrders } from '../../core/workflow/plan-orders.js';
import type { Archive } from '../engine.js';
import { attemptUnknown } from '../records.js';

/** An attempt with its facts and the plan of its orders. */
export interface PlannedAttempt {
  readonly world_slug: string;
  readonly attempt_id: string;
  readonly facts: readonly Fact[];
  readonly plan: OrderPlan;
}

/** A seal as its row holds it. */
export type SealRow = Awaited<ReturnType<Archive['store']['ledger']['seals']>>[number];

/** What the hashes of an attempt's calls stand for. */
export type SealedContents = Awaited<ReturnType<Archive['store']['ledger']['contents']>>;

/** Plans by the hash of their scenario, while several attempts are read. */
export type Plans = Map<string, OrderPlan>;

/** The orders that a stored scenario can lead to, from its documents alone: no plugin is needed. */
async function readPlan({ store }: Archive, scenario_hash: string, plans: Plans): Promise<OrderPlan> {
  const known = plans.get(scenario_hash);
  if (known !== undefined) return known;
  const closure = await store.components.closure('scenario', scenario_hash);
  const byName = new Map(closure.map(({ kind, hash, content }) => [`${kind} ${hash}`, content]));
  const find = (kind: ComponentKind, hash: string) => byName.get(`${kind} ${hash}`);
  const plan = planOrders({ find }, scenario_hash);
  plans.set(scenario_hash, plan);
  return plan;
}

/** Reads the facts of an attempt, and plans its orders. */
export async function readPlanned(
  archive: Archive,
  attempt_id: string,
  plans: Plans = new Map(),
): Promise<Outcome<PlannedAttempt>> {
  const found = await archive.store.facts.attempt(attempt_id);
  if (found === undefined) return refuse(attemptUnknown(attempt_id));
  const { world_slug } = found;
  const facts = await archive.store.ledger.facts({ world_slug, attempt_id: found.attempt_id });
  const [began] = facts;
  if (began?.kind !== 'attempt_began') return refuse(problem('RECORD_UNREADABLE'));
  const plan = await readPlan(archive, began.scenario_hash, plans);
  return succeed({ world_slug, attempt_id: found.attempt_id, facts, plan });
}

/** The work orders of an attempt. */
export async function readSession(archive: Archive, attempt_id: string): Promise<Outcome<Session>> {
  const read = await readPlanned(archive, attempt_id);
  return read.ok ? succeed(foldOrders(read.value.plan, read.value.facts)) : read;
}

/** Both ledgers of an attempt, with the settlements that came after it. */
export function entriesOf({ facts, plan, attempt_id }: PlannedAttempt): readonly LedgerEntry[] {
  const settled = facts.flatMap((fact) => (fact.kind === 'call_settled' ? [writeSettlement(attempt_id, fact)] : []));
  return [...writeLedger(plan, facts), ...settled];
}

/** Both ledgers of an attempt. */
export async function readLedger(archive: Archive, attempt_id: string): Promise<Outcome<readonly LedgerEntry[]>> {
  const read = await readPlanned(archive, attempt_id);
  return read.ok ? succeed(entriesOf(read.value)) : read;
}
