/** Shared, because a new decoder costs more than decoding an event. */
const decoder = new TextDecoder();

/** Bytes that arrive piece by piece, in one array that grows with them: a slow endpoint sends a byte at a time. */
export class ByteBuffer {
  #bytes = new Uint8Array(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The caller limits how much. */
  append(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(length, this.#bytes.length * 2));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(bytes, this.#length);
    this.#length = length;
  }

  /** All of them as text; invalid UTF-8 is replaced. */
  text(): string {
    return decoder.decode(this.#bytes.subarray(0, this.#length));
  }

  /** A copy of them. */
  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }
}
