import { parseJson } from '../../../core/content/parse-json.js';
import { type Html, html } from '../html.js';

/** Shorter JSON reads well on its one line. */
const PRETTY_LENGTH_MIN = 60;

/** Something with a button that copies it whole and exactly. @param pointer its place in the JSON of the page */
export function copyable(pointer: string, body: Html): Html {
  return html`<div class="copyable"><button type="button" class="copy" data-copy="${pointer}">Copy</button>${body}</div>`;
}

/** One text in two views, the readable one first; a switch that needs no script shows the exact one. */
export function inTwoViews(pretty: Html, exact: Html): Html {
  return html`<div class="views"><label class="switch"><input type="checkbox" autocomplete="off"> exactly as it was</label><div class="pretty">${pretty}</div><div class="exact">${exact}</div></div>`;
}

/** A text whose lines of JSON are set on several lines; the same text where it has none. */
export function prettyJson(text: string): string {
  return text.replace(/^[[{].*$/gm, (line) => {
    if (line.length < PRETTY_LENGTH_MIN) return line;
    const parsed = parseJson(line);
    return parsed.ok ? JSON.stringify(parsed.value, null, 2) : line;
  });
}
