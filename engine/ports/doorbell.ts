/** Notifies workers that the inbox may have work. A lost ring loses nothing: workers poll now and then. */
export interface Doorbell {
  /** For people: its kind and its address. */
  readonly description: string;
  /** Rings for a world. Never rejects and is not awaited; the write before it is durable. */
  ring(world_slug: string): void;
  /**
   * Calls back at every ring until the returned function is called: with the world, or without one after a
   * reconnection, when rings may have been lost.
   */
  listen(onRing: (world_slug: string | undefined) => void): () => void;
  /** Its fault, for people; undefined while it works. */
  findFault(): string | undefined;
  close(): Promise<void>;
}
