import type { Asked } from '../../../catalogue/resource.js';
import { SEARCH_KINDS } from '../../../ports/search.js';
import { type Html, html, NOTHING } from '../html.js';
import type { PageParts } from '../resource-page.js';

const FILTERS = [
  { name: 'world', text: 'World' },
  { name: 'turn', text: 'Turn' },
  { name: 'subject', text: 'Subject' },
  { name: 'source', text: 'Source' },
  { name: 'failure', text: 'Failure class' },
] as const;

/** The form of a search, with what was asked: before the texts found, and beside what is wrong with it. */
export const searchParts: PageParts<'Found'> = {
  parts: (_found, asked) => ({ lede: form(asked) }),
  refused: ({ code, message, repair }, asked) => ({
    title: 'Search',
    eyebrow: 'Search all texts',
    trail: [],
    lede: html`<p class="reason failure" role="alert">${message} ${repair} <code class="dim">${code}</code></p>${form(asked)}`,
    sections: [],
  }),
};

/** The filters are folded away until one is set: on a phone they would separate the words from the results. */
function form(asked: Asked): Html {
  const { query } = asked;
  return html`<form class="search" role="search" method="get" action="/search">
<p class="field"><label for="q">Words</label><input id="q" name="q" type="search" maxlength="200" value="${query['q'] ?? ''}"></p>
<details class="filters"${isFiltered(asked) ? html` open` : NOTHING}><summary>Filters</summary><div>
<p class="field"><label for="kind">In</label><select id="kind" name="kind"><option value="">everything</option>${SEARCH_KINDS.map(
    (kind) => html`<option value="${kind}"${query['kind'] === kind ? html` selected` : NOTHING}>${kind}s</option>`,
  )}</select></p>
${FILTERS.map(
  ({ name, text }) =>
    html`<p class="field"><label for="${name}">${text}</label><input id="${name}" name="${name}" value="${query[name] ?? ''}" autocomplete="off"></p>`,
)}</div></details><button type="submit">Search</button></form>`;
}

function isFiltered({ query }: Asked): boolean {
  return [...FILTERS.map(({ name }) => name), 'kind' as const].some((name) => (query[name] ?? '') !== '');
}
