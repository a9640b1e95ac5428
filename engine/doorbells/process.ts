import type { Doorbell } from '../ports/doorbell.js';
import { openListeners } from './listeners.js';

/** A doorbell that works within this process only. */
export function openProcessDoorbell(): Doorbell {
  const listeners = openListeners();
  return {
    description: 'within the process',
    ring: (world_slug) => listeners.tell(world_slug),
    listen: (onRing) => listeners.add(onRing),
    findFault: () => undefined,
    close: async () => {},
  };
}
