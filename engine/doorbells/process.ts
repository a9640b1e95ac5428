import { EventEmitter } from 'node:events';
import type { Doorbell } from '../ports/doorbell.js';

/** Rings, and those who listen for them: one who listens twice is notified twice, and leaves once. */
export class Rings {
  readonly #rings = new EventEmitter<{ ring: [world_slug: string | undefined] }>().setMaxListeners(0);

  readonly ring = (world_slug: string | undefined): void => void this.#rings.emit('ring', world_slug);

  listen(onRing: (world_slug: string | undefined) => void): () => void {
    const listener = (world_slug: string | undefined): void => onRing(world_slug);
    this.#rings.on('ring', listener);
    return () => void this.#rings.off('ring', listener);
  }
}

/** A doorbell that works within this process only. */
export function openProcessDoorbell(): Doorbell {
  const rings = new Rings();
  return {
    description: 'within the process',
    ring: rings.ring,
    listen: (onRing) => rings.listen(onRing),
    findFault: () => undefined,
    close: async () => {},
  };
}
