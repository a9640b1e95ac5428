import Table from 'cli-table3';
import { unreachable } from '../../engine/contract/unreachable.js';
import { type Curve, growthOf, type Point } from './growth/curve.js';
import type { Goal, Row, Unit } from './row.js';

/** The rows as a table for people. */
export function renderTable(rows: readonly Row[]): string {
  const table = new Table({
    head: ['what', 'measured', 'target', 'verdict', 'taken from'],
    colAligns: ['left', 'right', 'right', 'left', 'left'],
    // Long texts wrap: the table fits a wide terminal. JSON has what does not fit a line.
    colWidths: [52, null, null, null, 72],
    wordWrap: true,
    style: { head: [], border: [] },
  });
  for (const { what, value, unit, goal, verdict, note } of rows)
    table.push([what, renderValue(value, unit), renderGoal(goal, unit), verdict, note]);
  return `${table.toString()}\n`;
}

/** The curves as a table for people, a line for each. */
export function renderCurves(curves: readonly Curve[]): string {
  const table = new Table({ head: ['what', 'over', 'measured', 'grows'], style: { head: [], border: [] } });
  for (const curve of curves) {
    const { x, y, cpu_ms } = growthOf(curve);
    const growth = `${renderNumber(y)} times, over ${renderNumber(x)} times as many`;
    const cpu = cpu_ms === undefined ? [] : [`CPU ${renderNumber(cpu_ms)} times`];
    const points = curve.points.map((point) => renderPoint(point, curve.unit));
    table.push([curve.title, curve.over, points.join('\n'), [growth, ...cpu].join('\n')]);
  }
  return `${table.toString()}\n`;
}

function renderPoint({ x, y, cpu_ms }: Point, unit: Curve['unit']): string {
  const cpu = cpu_ms === undefined ? '' : `, ${renderNumber(cpu_ms)} ms of CPU a turn`;
  return `${x.toLocaleString('en')}: ${renderNumber(y)} ${unit}${cpu}`;
}

/** Three digits that mean something, and the unit. */
export function renderValue(value: number, unit: Unit): string {
  return `${renderNumber(value)} ${unit}`;
}

function renderNumber(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return String(Number(value.toFixed(digits)));
}

function renderGoal(goal: Goal, unit: Unit): string {
  switch (goal.kind) {
    case 'at_most':
      return `<= ${renderValue(goal.value, unit)}${renderStretch(goal.stretch)}`;
    case 'at_least':
      return `>= ${renderValue(goal.value, unit)}${renderStretch(goal.stretch)}`;
    case 'exactly':
      return renderValue(goal.value, unit);
    default:
      return unreachable(goal);
  }
}

function renderStretch(stretch: number | undefined): string {
  return stretch === undefined ? '' : ` (${stretch})`;
}
