import { type Html, html, type HtmlValue } from '../html.js';
import type { Column } from '../page.js';

/** Terms with their values; rows without a value are left out. */
export function facts(rows: readonly (readonly [term: string, value: HtmlValue])[]): Html {
  const shown = rows.filter(([, value]) => isSaid(value));
  return html`<dl class="facts">${shown.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** A scrolling table with headers; a sentence where it has no rows. Columns without values are left out. */
export function table<Row>(
  caption: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  empty: Html = html`<p class="empty">Nothing yet.</p>`,
): Html {
  if (rows.length === 0) return empty;
  const cells = columns.map(({ cell }) => rows.map(cell));
  const shown = columns.flatMap((column, index) => {
    const own = cells[index] ?? [];
    return own.some(isSaid) ? [{ column, cells: own }] : [];
  });
  const classOf = ({ is_number, is_text }: Column<Row>): HtmlValue =>
    is_number === true ? html` class="number"` : is_text === true ? html` class="sentence"` : undefined;
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${caption}"><table>
<caption class="unseen">${caption}</caption>
<thead><tr>${shown.map(({ column }) => html`<th scope="col"${classOf(column)}>${column.title}</th>`)}</tr></thead>
<tbody>${rows.map((_row, index) => html`<tr>${shown.map(({ column, cells: own }) => html`<td data-title="${column.title}"${classOf(column)}>${own[index]}</td>`)}</tr>`)}</tbody>
</table></div>`;
}

function isSaid(value: HtmlValue): boolean {
  return String(value ?? '') !== '';
}
