/** Finds where a JSON value ends, by its brackets and quotes alone: whether it is JSON is for others to judge. */
export class ValueEnd {
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  #isBegun = false;
  /** The value stands in a code fence. */
  is_fenced = false;

  /** @returns how many characters of the piece belong to the value; undefined where all do, and it goes on */
  find(piece: string): number | undefined {
    for (let at = 0; at < piece.length; at += 1) {
      const character = piece[at];
      if (this.#isInText) this.#handleText(character);
      else if (character === '"') this.#isInText = this.#isBegun = true;
      else if (character === '{' || character === '[') {
        this.#depth += 1;
        this.#isBegun = true;
      } else if (character === '}' || character === ']') this.#depth -= 1;
      else if (character === '`' && !this.#isBegun) this.is_fenced = true;
      if (this.#isBegun && this.#depth <= 0 && !this.#isInText) return at + 1;
    }
    return undefined;
  }

  #handleText(character: string | undefined): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (character === '\\') this.#isEscaped = true;
    else if (character === '"') this.#isInText = false;
  }
}
