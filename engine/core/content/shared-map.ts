/** How many shards a level has: a change copies one of each level, and one small map. */
const SHARDS = 64;

type Shard<Key, Value> = ReadonlyMap<Key, Value>;
type Row<Key, Value> = readonly Shard<Key, Value>[];

const NOTHING: ReadonlyMap<never, never> = new Map<never, never>();
const EMPTY_ROW: Row<never, never> = Array.from({ length: SHARDS }, () => NOTHING);
const EMPTY_ROWS: readonly Row<never, never>[] = Array.from({ length: SHARDS }, () => EMPTY_ROW);

/**
 * A map that is never changed: its next version shares all of it but one shard, whatever its size (a persistent data
 * structure). The order of its entries means nothing, and is the same wherever the same things happened.
 */
export class SharedMap<Key extends string | number, Value> {
  readonly size: number;
  readonly #rows: readonly Row<Key, Value>[];

  private constructor(rows: readonly Row<Key, Value>[], size: number) {
    this.#rows = rows;
    this.size = size;
  }

  /** A map without entries. */
  static empty<Key extends string | number, Value>(): SharedMap<Key, Value> {
    return new SharedMap(EMPTY_ROWS, 0);
  }

  get(key: Key): Value | undefined {
    return this.#shardAt(placeOf(key)).get(key);
  }

  has(key: Key): boolean {
    return this.#shardAt(placeOf(key)).has(key);
  }

  /** With one entry more, or another value of one. */
  with(key: Key, value: Value): SharedMap<Key, Value> {
    const shard = this.#shardAt(placeOf(key));
    return this.#replace(key, new Map(shard).set(key, value), shard.has(key) ? this.size : this.size + 1);
  }

  /** Without one entry. */
  without(key: Key): SharedMap<Key, Value> {
    const shard = new Map(this.#shardAt(placeOf(key)));
    return shard.delete(key) ? this.#replace(key, shard, this.size - 1) : this;
  }

  *[Symbol.iterator](): IterableIterator<readonly [Key, Value]> {
    for (const row of this.#rows) {
      // Most rows of a small map are this one: a look at each of their shards would cost more than all of its entries.
      if (row === EMPTY_ROW) continue;
      for (const shard of row) if (shard.size > 0) yield* shard;
    }
  }

  *keys(): IterableIterator<Key> {
    for (const [key] of this) yield key;
  }

  #shardAt(place: number): Shard<Key, Value> {
    return this.#rows[place % SHARDS]?.[Math.floor(place / SHARDS)] ?? NOTHING;
  }

  #replace(key: Key, shard: Shard<Key, Value>, size: number): SharedMap<Key, Value> {
    const place = placeOf(key);
    const row = this.#rows[place % SHARDS]?.with(Math.floor(place / SHARDS), shard) ?? [];
    return new SharedMap(this.#rows.with(place % SHARDS, row), size);
  }
}

/** Of a text a hash (FNV-1a); numbers are spread as they are. */
function placeOf(key: string | number): number {
  if (typeof key === 'number') return key % (SHARDS * SHARDS);
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % (SHARDS * SHARDS);
}
