import { type Html, html, type HtmlValue } from '../html.js';
import { foldable } from './text.js';

/** Texts of more words than this are compared as a whole. */
const WORDS_MAX = 600;
/** Below this share of common words, two texts are read more easily one after the other. */
const COMMON_PART_MIN = 0.5;

/** A value before and after: word by word where much of it stays. */
export function change(before: string | null, after: string | null): Html {
  const words = before === null || after === null ? undefined : compareWords(before, after);
  if (words !== undefined) return foldable(after ?? '', html`<span class="words">${words.map(drawRun)}</span>`);
  return html`${before === null ? undefined : html`<del>${foldable(before)}</del> `}${after === null ? undefined : html`<ins>${foldable(after)}</ins>`}`;
}

interface Run {
  readonly kind: 'same' | 'gone' | 'new';
  readonly text: string;
}

function drawRun({ kind, text }: Run): HtmlValue {
  if (kind === 'same') return text;
  return kind === 'gone' ? html`<del>${text}</del>` : html`<ins>${text}</ins>`;
}

/** Compares two texts by words. @returns undefined where too little is common, or they are too long */
export function compareWords(before: string, after: string): readonly Run[] | undefined {
  const [from, to] = [toWords(before), toWords(after)];
  if (Math.max(from.length, to.length) > WORDS_MAX) return undefined;
  // The length of the longest common part of both ends, from each pair of places on.
  const common = from.map(() => new Uint16Array(to.length + 1));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = from.length - 1; i >= 0; i--)
    for (let j = to.length - 1; j >= 0; j--)
      (common[i] as Uint16Array)[j] = from[i] === to[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  if (at(0, 0) < COMMON_PART_MIN * Math.max(from.length, to.length)) return undefined;
  const runs: Run[] = [];
  const add = (kind: Run['kind'], word = ''): void => {
    const last = runs.at(-1);
    if (last?.kind === kind) runs[runs.length - 1] = { kind, text: last.text + word };
    else runs.push({ kind, text: word });
  };
  for (let i = 0, j = 0; i < from.length || j < to.length; ) {
    if (i < from.length && from[i] === to[j]) {
      add('same', from[i++]);
      j++;
    } else if (i < from.length && (j === to.length || at(i + 1, j) >= at(i, j + 1))) add('gone', from[i++]);
    else add('new', to[j++]);
  }
  return runs;
}

/** Words, each with the white space after it; writing without spaces is compared letter by letter. */
function toWords(text: string): readonly string[] {
  return (
    text.match(
      /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+\s*|\s+/gu,
    ) ?? []
  );
}
