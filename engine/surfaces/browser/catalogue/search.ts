import * as declared from '../../../catalogue/resources/search.js';
import type { Asked } from '../../../catalogue/resource.js';
import type { Found } from '../../../operations/search.js';
import { SEARCH_KINDS, type SearchHit } from '../../../ports/search.js';
import { type Html, html, NOTHING } from '../html.js';
import { nextPart, emptyState, itemPage, type Page, type View } from '../page.js';
import { type Columns, numbers, sentences, table } from '../parts/table.js';
import { linkTo, words } from '../parts/text.js';
import { pathOf, pathOfPatch, pathOfTurn } from '../../../catalogue/places.js';

const FILTERS = [
  { name: 'world', text: 'World' },
  { name: 'turn', text: 'Turn' },
  { name: 'subject', text: 'Subject' },
  { name: 'source', text: 'Source' },
  { name: 'failure', text: 'Failure class' },
] as const;

export const search: Page = itemPage(declared.search, {
  view: viewFound,
  refused: ({ code, message, repair }, asked) => ({
    ...HEAD,
    lede: html`<p class="reason failure" role="alert">${message} ${repair} <code class="dim">${code}</code></p>${form(asked)}`,
    sections: [],
  }),
});

const HEAD = { title: 'Search', eyebrow: 'Search all texts', trail: [] };

function viewFound(found: Found, asked: Asked): View {
  const { rows, next, is_complete } = found;
  const late = is_complete
    ? NOTHING
    : html`<p class="note">The latest attempts are not indexed yet. Search again in a moment.</p>`;
  return {
    ...HEAD,
    lede: form(asked),
    sections: [
      {
        id: 'found',
        title: 'Found',
        body: html`${late}${table('Found', columns, rows, nothingFound(asked))}${nextPart(next, asked)}`,
      },
    ],
  };
}

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

function nothingFound(asked: Asked): Html {
  return isFiltered(asked) || (asked.query['q'] ?? '') !== ''
    ? emptyState('Nothing was found. An attempt can be searched once it has ended.')
    : emptyState('Write words, or choose a filter. "Two words" in quotes must be adjacent; -word excludes.');
}

const columns: Columns<SearchHit> = {
  Where: place,
  'What was found': sentences(
    ({ snippet }) => html`${snippet.map(({ text, is_match }) => (is_match ? html`<mark>${text}</mark>` : text))}`,
  ),
  Subject: ({ workflow_subject_entity_id }) => workflow_subject_entity_id ?? '',
  World: ({ world_slug }) => linkTo('world', world_slug),
  Turn: numbers(({ world_slug, turn, attempt_id, patch_seq }) =>
    patch_seq === null
      ? html`<a href="${pathOf('attempt', attempt_id)}">${turn}</a>`
      : html`<a href="${pathOfTurn(world_slug, turn)}">${turn}</a>`,
  ),
  Source: ({ source_label }) => source_label ?? '',
  Failure: ({ failure_class }) => words(failure_class),
};

/** The link to a found text: to a turn for a patch, to a generation, or to a call for a result. */
function place({ kind, world_slug, turn, patch_seq, llm_call_id, source_invocation_id }: SearchHit): Html {
  if (patch_seq !== null) return html`<a href="${pathOfPatch(world_slug, turn, patch_seq)}">${kind}</a>`;
  if (llm_call_id !== null) return html`<a href="${pathOf('llm_call', llm_call_id)}#${kind}">${kind}</a>`;
  return linkTo('source_invocation', source_invocation_id, kind);
}
