/** A word of a text, and where the text has it. */
export interface Word {
  /** As it is indexed: composed, in one case, in plain letters and digits. Of a script without spaces, two characters. */
  readonly word: string;
  readonly begins: number;
  readonly ends: number;
  /** Whether a space or a sign ends it; a character of a script without spaces is followed by the rest of its word. */
  readonly isWhole: boolean;
}

// What belongs to the character before it: marks, invisible characters, skin tones, half-width voiced marks, and the vowels
// and finals of a Korean syllable.
const ADDED = '[\\p{M}\\p{DI}\\p{EMod}\\uFF9E\\uFF9F\\u1160-\\u11FF]';
const PIECE = new RegExp(`[\\x00-\\x7F]+(?!${ADDED})|[^]${ADDED}*(?:(?<=\\u200D)\\p{ExtPict}${ADDED}*)*`, 'gu');

const SCRIPTS_WITHOUT_SPACES = [
  'Han',
  'Hira',
  'Kana',
  'Bopo',
  'Hang',
  'Thai',
  'Laoo',
  'Khmr',
  'Mymr',
  'Tibt',
  'Lana',
  'Java',
];
const UNSPACED = `[[${SCRIPTS_WITHOUT_SPACES.map((script) => `\\p{scx=${script}}`).join('')}]&&[\\p{L}\\p{N}]]`;
const SPACED = `[[\\p{L}\\p{M}\\p{N}]--${UNSPACED}]{1,255}`;
const WORD = new RegExp(`(${UNSPACED}\\p{M}{0,9})|${SPACED}|\\p{RI}{1,2}|\\p{ExtPict}\\p{EMod}?`, 'gv');

/**
 * Reads the words of a text in any script, in their order: runs of letters and digits, and emoji. Of a script that writes
 * no spaces each character is a word, together with the character after it. Different forms of a character give one word.
 */
export function readWords(text: string): readonly Word[] {
  const { folded, begins, ends } = foldWhole(text);
  const found = [...folded.matchAll(WORD)];
  return found.map(({ 0: word, 1: unspaced, index }, place) => {
    const next = found[place + 1];
    const isJoined = unspaced !== undefined && next?.[1] !== undefined && next.index === index + word.length;
    return {
      word: isJoined ? word + next[0] : word,
      begins: begins[index] ?? 0,
      ends: ends[index + word.length - 1] ?? text.length,
      isWhole: unspaced === undefined,
    };
  });
}

/** A text in the form in which its words are compared, and where each unit of it was in the text. */
function foldWhole(text: string): { folded: string; begins: readonly number[]; ends: readonly number[] } {
  const folded: string[] = [];
  const begins: number[] = [];
  const ends: number[] = [];
  for (const { 0: piece, index } of text.matchAll(PIECE)) {
    const form = fold(piece);
    const isEven = form.length === piece.length;
    for (let unit = 0; unit < form.length; unit++) {
      begins.push(isEven ? index + unit : index);
      ends.push(isEven ? index + unit + 1 : index + piece.length);
    }
    folded.push(form);
  }
  return { folded: folded.join(''), begins, ends };
}

/** Vowel signs of Arabic and Hebrew, which most people leave out, and the stroke that lengthens a word. */
const LEFT_OUT = new RegExp('\\u0640|[[\\p{scx=Arab}\\p{scx=Hebr}]&&\\p{Mn}]|\\p{DI}', 'gv');

/** Folds case by way of capitals: "ß" is "ss", and each sigma and each "i" is one. */
function fold(piece: string): string {
  const folded = piece.normalize('NFKC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').replaceAll('i\u0307', 'i');
  return folded.normalize('NFKC').replaceAll(LEFT_OUT, '');
}
