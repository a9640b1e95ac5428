/** Reads by a key, or joins a read of the same key. */
export type ShareRead = <Value>(key: string, read: () => Promise<Value>) => Promise<Value>;

interface Reads {
  readonly under_way: Promise<unknown>;
  /** Begins when the one before has ended. */
  readonly next?: Promise<unknown>;
}

/**
 * Coalesces equal reads at the same time, as the readers of a live page cause them. A request during a read joins the
 * next one: nobody gets a value older than their request.
 */
export function shareReads(): ShareRead {
  const known = new Map<string, Reads>();
  const begin = <Value>(key: string, read: () => Promise<Value>): Promise<Value> => {
    const under_way = read().finally(() => {
      if (known.get(key)?.next === undefined) known.delete(key);
    });
    known.set(key, { under_way });
    return under_way;
  };
  return <Value>(key: string, read: () => Promise<Value>): Promise<Value> => {
    const reads = known.get(key);
    if (reads === undefined) return begin(key, read);
    const after = (): Promise<Value> => begin(key, read);
    const next = (reads.next as Promise<Value> | undefined) ?? reads.under_way.then(after, after);
    known.set(key, { ...reads, next });
    return next;
  };
}
