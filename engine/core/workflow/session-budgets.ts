import { type Problem, problem } from '../../contract/problem.js';
import { present } from '../../contract/present.js';
import type { CognitionProfile } from '../../generated/cognition-profile.js';
import type { CognitionWorkflow } from '../../generated/workflow.js';
import { toMoney } from '../cost/money.js';
import type { Limits } from '../protocol/amounts.js';
import type { SessionProgram } from '../protocol/program.js';
import { complainIf } from '../protocol/document-problem.js';

/** The budget of a profile's turns; undefined where it has none. */
export function toSession(
  { label, budgets }: CognitionProfile,
  subjects: readonly string[],
): SessionProgram | undefined {
  const limits = toLimits(budgets?.session);
  return limits && { profile: label, limits, subjects: new Set(subjects) };
}

/** The limits that a document names; undefined where it names none. */
export function toLimits(authored: NonNullable<CognitionProfile['budgets']>['session']): Limits | undefined {
  if (authored === undefined) return undefined;
  const { token_budget: tokens, usd, turn_limit: generations, timeout_seconds } = authored;
  const money = usd === undefined ? undefined : toMoney(usd);
  const ms = timeout_seconds === undefined ? undefined : Math.floor(timeout_seconds * 1000);
  return present({ tokens, money, generations, ms });
}

const MEMBERS = ['token_budget', 'turn_limit', 'timeout_seconds'] as const;

/** A node may use no more than what is left of its session: its author believes otherwise. */
export function noteLargeNodes(
  { budgets }: CognitionProfile,
  workflow: CognitionWorkflow | undefined,
): readonly Problem[] {
  const { session = {} } = budgets ?? {};
  return (workflow?.nodes ?? []).flatMap((node) =>
    MEMBERS.flatMap((member) => {
      const [of_node, of_session] = ['constraints' in node ? node.constraints[member] : undefined, session[member]];
      if (of_node === undefined || of_session === undefined) return [];
      const facts = { node: node.id, member, of_node, of_session };
      const place = { pointer: `/budgets/session/${member}` };
      return complainIf(of_node > of_session, problem('NODE_BUDGET_ABOVE_SESSION', facts, place));
    }),
  );
}
