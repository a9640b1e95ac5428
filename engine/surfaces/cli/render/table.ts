import Table from 'cli-table3';
import { factLines } from './block.js';
import { isQuantity } from '../../../catalogue/words.js';
import { EMPTY, type Line, strong, verbatim } from './line.js';
import { neutralise } from './neutralise.js';

/** All lines of a table but spaces between its columns. */
const LINES =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left-mid mid mid-mid right right-mid';
const BORDERLESS = { ...Object.fromEntries(LINES.split(' ').map((name) => [name, ''])), left: ' ', middle: ' ' };

type Cell = string | number | null;

/** The columns of a table, in order: the title of each, and its cell in a row. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>;

/**
 * A table without lines around it. A column in which no row has a value is left out, and one of numbers
 * is set to the right. Where the table does not fit, each row becomes a block of names and values: rows that the terminal
 * breaks are unreadable.
 */
export function tableLines<Row>(rows: readonly Row[], columns: Columns<Row>): readonly Line[] {
  const used = Object.entries(columns).filter(([, cellOf]) => rows.some((row) => (cellOf(row) ?? '') !== ''));
  const table = new Table({
    head: used.map(([title]) => title),
    chars: BORDERLESS,
    style: { head: [], border: [], 'padding-left': 1, 'padding-right': 0 },
    colAligns: used.map(([, cellOf]) => {
      const cells = rows.map((row) => String(cellOf(row) ?? '')).filter((cell) => cell !== '');
      return cells.every(isQuantity) ? 'right' : 'left';
    }),
  });
  table.push(...rows.map((row) => used.map(([, cellOf]) => neutralise(String(cellOf(row) ?? '')))));
  const [title = '', ...body] = table
    .toString()
    .split('\n')
    .map((text) => text.trimEnd());
  const width = Math.max(...[title, ...body].map((text) => Array.from(text).length));
  const blocks = rows.map((row) => [...factLines(used.map(([name, cellOf]) => [name, cellOf(row)])), EMPTY]);
  return [
    { ...verbatim(strong(title)), below: { columns: width, lines: [] } },
    ...body.map((text, index) => ({ ...verbatim(text), below: { columns: width, lines: blocks[index] ?? [] } })),
  ];
}
