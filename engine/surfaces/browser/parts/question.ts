import { type Html, html } from '../html.js';

/** One line of a question. */
interface AskedValue {
  readonly name: string;
  readonly label: string;
  readonly value?: string | number;
  readonly is_whole?: boolean;
}

/** A small form that leads to a page by what is typed; what is left empty is not asked for. */
export function question(path: string, title: string, values: readonly AskedValue[], button: string): Html {
  return html`<form class="question" method="get" action="${path}" aria-label="${title}">${values.map(({ name, label, value, is_whole = false }) => html`<label>${label} <input name="${name}" value="${value}" autocomplete="off"${is_whole ? html` inputmode="numeric" pattern="[0-9]*"` : undefined}></label>`)}<button type="submit">${button}</button></form>`;
}
