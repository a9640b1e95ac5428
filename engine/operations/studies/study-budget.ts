import { type Outcome, succeed } from '../../contract/problem.js';
import { present } from '../../contract/present.js';
import type { Program } from '../../core/protocol/program.js';
import type { Engine } from '../engine.js';

/** The program of a world, with the budget of the study that plays it. @returns a refusal of the operator's own prices */
export async function withStudyBudget(
  engine: Pick<Engine, 'store' | 'openPrice'>,
  program: Program,
  world_slug: string,
): Promise<Outcome<Program>> {
  const study_budget = await engine.store.studies.budgetOf(world_slug);
  if (study_budget === undefined) return succeed(program);
  const isPriced = study_budget.limits.money === undefined || program.price !== undefined;
  const price = isPriced ? succeed(program.price) : await engine.openPrice();
  return price.ok ? succeed({ ...program, study_budget, ...present({ price: price.value }) }) : price;
}
