import { type Role, startHelper } from '../helper.js';
import { type Cost, spend } from '../measures.js';
import type { CapturedCall } from '../services.js';
import type { Stage } from '../stage.js';
import { type BareClients, makeCalls, openBareClients } from './bare-turn.js';

/** Makes the engine's calls again: without a record, with one that is written by hand, or by another framework. */
export interface Arm {
  turn(calls: readonly CapturedCall[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * A module of an arm exports it as `openArm`.
 * @param place the URL of an empty database of its own, or the folder for one
 */
export type OpenArm = (place: string, clients: BareClients) => Promise<Arm>;

/** Turns, so many of them at once, one round of turns after the other. */
interface Block {
  readonly turns: readonly (readonly CapturedCall[])[];
  readonly at_once: number;
}

/** An arm of a comparison with the engine: does the turns of a block, and says what one cost. */
export type RunArm = (turns: Block['turns'], at_once: number) => Promise<Cost>;

/**
 * Starts an arm in a process of its own: what it switches on there, such as promise hooks, slows no other.
 * @param module of the arm; without one, the calls are made and not recorded
 */
export async function startArm(stage: Stage, module?: URL, place = ''): Promise<RunArm> {
  const words = module === undefined ? [] : [module.href, place];
  const helper = await startHelper<Block, Cost>(stage, new URL(import.meta.url), words);
  return (turns, at_once) => helper.ask({ turns, at_once });
}

/** Opens an arm in this process. */
export async function open(module?: string, place = ''): Promise<Role<Block, Cost>> {
  const clients = openBareClients();
  const arm = module === undefined ? unrecorded(clients) : await load(module, place, clients);
  return {
    answer: ({ turns, at_once }) =>
      runRounds(turns.length / at_once, at_once, (number) => arm.turn(turns[number] ?? [])),
    close: async () => {
      await arm.close();
      await clients.close();
    },
  };
}

async function load(module: string, place: string, clients: BareClients): Promise<Arm> {
  const { openArm } = (await import(module)) as { readonly openArm: OpenArm };
  return openArm(place, clients);
}

/** The same calls, and no record of them. */
function unrecorded({ ask }: BareClients): Arm {
  return { turn: (calls) => makeCalls(calls, ask), close: async () => {} };
}

/** Runs rounds of turns, one round after the other. @returns what a turn cost */
export function runRounds(rounds: number, at_once: number, turn: (number: number) => Promise<void>): Promise<Cost> {
  const run = async (): Promise<void> => {
    for (let round = 0; round < rounds; round += 1)
      await Promise.all(Array.from({ length: at_once }, (_none, world) => turn(round * at_once + world)));
  };
  return spend(run, rounds * at_once);
}
