/** Those who listen for rings. */
export interface Listeners {
  add(onRing: (world_slug: string | undefined) => void): () => void;
  tell(world_slug: string | undefined): void;
}

/** An empty list of listeners. */
export function openListeners(): Listeners {
  const listening = new Set<(world_slug: string | undefined) => void>();
  return {
    add(onRing) {
      // A function of its own, so that one who subscribes twice is notified twice and leaves once.
      const listener = (world_slug: string | undefined): void => onRing(world_slug);
      listening.add(listener);
      return () => listening.delete(listener);
    },
    tell(world_slug) {
      for (const listener of listening) listener(world_slug);
    },
  };
}
