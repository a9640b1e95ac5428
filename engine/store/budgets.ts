import { findShortage } from '../core/budget/budget.js';
import type { Limits } from '../core/protocol/amounts.js';
import type { BudgetStore, KeptBudget, KeptCall, KeptReservation } from '../ports/budgets.js';
import { prepare, run, type Runner } from './statement.js';

const MEASURES = ['tokens', 'money'] as const;

/** Whether a measure of a budget holds the realistic estimate of a call, once the dead reserve nothing. */
const fits = (measure: (typeof MEASURES)[number]): string => `(:limit_${measure}::bigint IS NULL OR
        :limit_${measure}::bigint - budgets.spent_${measure} - (SELECT least_${measure} FROM dead)
          - budgets.reserved_${measure} + (SELECT most_${measure} FROM dead) >= :least_${measure}::bigint)`;
const FITS = MEASURES.map(fits).join(' AND ');

// A driver is dead once its lease is over or another one has it; who has none, after the deadline of the call. What the
// dead had under way most likely cost what was expected of it. The row of the budget is locked by its change, and all sums are on it: two statements at once never
// let through what fits only once. Reservations that another statement removes are left to it.
const RESERVE = prepare(
  'reserve_budget',
  `WITH gone AS (
     DELETE FROM budget_reservations WHERE (budget_key, call_id) IN (
       SELECT budget_key, call_id FROM budget_reservations AS held
       WHERE budget_key = :budget_key AND coalesce(held_until < clock_timestamp(), NOT EXISTS (
         SELECT FROM worlds WHERE world_slug = lease_world AND worlds.lease_attempt_id = held.lease_attempt_id
           AND worlds.lease_epoch = held.lease_epoch AND lease_until > clock_timestamp()))
       FOR UPDATE SKIP LOCKED)
     RETURNING least_tokens, least_money, most_tokens, most_money),
   dead AS (
     SELECT ${MEASURES.flatMap((name) => [`least_${name}`, `most_${name}`].map((column) => `coalesce(sum(${column}), 0)::bigint AS ${column}`)).join(', ')}
     FROM gone),
   opened AS (
     INSERT INTO budgets (budget_key, world_slug, reserved_tokens, reserved_money, granted_to)
     SELECT :budget_key, :of_world::text, CASE WHEN is_first THEN :most_tokens::bigint ELSE 0 END,
       CASE WHEN is_first THEN :most_money::bigint ELSE 0 END, CASE WHEN is_first THEN :call_id::uuid END
     FROM (SELECT ${MEASURES.map((name) => `coalesce(:limit_${name}::bigint >= :least_${name}::bigint, true)`).join(' AND ')} AS is_first) AS first
     ON CONFLICT (budget_key) DO UPDATE SET
       ${MEASURES.map(
         (name) => `spent_${name} = budgets.spent_${name} + (SELECT least_${name} FROM dead),
       reserved_${name} = greatest(0, budgets.reserved_${name} - (SELECT most_${name} FROM dead))
         + CASE WHEN ${FITS} THEN :most_${name}::bigint ELSE 0 END`,
       ).join(',\n       ')},
       granted_to = CASE WHEN ${FITS} THEN :call_id::uuid END
     RETURNING spent_tokens, spent_money, reserved_tokens, reserved_money,
       coalesce(granted_to = :call_id::uuid, false) AS is_granted),
   reserved AS (
     INSERT INTO budget_reservations (budget_key, call_id, lease_world, lease_attempt_id, lease_epoch, held_until,
       least_tokens, least_money, most_tokens, most_money)
     SELECT :budget_key, :call_id::uuid, :world_slug, :attempt_id::uuid, :epoch::bigint,
       clock_timestamp() + :held_ms::bigint * interval '1 millisecond', :least_tokens::bigint, :least_money::bigint,
       :most_tokens::bigint, :most_money::bigint
     FROM opened WHERE is_granted)
   SELECT * FROM opened`,
);

// A driver that was taken for dead settles all the same: what was expected of its call is spent already.
const SETTLE = prepare(
  'settle_budget',
  `WITH gone AS (
     DELETE FROM budget_reservations WHERE budget_key = :budget_key AND call_id = :call_id::uuid
     RETURNING most_tokens, most_money)
   UPDATE budgets SET
     ${MEASURES.map(
       (name) => `spent_${name} = greatest(0, spent_${name} + :used_${name}::bigint
       - CASE WHEN EXISTS (SELECT FROM gone) THEN 0 ELSE :least_${name}::bigint END),
     reserved_${name} = greatest(0, reserved_${name} - coalesce((SELECT most_${name} FROM gone), 0))`,
     ).join(',\n     ')}
   WHERE budget_key = :budget_key`,
);

interface BudgetRow {
  readonly spent_tokens: number;
  readonly spent_money: number;
  readonly reserved_tokens: number;
  readonly reserved_money: number;
  readonly is_granted: boolean;
}

/** The budgets of worlds and of the operator. */
export function budgetStore(database: Runner): BudgetStore {
  return {
    async reserve(budget, lease, call) {
      const { money } = budget.limits;
      if (money !== undefined && call.least.money === null)
        return { kind: 'refused', short: { measure: 'money', limit: money, left: money, needed: null } };
      const [row] = await run<BudgetRow>(database, RESERVE, {
        ...toValues(budget, call),
        of_world: budget.world_slug ?? null,
        limit_tokens: budget.limits.tokens ?? null,
        limit_money: budget.limits.money ?? null,
        world_slug: lease?.world_slug ?? null,
        attempt_id: lease?.attempt_id ?? null,
        epoch: lease?.epoch ?? null,
        held_ms: lease === undefined ? call.most.ms : null,
      });
      if (row === undefined) throw new Error('a budget answers with one row');
      return toReservation(budget.limits, row, call);
    },
    async settle(budget, call, used) {
      await run(database, SETTLE, { ...toValues(budget, call), used_tokens: used.tokens, used_money: used.money ?? 0 });
    },
  };
}

function toValues({ key }: KeptBudget, { call_id, least, most }: KeptCall) {
  return {
    budget_key: key,
    call_id,
    least_tokens: least.tokens,
    least_money: Math.ceil(least.money ?? 0),
    most_tokens: most.tokens,
    most_money: Math.ceil(most.money ?? 0),
  };
}

function toReservation(limits: Limits, row: BudgetRow, { least, most }: KeptCall): KeptReservation {
  if (row.is_granted) {
    const left = (name: (typeof MEASURES)[number], limit: number): number =>
      limit - row[`spent_${name}`] - row[`reserved_${name}`] + (most[name] ?? 0);
    return { kind: 'granted', left: mapLimits(limits, left) };
  }
  const unspent = mapLimits(limits, (name, limit) => limit - row[`spent_${name}`]);
  const short = findShortage(limits, unspent, least);
  return short === undefined ? { kind: 'waits' } : { kind: 'refused', short };
}

function mapLimits(limits: Limits, map: (name: (typeof MEASURES)[number], limit: number) => number): Limits {
  return Object.fromEntries(
    MEASURES.flatMap((name) => {
      const limit = limits[name];
      return limit === undefined ? [] : [[name, map(name, limit)]];
    }),
  );
}
