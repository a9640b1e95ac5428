import Table from 'cli-table3';
import { factLines } from './block.js';
import { EMPTY, type Line, strong, verbatim } from './line.js';
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

/**
 * A table without lines around it. A column whose first value is a number is set to the right. Where it does not fit, each
 * row is a block of names and values: a row that the terminal breaks can be read by nobody.
 */
export function tableLines(head: readonly string[], rows: readonly (readonly Cell[])[]): readonly Line[] {
  const table = new Table({
    head: [...head],
    chars: BORDERLESS,
    style: { head: [], border: [], 'padding-left': 1, 'padding-right': 0 },
    colAligns: head.map((_, index) => (typeof rows[0]?.[index] === 'number' ? 'right' : 'left')),
  });
  table.push(...rows.map((row) => row.map((cell) => neutralise(String(cell ?? '')))));
  const [title = '', ...body] = table
    .toString()
    .split('\n')
    .map((text) => text.trimEnd());
  const columns = Math.max(...[title, ...body].map((text) => Array.from(text).length));
  return [
    { ...verbatim(strong(title)), below: { columns, lines: [] } },
    ...body.map((text, index) => ({ ...verbatim(text), below: { columns, lines: toBlock(head, rows[index] ?? []) } })),
  ];
}

function toBlock(head: readonly string[], row: readonly Cell[]): readonly Line[] {
  const facts = Object.fromEntries(head.map((name, index) => [name, row[index] === '' ? null : (row[index] ?? null)]));
  return [...factLines(facts), EMPTY];
}
