import { type Html, html, type HtmlValue, NOTHING } from '../html.js';
import { pathOf, type PlaceKind } from '../../../catalogue/places.js';
import { grouped, toDuration } from '../../../catalogue/words.js';

export { callWord, runWord, shorten, words } from '../../../catalogue/words.js';

/** How many characters of one text a page shows. */
export const TEXT_LENGTH_MAX = 20_000;

/** A link to a resource. */
export function linkTo(kind: PlaceKind, key: string | null | undefined, text?: string): Html {
  if (key === null || key === undefined) return NOTHING;
  return html`<a href="${pathOf(kind, key)}" title="${key}">${text ?? shortKey(key)}</a>`;
}

/** A long id or hash shortened to its ends, because ids of the same moment share a prefix. */
export function shortKey(key: string): Html {
  const isLong = /^[0-9a-f-]{36}$|^[0-9a-f]{64}$/.test(key);
  return isLong ? html`<code>${key.slice(0, 8)}…${key.slice(-6)}</code>` : html`${key}`;
}

/** A moment, to the second. */
export function moment(time: string | null | undefined): Html {
  if (time === null || time === undefined) return NOTHING;
  return html`<time datetime="${time}" title="${time}">${time.slice(0, 10)} ${time.slice(11, 19)} <span class="zone">UTC</span></time>`;
}

const DAY_AND_MINUTE = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});

/** A time inside a world: the day and the minute. */
export function worldTime(time: string): Html {
  return html`<time datetime="${time}">${DAY_AND_MINUTE.format(new Date(time))} <span class="zone">UTC</span></time>`;
}

/** A duration for people; nothing where there is none. */
export function duration(milliseconds: number | null | undefined): string {
  return milliseconds === null || milliseconds === undefined ? '' : toDuration(milliseconds);
}

/** A number with its thousands apart; nothing for none. */
export function count(number: number | null | undefined): string {
  return number === null || number === undefined ? '' : grouped(number);
}

/** A state with a mark in its colour. */
export function status(word: string, of = word): Html {
  return html`<span class="status is-${toClass(of)}">${word}</span>`;
}

/** A word as a class name: letters, digits and hyphens only. */
export function toClass(word: string): string {
  return word.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

/** Something that is shown once its summary is opened. */
export function folded(summary: string, body: Html, is_open = false): Html {
  return html`<details${is_open ? html` open` : NOTHING}><summary>${summary}</summary>${body}</details>`;
}

/** A long text with its line breaks; where it is cut, the end says so. */
export function verbatim(text: string): Html {
  return html`<pre class="text">${cut(text)}</pre>`;
}

/** A text of at most so many characters, exactly: what is never drawn is written as `\u200b`, and marked. */
export function cut(text: string): Html {
  if (text.length <= TEXT_LENGTH_MAX) return html`${visible(text)}`;
  const rest = count(text.length - TEXT_LENGTH_MAX);
  return html`${visible(text.slice(0, TEXT_LENGTH_MAX))}<span class="cut">… and ${rest} characters more; the JSON has them all.</span>`;
}

/** Characters that are never drawn, or only change how others are: zero-width ones, variation selectors, tags, controls. */
const UNSEEN = /((?:(?![\t\n])[\p{Default_Ignorable_Code_Point}\p{Cc}\u2028\u2029])+)/u;

/** An exact text: whoever reads it sees every character. */
export function visible(text: string): HtmlValue {
  const [first = '', ...rest] = text.split(UNSEEN);
  return [
    first,
    ...rest.map((part, index) => (index % 2 === 0 ? html`<span class="hidden">${toUnits(part)}</span>` : part)),
  ];
}

/** As JSON writes it. */
function toUnits(text: string): string {
  return text.split('').reduce((units, unit) => `${units}\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`, '');
}

/** From these lengths on a text, or a narration, is folded behind its first quarter of that. */
const FOLDED_LENGTH_MIN = 600;
export const FOLDED_NARRATION_MIN = 1_600;

/** A text of the world: a long one is folded behind its first words. */
export function foldable(text: string, shown: Html = html`${text}`, length_min = FOLDED_LENGTH_MIN): Html {
  if (text.length < length_min) return shown;
  const beginning = text.slice(0, length_min / 4).replace(/\s+\S*$/, '');
  return html`<details class="long"><summary>${beginning}… <span class="dim">${count(text.length)} characters</span></summary>${shown}</details>`;
}
