import Table from 'cli-table3';

/** The goal of a figure. `stretch` is a better one still. */
export interface Goal {
  readonly kind: 'at_most' | 'at_least' | 'exactly';
  readonly value: number;
  readonly stretch?: number;
}

/** One figure of the benchmark. Only those with a goal are judged. */
interface Figure {
  /** For programs, stable. */
  readonly id: string;
  /** For people. */
  readonly what: string;
  readonly value: number;
  readonly unit: 'µs' | 'ms' | 's' | 'KB' | 'MB' | 'x' | 'scans';
  readonly goal?: Goal;
  /** The basis of the figure. */
  readonly note: string;
}

/** One line of the table. `excellent` reaches the stretch too. */
export interface Row extends Figure {
  readonly verdict?: 'excellent' | 'good' | 'missed';
}

/** A figure with its verdict. */
export function toRow(figure: Figure): Row {
  const { goal, value } = figure;
  if (goal === undefined) return figure;
  const isExcellent = goal.stretch !== undefined && reaches(value, { ...goal, value: goal.stretch });
  return { ...figure, verdict: isExcellent ? 'excellent' : reaches(value, goal) ? 'good' : 'missed' };
}

function reaches(value: number, goal: Goal): boolean {
  if (goal.kind === 'at_most') return value <= goal.value;
  return goal.kind === 'at_least' ? value >= goal.value : value === goal.value;
}

const SIGNS = { at_most: '<= ', at_least: '>= ', exactly: '' } as const;

/** The rows as a table for people. */
export function renderTable(rows: readonly Row[]): string {
  const table = new Table({
    head: ['what', 'measured', 'target', 'verdict', 'taken from'],
    colAligns: ['left', 'right', 'right', 'left', 'left'],
    // Long texts wrap: the table fits a wide terminal.
    colWidths: [52, null, null, null, 72],
    wordWrap: true,
    style: { head: [], border: [] },
  });
  for (const { what, value, unit, goal, verdict = '', note } of rows) {
    const stretch = goal?.stretch === undefined ? '' : ` (${goal.stretch})`;
    const target = goal === undefined ? '' : `${SIGNS[goal.kind]}${renderNumber(goal.value)} ${unit}${stretch}`;
    table.push([what, `${renderNumber(value)} ${unit}`, target, verdict, note]);
  }
  return `${table.toString()}\n`;
}

/** Three digits that mean something. */
export function renderNumber(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return String(Number(value.toFixed(digits)));
}
