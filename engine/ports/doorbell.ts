/**
 * Says that it is worth looking into the inbox. It carries nothing, and losing a ring loses nothing: whoever listens
 * looks by itself every now and then.
 */
export interface Doorbell {
  /** For people: what it is, and where. */
  readonly description: string;
  /** Rings for a world. Never rejects and is not waited for; what has been written is written. */
  ring(world_slug: string): void;
  /**
   * Calls back at every ring until the returned function is called: with the world, or without one where rings may have
   * been lost, after a connection came back.
   */
  listen(onRing: (world_slug: string | undefined) => void): () => void;
  /** Whether it works now, for people; undefined where nothing is wrong. */
  findFault(): string | undefined;
  close(): Promise<void>;
}
