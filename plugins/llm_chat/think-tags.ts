/**
 * Reasoning in the answer itself, before it. Undecided: the text so far may still become an opening tag. Thinking:
 * behind an opening tag, up to its closing one. Unopened: prose that may prove to be reasoning, since some prompt
 * templates open the tag themselves and only the closing one is ever seen. Answering: everything is the answer.
 */

/** The split of a chunk into answer and reasoning. */
export interface Split {
  readonly text: string;
  readonly reasoning: string;
}

const TAGS: readonly { readonly open: string; readonly close: string }[] = [
  { open: '<think>', close: '</think>' },
  { open: '<thinking>', close: '</thinking>' },
  { open: '<thought>', close: '</thought>' },
  { open: '<reasoning>', close: '</reasoning>' },
  { open: '[THINK]', close: '[/THINK]' },
];

/** JSON, or a code fence around it: no reasoning begins so. */
const ANSWER_BEGINS = /^[{["`]/;

const CLOSING_ONLY = '</think>';

/** Takes the pieces of an answer, one after the other. */
export class ThinkTags {
  #phase: 'undecided' | 'thinking' | 'unopened' | 'answering' = 'undecided';
  #close = CLOSING_ONLY;
  #hasThought = false;
  /** Chunks that are not classified yet: joined once, when they are. */
  #held: string[] = [];
  #heldLength = 0;
  /** The end of the undecided text, as long as a closing tag may be. */
  #tail = '';

  /** How many characters are held back. */
  get held_length(): number {
    return this.#heldLength;
  }

  /** @returns the newly classified text */
  push(piece: string): Split {
    if (this.#phase === 'answering') return { text: piece, reasoning: '' };
    return this.#phase === 'undecided' ? this.#decide(this.#release() + piece) : this.#seekClose(piece);
  }

  /** The answer has ended. @returns the remaining text */
  end(): Split {
    const held = this.#release();
    const isThought = this.#phase === 'thinking';
    this.#phase = 'answering';
    return isThought ? { text: '', reasoning: held } : { text: held, reasoning: '' };
  }

  #decide(text: string): Split {
    const begun = text.trimStart();
    const tag = TAGS.find(({ open }) => begun.startsWith(open));
    if (tag !== undefined) {
      this.#phase = 'thinking';
      this.#close = tag.close;
      return this.#seekClose(begun.slice(tag.open.length));
    }
    if (begun === '' || TAGS.some(({ open }) => open.startsWith(begun))) return this.#hold(text);
    if (ANSWER_BEGINS.test(begun)) {
      this.#phase = 'answering';
      return { text: this.#hasThought ? begun : text, reasoning: '' };
    }
    this.#phase = 'unopened';
    this.#close = CLOSING_ONLY;
    return this.#seekClose(text);
  }

  #seekClose(piece: string): Split {
    const seen = this.#tail + piece;
    const at = seen.indexOf(this.#close);
    if (at === -1) return this.#hold(piece);
    const rest = seen.slice(at + this.#close.length);
    const whole = this.#release() + piece;
    const reasoning = whole.slice(0, whole.length - rest.length - this.#close.length);
    this.#phase = 'undecided';
    this.#hasThought = true;
    const after = this.#decide(rest.trimStart());
    return { text: after.text, reasoning: reasoning + after.reasoning };
  }

  #hold(piece: string): Split {
    this.#held.push(piece);
    this.#heldLength += piece.length;
    this.#tail = (this.#tail + piece).slice(-(this.#close.length - 1));
    return { text: '', reasoning: '' };
  }

  #release(): string {
    const held = this.#held.join('');
    this.#held = [];
    this.#heldLength = 0;
    this.#tail = '';
    return held;
  }
}
