import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { CapturedCall } from '../stage/captured-call.js';
import type { Cost } from './time-block.js';

/** The floors: the engine's calls without a record, or recorded by hand on a PostgreSQL server or on the embedded database. */
export type FloorKind =
  | { readonly kind: 'unrecorded' }
  | { readonly kind: 'fused'; readonly url: string }
  | { readonly kind: 'hand_written'; readonly folder: string; readonly template: string };

/** Turns, so many of them at once. */
export interface FloorBlock {
  readonly turns: readonly (readonly CapturedCall[])[];
  readonly at_once: number;
}

/** A floor, running in a process of its own. */
export interface Floor {
  /** Makes the calls of some turns, one round of turns after the other. */
  run(block: FloorBlock): Promise<Cost>;
  close(): Promise<void>;
}

/** Starts a floor. Close it. */
export async function openFloor(kind: FloorKind): Promise<Floor> {
  const child = fork(fileURLToPath(new URL('./floor-process.js', import.meta.url)), [JSON.stringify(kind)], {
    execArgv: [],
  });
  const gone = once(child, 'exit');
  const receive = async (): Promise<unknown> => {
    const received = await Promise.race([once(child, 'message'), gone.then(() => undefined)]);
    if (received === undefined) throw new Error('the floor has ended before it was done');
    return received[0];
  };
  await receive();
  return {
    run: async (block) => {
      child.send(block);
      return (await receive()) as Cost;
    },
    close: async () => {
      child.disconnect();
      await gone;
    },
  };
}
