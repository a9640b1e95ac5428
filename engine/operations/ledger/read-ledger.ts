import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import { hashOfStored } from '../../core/content/canonical.js';
import { toHex } from '../../core/evidence/merkle.js';
import type { SealStatement } from '../../core/evidence/seal-text.js';
import type { Fact } from '../../core/facts/fact.js';
import { toMoment } from '../../runtime/fact-log.js';
import type { LedgerEntry } from '../../core/ledger/ledger-entry.js';
import { writeLedger, writeSettlement } from '../../core/ledger/write-ledger.js';
import { foldOrders, type Session } from '../../core/orders/fold-orders.js';
import type { ComponentKind } from '../../core/protocol/component.js';
import type { OrderPlan } from '../../core/protocol/order-plan.js';
import { planOrders } from '../../core/workflow/plan-orders.js';
import type { Archive } from '../engine.js';
import { attemptUnknown } from '../browse/records.js';

/** An attempt with its facts and the plan of its orders. */
export interface PlannedAttempt {
  readonly world_slug: string;
  readonly attempt_id: string;
  readonly facts: readonly Fact[];
  readonly plan: OrderPlan;
}

/** A seal as its row holds it. */
export type SealRow = Awaited<ReturnType<Archive['store']['ledger']['seals']>>[number];

/** What a seal says, as the log has it. */
export function sealStatement(
  seal: Pick<SealRow, 'world_slug' | 'seal_seq' | 'attempt_id' | 'source_invocation_id' | 'sealed_at'> & {
    readonly entries: number;
    readonly root: Uint8Array;
    readonly previous_root: Uint8Array | null;
  },
): SealStatement {
  const { world_slug, seal_seq, attempt_id, source_invocation_id, entries, root, previous_root, sealed_at } = seal;
  return {
    world_slug,
    seal_seq,
    attempt_id,
    source_invocation_id: source_invocation_id ?? '',
    entries,
    root: toHex(root),
    previous_root: previous_root === null ? '' : toHex(previous_root),
    sealed_at: toMoment(sealed_at),
  };
}

/** What the hashes of an attempt's calls stand for. */
export type SealedContents = ReturnType<Awaited<ReturnType<Archive['store']['ledger']['contents']>>>;

/** Attempts are read at once until they have this many sealed entries: enough to make statements few, and not too large. */
const ENTRIES_AT_ONCE = 2_000;

/** Splits attempts into groups to read at once, in their order. @param seals of each attempt */
export function splitAttempts(
  attempt_ids: readonly string[],
  seals: ReadonlyMap<string, readonly Pick<SealRow, 'leaf_hashes'>[]>,
): readonly (readonly string[])[] {
  const groups: string[][] = [];
  let left = 0;
  for (const attempt_id of attempt_ids) {
    if (left <= 0) {
      groups.push([]);
      left = ENTRIES_AT_ONCE;
    }
    groups.at(-1)?.push(attempt_id);
    for (const { leaf_hashes } of seals.get(attempt_id) ?? []) left -= leaf_hashes.length / 32;
  }
  return groups;
}

/** Plans by the hash of their scenario, while several attempts are read. */
export type Plans = Map<string, OrderPlan>;

/** The orders that a stored scenario can lead to, from its documents alone: no plugin is needed. */
async function readPlan({ store }: Archive, scenario_hash: string, plans: Plans): Promise<OrderPlan> {
  const known = plans.get(scenario_hash);
  if (known !== undefined) return known;
  const closure = await store.components.closure('scenario', scenario_hash);
  // What somebody has altered is no plan of anything.
  const sound = closure.filter(({ hash, content }) => hashOfStored(content) === hash);
  const byName = new Map(sound.map(({ kind, hash, content }) => [`${kind} ${hash}`, content]));
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
  const read = await readAllPlanned(archive, found.world_slug, [found.attempt_id], plans);
  if (!read.ok) return read;
  const [planned] = read.value;
  return planned === undefined ? refuse(attemptUnknown(attempt_id)) : succeed(planned);
}

/** Reads the facts of known attempts of a world at once, and plans the orders of each. */
export async function readAllPlanned(
  archive: Archive,
  world_slug: string,
  attempt_ids: readonly string[],
  plans: Plans,
): Promise<Outcome<readonly PlannedAttempt[]>> {
  const found = await archive.store.ledger.facts(world_slug, attempt_ids);
  const planned: PlannedAttempt[] = [];
  for (const attempt_id of attempt_ids) {
    const facts = found.get(attempt_id) ?? [];
    const [began] = facts;
    if (began?.kind !== 'attempt_began') return refuse(problem('RECORD_UNREADABLE'));
    planned.push({ world_slug, attempt_id, facts, plan: await readPlan(archive, began.scenario_hash, plans) });
  }
  return succeed(planned);
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
