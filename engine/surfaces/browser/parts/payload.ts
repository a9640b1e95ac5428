import type { Json } from '../../../contract/json.js';
import { type Html, html, type HtmlValue } from '../html.js';
import { pathOf, pathOfMember } from '../../../catalogue/places.js';
import type { KnownHashes } from '../../../catalogue/view.js';
import { cut } from './text.js';

/** How many values of one payload a page shows; one mark replaces the others. */
const VALUES_MAX = 1_000;

/**
 * A JSON value with a link at each id and hash of something stored.
 * @param known the documents whose hashes the value holds in members that do not say their kind
 */
export function payload(value: unknown, known: KnownHashes = []): Html {
  const paths = new Map(known.map(({ kind, hash }) => [hash, pathOf(kind, hash)]));
  const left = { values: VALUES_MAX };
  return html`<pre class="json">${show(value as Json, { paths, left, indent: '\n', member: '' })}</pre>`;
}

interface Place {
  readonly paths: ReadonlyMap<string, string>;
  readonly left: { values: number };
  readonly indent: string;
  readonly member: string;
}

function show(value: Json, place: Place): HtmlValue {
  if (place.left.values-- <= 0) return html`<span class="cut">…</span>`;
  if (typeof value === 'string') return showText(value, place);
  if (value === null || typeof value !== 'object') return html`<em>${String(value)}</em>`;
  const isList = Array.isArray(value);
  const inner = { ...place, indent: `${place.indent}  ` };
  const items: HtmlValue[] = [];
  for (const [name, item] of isList ? value.entries() : Object.entries(value)) {
    items.push([
      items.length === 0 ? '' : ',',
      inner.indent,
      isList ? undefined : html`<b>${JSON.stringify(name)}</b>: `,
      show(item, { ...inner, member: isList ? place.member : String(name) }),
    ]);
    // Once a value was left out, all later ones are.
    if (place.left.values < 0) break;
  }
  if (items.length === 0) return isList ? '[]' : '{}';
  return [isList ? '[' : '{', items, place.indent, isList ? ']' : '}'];
}

function showText(text: string, { paths, member }: Place): HtmlValue {
  const path = paths.get(text) ?? pathOfMember(member, text);
  const quoted = JSON.stringify(text);
  return path === undefined ? cut(quoted) : html`<a href="${path}">${quoted}</a>`;
}
