/** How many shards a map has: a change copies the list of them, and one small map. */
const SHARDS = 256;

const EMPTY: readonly ReadonlyMap<never, never>[] = Array.from({ length: SHARDS }, () => new Map<never, never>());

/**
 * A map that is never changed: its next version shares all shards but one, whatever its size (a persistent data
 * structure). The order of its entries means nothing, and is the same after the same changes.
 */
export class SharedMap<Key extends string | number, Value> {
  readonly size: number;
  readonly #shards: readonly ReadonlyMap<Key, Value>[];

  private constructor(shards: readonly ReadonlyMap<Key, Value>[], size: number) {
    this.#shards = shards;
    this.size = size;
  }

  /** A map without entries. */
  static empty<Key extends string | number, Value>(): SharedMap<Key, Value> {
    return new SharedMap(EMPTY, 0);
  }

  get(key: Key): Value | undefined {
    return this.#shards[placeOf(key)]?.get(key);
  }

  has(key: Key): boolean {
    return this.#shards[placeOf(key)]?.has(key) === true;
  }

  /** With one entry more, or another value of one. */
  with(key: Key, value: Value): SharedMap<Key, Value> {
    const place = placeOf(key);
    const shard = new Map(this.#shards[place]).set(key, value);
    return new SharedMap(this.#shards.with(place, shard), this.has(key) ? this.size : this.size + 1);
  }

  without(key: Key): SharedMap<Key, Value> {
    const place = placeOf(key);
    const shard = new Map(this.#shards[place]);
    return shard.delete(key) ? new SharedMap(this.#shards.with(place, shard), this.size - 1) : this;
  }

  *[Symbol.iterator](): IterableIterator<readonly [Key, Value]> {
    if (this.size > 0) for (const shard of this.#shards) yield* shard;
  }

  *keys(): IterableIterator<Key> {
    for (const [key] of this) yield key;
  }
}

/** The hash of a text (FNV-1a); numbers are spread as they are. */
function placeOf(key: string | number): number {
  if (typeof key === 'number') return key % SHARDS;
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % SHARDS;
}
