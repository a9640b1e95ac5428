import Table from 'cli-table3';
import { unreachable } from '../../engine/contract/unreachable.js';
import { type Curve, growthOf } from './growth/curve.js';
import type { Goal, Row, Unit } from './row.js';

/** The rows as a table for people. */
export function renderTable(rows: readonly Row[]): string {
  const table = new Table({
    head: ['what', 'measured', 'target', 'verdict', 'taken from'],
    colAligns: ['left', 'right', 'right', 'left', 'left'],
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
    const points = curve.points.map(({ x, y }) => `${x.toLocaleString('en')}: ${renderNumber(y)} ${curve.unit}`);
    const { x, y } = growthOf(curve);
    const growth = `${renderNumber(y)} times, over ${renderNumber(x)} times as many`;
    table.push([curve.title, curve.over, points.join('\n'), growth]);
  }
  return `${table.toString()}\n`;
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
