/** Things that arrive at any time and are taken one at a time, in the order of arrival. */
export interface Arrivals<Item> {
  put(item: Item): void;
  /** Waits for the next one. */
  next(): Promise<Item>;
}

/** An empty queue of arrivals. */
export function openArrivals<Item>(): Arrivals<Item> {
  const arrived: Item[] = [];
  let waiting: ((item: Item) => void) | undefined;
  return {
    put(item) {
      const taker = waiting;
      waiting = undefined;
      if (taker) taker(item);
      else arrived.push(item);
    },
    next() {
      const item = arrived.shift();
      return item === undefined ? new Promise((resolve) => (waiting = resolve)) : Promise.resolve(item);
    },
  };
}
