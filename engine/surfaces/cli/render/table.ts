import Table from 'cli-table3';
import { type Line, strong, verbatim } from './line.js';
import { neutralise } from './neutralise.js';

const BORDERLESS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: ' ',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: ' ',
};

type Cell = string | number | null;

/** A table without lines around it. A column whose first value is a number is set to the right. */
export function tableLines(head: readonly string[], rows: readonly (readonly Cell[])[]): readonly Line[] {
  const table = new Table({
    head: [...head],
    chars: BORDERLESS,
    style: { head: [], border: [], 'padding-left': 1, 'padding-right': 0 },
    colAligns: head.map((_, index) => (typeof rows[0]?.[index] === 'number' ? 'right' : 'left')),
  });
  table.push(...rows.map((row) => row.map((cell) => neutralise(String(cell ?? '')))));
  const [title = '', ...body] = table.toString().split('\n');
  return [verbatim(strong(title.trimEnd())), ...body.map((text) => verbatim(text.trimEnd()))];
}
