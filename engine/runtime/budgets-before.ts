import type { TokenUsage } from '../contract/source.js';
import { add, type Amounts, NOTHING } from '../core/protocol/amounts.js';
import type { BudgetsBefore } from '../core/protocol/event.js';
import { deniesCall } from '../core/protocol/failure.js';
import type { Program } from '../core/protocol/program.js';
import { bytesToTokens, type CountedTokens } from '../core/protocol/token-counts.js';
import { contentOf, nodePlace } from '../core/turn/budgets.js';
import { sourcesOf } from '../core/workflow/sources-of.js';
import type { AttemptLease, AttemptPast, EarlierCall } from '../ports/attempts.js';
import { listKept } from './kept-budgets.js';
import type { RuntimeParts } from './runtime-parts.js';

/**
 * What is known of a program's budgets before an attempt: the same for each of its drivers. For budgets that are kept,
 * this process remembers the earlier answers. Where nothing is bounded, nothing is read.
 */
export async function findBudgetsBefore(
  parts: RuntimeParts,
  program: Program,
  lease: AttemptLease,
  past: AttemptPast | undefined,
): Promise<{ readonly budgets?: BudgetsBefore }> {
  if (program.sessions === undefined && listKept(parts, program, lease.world_slug).length === 0) return {};
  const { spent, outputs } = await parts.attempts.findEarlierSpending(lease);
  const seen = parts.budgets?.outputs;
  for (const node of outputs) if (!seen?.has(nodePlace(node))) seen?.set(nodePlace(node), node.output_tokens);
  if (program.sessions === undefined) return {};
  const bySubject = new Map<string, Amounts>();
  for (const call of spent)
    bySubject.set(call.subject_id, add(bySubject.get(call.subject_id) ?? NOTHING, toAmounts(program, call)));
  return {
    budgets: {
      spent: bySubject,
      outputs: new Map(outputs.map((node) => [nodePlace(node), node.output_tokens])),
      adopted: new Set(past?.calls.filter(({ adopted_from }) => adopted_from !== undefined).map(contentOf)),
    },
  };
}

function toAmounts(program: Program, call: EarlierCall): Amounts {
  const { failure_class, http_status, duration_ms } = call;
  const counts = toCounts(call);
  const denied =
    counts === undefined && failure_class !== null && deniesCall({ failure_class, http_status: http_status ?? 0 });
  if (denied) return { ...NOTHING, ms: duration_ms };
  const used = counts ?? estimate(call);
  const source = sourcesOf(program).find(({ hash }) => hash === call.source_hash);
  const money = source === undefined ? null : (program.price?.(source, used) ?? null);
  return { tokens: used.input_tokens + used.output_tokens, money, generations: 1, ms: duration_ms };
}

/** As its budget counted it: an estimate takes the place of counts that cannot be true. */
function toCounts({ estimated, usage }: EarlierCall): TokenUsage | undefined {
  return estimated ?? usage ?? undefined;
}

/** Nobody saw it end, or its service counts nothing. */
function estimate({ prompt_bytes, said_bytes }: EarlierCall): CountedTokens {
  return { input_tokens: bytesToTokens(prompt_bytes ?? 0), output_tokens: bytesToTokens(said_bytes ?? 0) };
}
