import { type ParameterName, PARAMETERS } from '../../../catalogue/parameters.js';
import type { Asked, Resource } from '../../../catalogue/resource.js';
import type { Block } from '../../../catalogue/view.js';
import type { JsonObject } from '../../../contract/json.js';
import { type Html, html, NOTHING } from '../html.js';

/** A small form that leads to a page by what is typed; what is left empty is not asked for. */
export function question({ path, title, values, button }: Extract<Block, { readonly block: 'question' }>): Html {
  return html`<form class="question" method="get" action="${path}" aria-label="${title}">${values.map(({ name, label, value, is_whole = false }) => html`<label>${label} <input name="${name}" value="${value}" autocomplete="off"${is_whole ? html` inputmode="numeric" pattern="[0-9]*"` : undefined}></label>`)}<button type="submit">${button}</button></form>`;
}

/**
 * The form of what a page can be asked, with what was asked. Its filters are folded away until one is set: on a phone they
 * would separate the first field from the results.
 */
export function searchForm(path: string, fields: NonNullable<Resource['asks']>['fields'], { query }: Asked): Html {
  const [[first, label] = ['q', ''] as const, ...filters] = Object.entries(fields) as (readonly [
    ParameterName,
    string,
  ])[];
  const isFiltered = filters.some(([name]) => (query[name] ?? '') !== '');
  return html`<form class="search" role="search" method="get" action="${path}">
${fieldOf(first, label, html`<input id="${first}" name="${first}" type="search" maxlength="200" value="${query[first] ?? ''}">`)}
<details class="filters"${isFiltered ? html` open` : NOTHING}><summary>Filters</summary><div>
${filters.map(([name, text]) => fieldOf(name, text, controlOf(name, query[name] ?? '')))}</div></details><button type="submit">Search</button></form>`;
}

function fieldOf(name: string, label: string, control: Html): Html {
  return html`<p class="field"><label for="${name}">${label}</label>${control}</p>`;
}

/** A parameter of a few words is chosen, any other is typed. */
function controlOf(name: ParameterName, value: string): Html {
  const { schema }: { readonly schema: JsonObject } = PARAMETERS[name];
  if (!Array.isArray(schema['enum']))
    return html`<input id="${name}" name="${name}" value="${value}" autocomplete="off">`;
  return html`<select id="${name}" name="${name}"><option value="">everything</option>${(schema['enum'] as readonly string[]).map((word) => html`<option value="${word}"${value === word ? html` selected` : NOTHING}>${word}s</option>`)}</select>`;
}
