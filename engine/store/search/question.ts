import type { Stems } from './stems.js';
import { readWords, type Word } from './words.js';

/** Words that a text must have, or must not have, one after the other. */
export interface Term {
  readonly words: readonly Word[];
  /** Whether texts that have it are excluded. */
  readonly isExcluded: boolean;
  /** Whether the last word may be the beginning of a word. */
  readonly isOpen: boolean;
  /** The word in the index by which an id is found, or its beginning. */
  readonly id: string | undefined;
}

/** Terms that belong together; of several such groups a text must fit one. */
export type Question = readonly (readonly Term[])[];

/** Reads a question: words, `"words side by side"`, `-excluded`, and `or`. Signs that mean nothing are passed over. */
export function readQuestion(text: string): Question {
  const groups: Term[][] = [[]];
  for (const [, hyphens, quoted, plain] of text.matchAll(/(-*)(?:"([^"]*)"?|([^\s"]+))/g)) {
    if (plain?.toLowerCase() === 'or' && hyphens === '') groups.push([]);
    else {
      const words = readWords(quoted ?? plain ?? '');
      const id = plain === undefined ? undefined : toIdWord(plain);
      if (words.length > 0)
        groups.at(-1)?.push({ words, isExcluded: hyphens !== '', isOpen: quoted === undefined, id });
    }
  }
  return groups;
}

/** Leaves out words that are too common to be searched alone. */
export function withoutCommon(question: Question, stems: Stems): Question {
  const isCommon = ({ words: [first, ...more] }: Term): boolean =>
    more.length === 0 && first !== undefined && stems.get(first.word) === null;
  return question.map((terms) => terms.filter((term) => !isCommon(term))).filter((terms) => terms.length > 0);
}

/** A question as the text of a `tsquery`. Words have letters, digits and emoji only, so that none ends its quotes. */
export function toQuery(question: Question, stems: Stems): string {
  return question.map((terms) => terms.map((term) => termQuery(term, stems)).join(' & ')).join(' | ');
}

function termQuery(term: Term, stems: Stems): string {
  const { words, isExcluded, id } = term;
  const phrase = words.map((word, place) => {
    const stem = stems.get(word.word);
    const exact = `'${word.word}'${isOpenAt(term, place) ? ':*' : ''}`;
    return stem === undefined || stem === null ? exact : `(${exact} | '${stem}')`;
  });
  return `${isExcluded ? '!' : ''}(${phrase.join(' <-> ')}${id === undefined ? '' : ` | '${id}':*`})`;
}

/** Whether a term is found at one of its places by a longer word. */
export function isOpenAt({ words, isOpen }: Term, place: number): boolean {
  return words[place]?.isWhole === false || (isOpen && place === words.length - 1);
}

/**
 * An id or a hash of the record as one word of the index, which no text has. Fewer than 8 digits are no beginning of one:
 * "cafe" is a word.
 */
export function toIdWord(text: string): string | undefined {
  const digits = text.replaceAll('-', '').toLowerCase();
  return /^[0-9a-f]{8,64}$/.test(digits) ? `#${digits}` : undefined;
}
