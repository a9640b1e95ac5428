/** How many values a change copies, beside one reference for each chunk. */
const CHUNK_LENGTH = 256;

/**
 * A map whose keys never change, nor their order. Its next version shares the keys, and all values but the chunks in
 * which one is replaced (a persistent data structure): a change costs next to nothing, however large the map is.
 */
export class FixedMap<Value> {
  // The members are not private, so that a comparison of two maps sees what they hold.
  readonly positions: ReadonlyMap<string, number>;
  readonly chunks: readonly (readonly Value[])[];

  private constructor(positions: ReadonlyMap<string, number>, chunks: readonly (readonly Value[])[]) {
    this.positions = positions;
    this.chunks = chunks;
  }

  /** A map of these entries, in this order; of two with the same key the later one counts. */
  static of<Value>(entries: Iterable<readonly [string, Value]>): FixedMap<Value> {
    const unique = new Map(entries);
    const values = [...unique.values()];
    const chunks: Value[][] = [];
    for (let from = 0; from < values.length; from += CHUNK_LENGTH) chunks.push(values.slice(from, from + CHUNK_LENGTH));
    return new FixedMap(new Map([...unique.keys()].map((key, position) => [key, position])), chunks);
  }

  get size(): number {
    return this.positions.size;
  }

  has(key: string): boolean {
    return this.positions.has(key);
  }

  get(key: string): Value | undefined {
    const position = this.positions.get(key);
    return position === undefined
      ? undefined
      : this.chunks[Math.floor(position / CHUNK_LENGTH)]?.[position % CHUNK_LENGTH];
  }

  /** With other values at some keys. @throws Error where the map has no such key */
  with(changes: ReadonlyMap<string, Value>): FixedMap<Value> {
    if (changes.size === 0) return this;
    const chunks = [...this.chunks];
    const copied = new Map<number, Value[]>();
    for (const [key, value] of changes) {
      const position = this.positions.get(key);
      if (position === undefined) throw new Error(`the map has no key ${key}`);
      const at = Math.floor(position / CHUNK_LENGTH);
      const chunk = copied.get(at) ?? [...(chunks[at] ?? [])];
      chunk[position % CHUNK_LENGTH] = value;
      copied.set(at, chunk);
      chunks[at] = chunk;
    }
    return new FixedMap(this.positions, chunks);
  }

  keys(): IterableIterator<string> {
    return this.positions.keys();
  }

  *values(): IterableIterator<Value> {
    for (const chunk of this.chunks) yield* chunk;
  }

  *[Symbol.iterator](): IterableIterator<readonly [string, Value]> {
    const values = this.values();
    for (const key of this.positions.keys()) {
      const next = values.next();
      if (next.done !== true) yield [key, next.value];
    }
  }
}
