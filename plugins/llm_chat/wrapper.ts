/**
 * Takes an answer out of what stands around it: reasoning, and marks of the chat template. Undecided: the text so far may
 * still become a mark. Thinking: behind the mark that opens reasoning. Unopened: prose that may prove to be reasoning.
 * Answering: within the JSON value, or the code fence around it. Behind: the value is whole, and white space follows, or
 * what may become a mark. Over: a mark has ended the answer; what follows is no part of it. Open: everything is the answer.
 */
import { CLOSING_MAX, type Closing, lengthOfMark, mayBecomeMark, readOpening, UNOPENED_ENDS } from './marks.js';
import { ValueEnd } from './value-end.js';

/** The split of a chunk into answer and reasoning. */
export interface Split {
  text: string;
  reasoning: string;
}

/** What was taken off an answer. */
export interface SetAside {
  readonly before?: string;
  readonly behind?: string;
}

/** JSON, or a code fence around it: no reasoning begins so. */
const ANSWER_BEGINS = /^[{["`]/;

/** So many characters without anything of an answer, and no more is waited for. */
const BEHIND_MAX = 1_000;

const ANSWER = { kind: 'answer' } as const;

/** White space, and what has no width: nobody sees it. */
const BLANK = '[\\s\\u200B-\\u200D\\u2060]*';
const BLANKS = new RegExp(`^${BLANK}`);
const FENCE_ENDS = new RegExp(`^${BLANK}(?:\`\`\`${BLANK})?`);
const IS_BLANK = new RegExp(`^${BLANK}$`);

/** How many characters a text has without the blanks at its end. */
function lengthSeen(text: string): number {
  let length = text.length;
  while (length > 0 && IS_BLANK.test(text.charAt(length - 1))) length -= 1;
  return length;
}

/** Takes the pieces of an answer, one after the other. */
export class Wrapper {
  readonly #strips_reasoning: boolean;
  #phase: 'undecided' | 'thinking' | 'unopened' | 'answering' | 'behind' | 'over' | 'open' = 'undecided';
  #closing: Closing = UNOPENED_ENDS;
  #hasThought = false;
  readonly #value = new ValueEnd();
  /** Chunks that are not classified yet: joined once, when they are. */
  #held: string[] = [];
  #heldLength = 0;
  #isHeldBlank = true;
  /** The end of the undecided text, as long as a closing mark may be. */
  #tail = '';
  #before = '';
  #behind = '';
  /** How many characters of white space came last. */
  #blanks = 0;

  /** @param strips_reasoning else reasoning stays in the answer, with all before it */
  constructor(strips_reasoning: boolean) {
    this.#strips_reasoning = strips_reasoning;
  }

  /** How many characters are held back. */
  get held_length(): number {
    return this.#heldLength + this.#before.length + this.#behind.length;
  }

  /** The value is whole: only what is no part of it has followed so far. */
  get is_whole(): boolean {
    return this.#phase === 'behind' || this.#phase === 'over';
  }

  /** Nothing but white space comes any more, or more than enough behind the mark that ended the answer. */
  get is_exceeded(): boolean {
    return this.#blanks > BEHIND_MAX || this.#behind.length > BEHIND_MAX;
  }

  /** What was taken off; undefined where nothing was. */
  get set_aside(): SetAside | undefined {
    if (this.#before === '' && this.#behind === '') return undefined;
    return {
      ...(this.#before === '' ? {} : { before: this.#before }),
      ...(this.#behind === '' ? {} : { behind: this.#behind }),
    };
  }

  /** @returns the newly classified text */
  push(piece: string): Split {
    const length = lengthSeen(piece);
    this.#blanks = piece.length - length + (length === 0 ? this.#blanks : 0);
    if (this.#phase !== 'undecided' && this.#phase !== 'behind') return this.#run(piece, false);
    if (this.#isHeldBlank && length === 0) return this.#hold(piece, nothing());
    return this.#run(this.#release() + piece, false);
  }

  /** The answer has ended. @returns the remaining text */
  end(): Split {
    const isExceeded = this.is_exceeded;
    const held = this.#release();
    if (this.#phase === 'over') return nothing();
    if (this.#phase === 'thinking') {
      this.#phase = 'open';
      return { text: '', reasoning: held };
    }
    if (this.#phase !== 'undecided' && this.#phase !== 'behind') this.#phase = 'open';
    return this.#run(isExceeded ? held.slice(0, lengthSeen(held)) : held, true);
  }

  #run(given: string, is_last: boolean): Split {
    const split = nothing();
    let rest: string | undefined = given;
    while (rest !== undefined) rest = this.#step(rest, is_last, split);
    return split;
  }

  /** Adds what is classified, and may change the phase. @returns what the new phase looks at */
  #step(text: string, is_last: boolean, split: Split): string | undefined {
    switch (this.#phase) {
      case 'undecided':
        return this.#decide(text, is_last, split);
      case 'thinking':
      case 'unopened':
        return this.#seekClose(text, split);
      case 'answering':
        return this.#seekEnd(text, split);
      case 'behind':
        return this.#lookBehind(text, is_last, split);
      case 'over':
        this.#behind += text;
        return undefined;
      default:
        split.text += text;
        return undefined;
    }
  }

  #decide(text: string, is_last: boolean, split: Split): string | undefined {
    const begun = text.trimStart();
    const opening = this.#strips_reasoning || begun === '' ? readOpening(begun, is_last) : ANSWER;
    switch (opening.kind) {
      case 'unfinished':
        return void this.#hold(text, split);
      case 'thinking':
        this.#phase = 'thinking';
        this.#closing = opening.closing;
        return begun.slice(opening.length);
      case 'mark':
        this.#before += begun.slice(0, opening.length);
        return begun.slice(opening.length);
      default:
        this.#phase = ANSWER_BEGINS.test(begun)
          ? 'answering'
          : is_last || !this.#strips_reasoning
            ? 'open'
            : 'unopened';
        this.#closing = UNOPENED_ENDS;
        return this.#hasThought || this.#before !== '' ? begun : text;
    }
  }

  /** Passes on the value, up to its end. */
  #seekEnd(text: string, split: Split): string | undefined {
    const end = this.#value.find(text);
    split.text += text.slice(0, end);
    if (end === undefined) return undefined;
    this.#phase = 'behind';
    return text.slice(end);
  }

  /** Where anything but marks and white space follows a value, the answer stays as it is. */
  #lookBehind(text: string, is_last: boolean, split: Split): string | undefined {
    const { is_fenced } = this.#value;
    const rest = text.slice((is_fenced ? FENCE_ENDS : BLANKS).exec(text)?.[0].length);
    if (lengthOfMark(rest) > 0) {
      this.#phase = 'over';
      split.text += text.slice(0, text.length - rest.length).trimEnd();
      return rest;
    }
    const mayBeWrapper = rest === '' || mayBecomeMark(rest) || (is_fenced && '```'.startsWith(rest));
    if (mayBeWrapper && !is_last) return void this.#hold(text, split);
    this.#phase = 'open';
    return text;
  }

  #seekClose(piece: string, split: Split): string | undefined {
    const seen = this.#tail + piece;
    const found = this.#closing.exec(seen);
    if (found === null) return void this.#hold(piece, split);
    const rest = seen.slice(found.index + found[0].length);
    const whole = this.#release() + piece;
    split.reasoning += whole.slice(0, whole.length - rest.length - found[0].length);
    this.#phase = 'undecided';
    this.#hasThought = true;
    return rest.trimStart();
  }

  #hold(piece: string, split: Split): Split {
    this.#held.push(piece);
    this.#heldLength += piece.length;
    if (this.#isHeldBlank) this.#isHeldBlank = piece.trim() === '';
    this.#tail = (this.#tail + piece).slice(1 - CLOSING_MAX);
    return split;
  }

  #release(): string {
    const held = this.#held.join('');
    this.#held = [];
    this.#heldLength = 0;
    this.#isHeldBlank = true;
    this.#tail = '';
    return held;
  }
}

function nothing(): Split {
  return { text: '', reasoning: '' };
}
