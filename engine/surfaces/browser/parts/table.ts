import { type Html, html, type HtmlValue, NOTHING } from '../html.js';

/** Terms with their values; rows without a value are left out. */
export function facts(rows: readonly (readonly [term: string, value: HtmlValue])[]): Html {
  const shown = rows.filter(([, value]) => isSaid(value));
  return html`<dl class="facts">${shown.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`;
}

type Cell<Row> = (row: Row) => HtmlValue;

/** The columns of a table, in order: the title of each, and its cell in a row. */
export type Columns<Row> = Readonly<Record<string, Cell<Row> | Column<Row>>>;

/** A column whose cells are set in a way of their own. */
interface Column<Row> {
  readonly cell: Cell<Row>;
  readonly set_as: 'number' | 'sentence';
}

/** Numbers are aligned to the right. */
export function numbers<Row>(cell: Cell<Row>): Column<Row> {
  return { cell, set_as: 'number' };
}

/** Sentences get room and may wrap. */
export function sentences<Row>(cell: Cell<Row>): Column<Row> {
  return { cell, set_as: 'sentence' };
}

/** A scrolling table with headers; a sentence where it has no rows. Columns without values are left out. */
export function table<Row>(
  caption: string,
  columns: Columns<Row>,
  rows: readonly Row[],
  empty: Html = html`<p class="empty">Nothing yet.</p>`,
): Html {
  if (rows.length === 0) return empty;
  const drawn = Object.entries(columns).map(([title, column]) => {
    if (typeof column === 'function') return { title, look: NOTHING, cells: rows.map(column) };
    return { title, look: html` class="${column.set_as}"`, cells: rows.map(column.cell) };
  });
  const shown = drawn.filter(({ cells }) => cells.some(isSaid));
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${caption}"><table>
<caption class="unseen">${caption}</caption>
<thead><tr>${shown.map(({ title, look }) => html`<th scope="col"${look}>${title}</th>`)}</tr></thead>
<tbody>${rows.map((_row, index) => html`<tr>${shown.map(({ title, look, cells }) => html`<td data-title="${title}"${look}>${cells[index]}</td>`)}</tr>`)}</tbody>
</table></div>`;
}

function isSaid(value: HtmlValue): boolean {
  return String(value ?? '') !== '';
}
