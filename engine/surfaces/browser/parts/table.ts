import { type Html, html, type HtmlValue, NOTHING } from '../html.js';

/** Terms with their values; rows without a value are left out. */
export function facts(rows: readonly (readonly [term: string, value: HtmlValue])[]): Html {
  const shown = rows.filter(([, value]) => isSaid(value));
  if (shown.length === 0) return NOTHING;
  return html`<dl class="facts">${shown.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** A column: its title, its cells from the first row on, and whether they are numbers or sentences. */
interface Column {
  readonly title: string;
  readonly cells: readonly HtmlValue[];
  /** Numbers are aligned to the right; sentences get room and may wrap. */
  readonly set_as: 'number' | 'sentence' | undefined;
}

/** A scrolling table with headers. Columns without values are left out. */
export function table(caption: string, columns: readonly Column[]): Html {
  const shown = columns
    .filter(({ cells }) => cells.some(isSaid))
    .map(({ set_as, ...column }) => ({ ...column, look: set_as === undefined ? NOTHING : html` class="${set_as}"` }));
  const [first = { cells: [] }] = columns;
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${caption}"><table>
<caption class="unseen">${caption}</caption>
<thead><tr>${shown.map(({ title, look }) => html`<th scope="col"${look}>${title}</th>`)}</tr></thead>
<tbody>${first.cells.map((_cell, index) => html`<tr>${shown.map(({ title, look, cells }) => html`<td data-title="${title}"${look}>${cells[index]}</td>`)}</tr>`)}</tbody>
</table></div>`;
}

function isSaid(value: HtmlValue): boolean {
  return String(value ?? '') !== '';
}
