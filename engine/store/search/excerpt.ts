import type { SnippetPart } from '../../ports/search.js';
import { isOpenAt, type Question, type Term } from './question.js';
import type { Stems } from './stems.js';
import { readWords, type Word } from './words.js';

/** How much of a text is shown before and after a match. */
const AROUND = 90;
const FRAGMENTS_MAX = 2;
/** A longer word is cut. */
const WORD_LENGTH_MAX = 40;

interface Range {
  readonly begins: number;
  readonly ends: number;
}

/** Words of a text's index, each with its places, which are counted from 1. */
export type Places = readonly (readonly [word: string, places: readonly number[]])[];

/**
 * Shows the first matches of a text as it is written, or its beginning if it has none. Cuts are between words.
 * @param places those words of its index that the question may mean
 */
export function excerpt(text: string, question: Question, stems: Stems, places: Places): readonly SnippetPart[] {
  const words = readWords(text);
  const terms = question.flat().filter(({ isExcluded }) => !isExcluded);
  const matches = joined(terms.flatMap((term) => findMatches(term, stems, places, words)));
  const fragments: Range[] = [];
  for (const { begins, ends } of matches.length === 0 ? [{ begins: 0, ends: 0 }] : matches) {
    const shown = fragments.at(-1)?.ends ?? 0;
    if (begins < shown) continue;
    if (fragments.length === FRAGMENTS_MAX) break;
    fragments.push({ begins: Math.max(shown, cutBefore(text, words, begins)), ends: cutAfter(text, words, ends) });
  }
  return toParts(text, fragments, matches);
}

function findMatches(term: Term, stems: Stems, places: Places, words: readonly Word[]): readonly Range[] {
  const [first, ...more] = term.words.map(({ word }, place) => {
    const stem = stems.get(word);
    const isMeant = (found: string): boolean =>
      found === word || found === stem || (isOpenAt(term, place) && found.startsWith(word));
    return new Set(places.flatMap(([found, at]) => (isMeant(found) ? at : [])));
  });
  return [...(first ?? [])]
    .filter((place) => more.every((next, distance) => next.has(place + distance + 1)))
    .flatMap((place) => {
      const [from, to] = [words[place - 1], words[place - 1 + more.length]];
      return from === undefined || to === undefined ? [] : [{ begins: from.begins, ends: to.ends }];
    });
}

/** Ranges in their order; those that overlap or touch are one. */
function joined(ranges: readonly Range[]): readonly Range[] {
  const whole: Range[] = [];
  for (const range of ranges.toSorted((one, other) => one.begins - other.begins)) {
    const before = whole.at(-1);
    if (before === undefined || range.begins > before.ends) whole.push(range);
    else whole.splice(-1, 1, { begins: before.begins, ends: Math.max(before.ends, range.ends) });
  }
  return whole;
}

function cutBefore(text: string, words: readonly Word[], match: number): number {
  const near = text.slice(0, Math.max(0, match - AROUND));
  const cut = near.length - (REST_BEFORE.exec(near)?.[0].length ?? 0);
  return words.find(({ begins, ends }) => begins < cut && cut < ends)?.begins ?? cut;
}

function cutAfter(text: string, words: readonly Word[], match: number): number {
  const near = match + AROUND;
  const cut = Math.min(text.length, near + (REST_AFTER.exec(text.slice(near))?.[0].length ?? 0));
  return words.find(({ begins, ends }) => begins < cut && cut < ends)?.ends ?? cut;
}

const REST_BEFORE = new RegExp(`\\S{0,${WORD_LENGTH_MAX}}$`);
const REST_AFTER = new RegExp(`^\\S{0,${WORD_LENGTH_MAX}}`);

function toParts(text: string, fragments: readonly Range[], matches: readonly Range[]): readonly SnippetPart[] {
  const parts: SnippetPart[] = [];
  let shown = 0;
  const say = (ends: number, is_match: boolean): void => {
    parts.push({ text: text.slice(shown, ends), is_match });
    shown = ends;
  };
  for (const { begins, ends } of fragments) {
    if (text.slice(shown, begins).trim() !== '') parts.push({ text: shown === 0 ? '… ' : ' … ', is_match: false });
    shown = Math.max(shown, begins);
    for (const match of matches.filter((one) => begins <= one.begins && one.begins < ends)) {
      say(match.begins, false);
      say(match.ends, true);
    }
    if (shown < ends) say(ends, false);
  }
  if (text.slice(shown).trim() !== '') parts.push({ text: ' …', is_match: false });
  return parts.filter((part) => part.text !== '');
}
