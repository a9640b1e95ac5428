import type pg from 'pg';
import { type Cost, median, readSessionsMs, timeBlock } from '../measures.js';
import type { CapturedCall, Stage } from '../stage.js';
import type { Worlds } from '../worlds.js';
import type { RunningArm } from './arm.js';

/** The name of the engine among the arms of a comparison. */
export const ENGINE = 'engine';

/** The arms of a comparison: the engine, and the same calls made without it. */
export interface Arms {
  readonly engine: Pick<Worlds, 'turn'>;
  readonly others: ReadonlyMap<string, Pick<RunningArm, 'ask'>>;
  /** Connections to the databases of arms whose CPU counts. */
  readonly databases?: ReadonlyMap<string, pg.Client>;
}

/**
 * How often each arm is run. A block is timed as a whole: it is long enough for its share of garbage collection. Until
 * a function has run some hundred times, Node.js compiles it beside what is timed.
 */
export interface Plan {
  readonly warm_up_blocks: number;
  readonly blocks: number;
  readonly rounds_per_block: number;
  /** The turns of a round, each of another world. */
  readonly at_once: number;
}

/** What a turn cost, in milliseconds, with the CPU of the arm's database. */
export interface ArmCost extends Cost {
  readonly database_ms: number;
}

/** The figures of a comparison over its blocks. */
export interface Compared {
  /** The median of an arm's figure. */
  median(figure: keyof ArmCost, arm: string): number;
  /** The median of one arm's figure over another's in the same block. */
  ratio(figure: keyof ArmCost, of: string, over: string): number;
}

/**
 * Runs all arms turn about, in an order that moves on by one each block. The others make the very calls that the engine's
 * last block made.
 * @returns the figures of the blocks after the warm-up
 */
export async function runTurnAbout(stage: Pick<Stage, 'ask'>, arms: Arms, plan: Plan): Promise<Compared> {
  const { at_once, rounds_per_block: rounds } = plan;
  const names = [ENGINE, ...arms.others.keys()];
  const readDatabaseMs = async (arm: string): Promise<number> => {
    const client = arms.databases?.get(arm);
    return client === undefined ? 0 : readSessionsMs(client);
  };
  const runRound = () => Promise.all(Array.from({ length: at_once }, (_one, world) => arms.engine.turn(world)));
  let turns: readonly (readonly CapturedCall[])[] = [];
  const blocks: ReadonlyMap<string, ArmCost>[] = [];
  for (let block = 0; block < plan.warm_up_blocks + plan.blocks; block += 1) {
    const costs = new Map<string, ArmCost>();
    for (const place of names.keys()) {
      const name = names[(block + place) % names.length] ?? ENGINE;
      const before = await readDatabaseMs(name);
      const other = arms.others.get(name);
      const cost = await (other?.ask({ turns, at_once }) ?? timeBlock({ rounds, at_once }, runRound));
      costs.set(name, { ...cost, database_ms: ((await readDatabaseMs(name)) - before) / (rounds * at_once) });
      const calls = await stage.ask({});
      if (other === undefined) turns = splitTurns(calls);
    }
    if (block >= plan.warm_up_blocks) blocks.push(costs);
  }
  const all = (figure: keyof ArmCost, arm: string) => blocks.map((costs) => costs.get(arm)?.[figure] ?? Number.NaN);
  return {
    median: (figure, arm) => median(all(figure, arm)),
    ratio: (figure, of, over) => {
      const below = all(figure, over);
      return median(all(figure, of).map((value, index) => value / (below[index] ?? Number.NaN)));
    },
  };
}

/** The calls of several turns, turn by turn. */
export function splitTurns(calls: readonly CapturedCall[]): readonly (readonly CapturedCall[])[] {
  const turns = new Map<string, CapturedCall[]>();
  for (const call of calls) {
    const turn = call.client_request_id.split('/').slice(0, 2).join('/');
    turns.set(turn, [...(turns.get(turn) ?? []), call]);
  }
  return [...turns.values()];
}
