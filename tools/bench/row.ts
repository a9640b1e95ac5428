import { unreachable } from '../../engine/contract/unreachable.js';

/** The goal of a figure. `stretch` is a better one still. */
export type Goal =
  | { readonly kind: 'at_most'; readonly value: number; readonly stretch?: number }
  | { readonly kind: 'at_least'; readonly value: number; readonly stretch?: number }
  | { readonly kind: 'exactly'; readonly value: number };

/** `excellent` reaches the stretch too. */
export type Verdict = 'excellent' | 'good' | 'missed';

export type Unit = 'µs' | 'ms' | 's' | 'KB' | 'MB' | 'x' | '%' | 'trips' | 'scans';

/** One figure of the benchmark, before it is judged. */
interface Figure {
  /** For programs, stable. */
  readonly id: string;
  /** For people. */
  readonly what: string;
  readonly value: number;
  readonly unit: Unit;
  readonly goal: Goal;
  /** The basis of the figure. */
  readonly note: string;
}

/** One line of the table. */
export interface Row extends Figure {
  readonly verdict: Verdict;
}

/** A figure with its verdict. */
export function toRow(figure: Figure): Row {
  return { ...figure, verdict: judge(figure.value, figure.goal) };
}

/** Compares a value with its goal. */
export function judge(value: number, goal: Goal): Verdict {
  switch (goal.kind) {
    case 'at_most':
      if (goal.stretch !== undefined && value <= goal.stretch) return 'excellent';
      return value <= goal.value ? 'good' : 'missed';
    case 'at_least':
      if (goal.stretch !== undefined && value >= goal.stretch) return 'excellent';
      return value >= goal.value ? 'good' : 'missed';
    case 'exactly':
      return value === goal.value ? 'good' : 'missed';
    default:
      return unreachable(goal);
  }
}
