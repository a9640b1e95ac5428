import { escapeUnseen } from '../../core/prompt/quote.js';

/** Markup. The class is not exported and its text is private, so only the `html` tag can make any. */
class Markup {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

export type Html = Markup;

/** A value that a template accepts: text is escaped, null and undefined give nothing, lists are joined. */
export type HtmlValue = Html | string | number | false | null | undefined | readonly HtmlValue[];

/**
 * Makes markup of a template. Each value is escaped for text and for quoted attributes alike; control characters and
 * characters that reorder text are written as `\u202e`.
 * @throws Error where a value is in an attribute without quotes, or begins a link to another host
 */
export function html(template: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let text = template[0] ?? '';
  for (const [index, value] of values.entries()) {
    text += toMarkup(value, text) + (template[index + 1] ?? '');
  }
  return new Markup(text);
}

/** A stylesheet within a page. @throws Error for one that could end its element */
export function styleElement(css: string): Html {
  if (css.includes('<')) throw new Error('a stylesheet holds markup');
  return new Markup(`<style>${css}</style>`);
}

export const NOTHING = html``;

function toMarkup(value: HtmlValue, before: string): string {
  if (value instanceof Markup) return value.toString();
  if (value === undefined || value === null || value === false) return '';
  if (Array.isArray(value)) return (value as readonly HtmlValue[]).map((item) => toMarkup(item, before)).join('');
  const text = String(value);
  if (BARE_ATTRIBUTE.test(before)) throw new Error('an attribute has no quotes');
  if (LINK.test(before) && !OWN_PLACE.test(text)) throw new Error('a link leads elsewhere');
  return escapeText(text);
}

const BARE_ATTRIBUTE = /\s[\w:-]+=$/;
const LINK = /\s(href|src|action|formaction|xlink:href)="$/;
/** A path of this server, a query, or a place of the same page. */
const OWN_PLACE = /^(\/(?![/\\])|[?#])/;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  return escapeUnseen(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
