import type { CapturedCall } from '../stage/captured-call.js';
import type { BenchStage } from '../stage/stage.js';
import { median } from '../statistics.js';
import type { EngineArm } from './engine-arm.js';
import type { Floor } from './floor.js';
import { type Cost, timeBlock } from './time-block.js';

/** The name of the engine among the arms of a comparison. */
export const ENGINE = 'engine';

/** The arms of a comparison: the engine, and the same calls made without it. */
export interface Arms {
  readonly engine: Pick<EngineArm, 'turn'>;
  readonly floors: ReadonlyMap<string, Pick<Floor, 'run'>>;
  /** CPU that the database of an arm has used so far, in milliseconds; left out where the arms' own CPU is all. */
  readonly readDatabaseMs?: (arm: string) => Promise<number>;
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

/** Of one turn, in milliseconds, with the CPU of the arm's database. */
export interface ArmCost extends Cost {
  readonly database_ms: number;
}

/** What a turn cost each arm, of one block. */
export type BlockCosts = ReadonlyMap<string, ArmCost>;

/**
 * Runs all arms turn about, in an order that moves on by one each block. The floors make the very calls that the engine's
 * last block made.
 * @returns the blocks after the warm-up
 */
export async function runTurnAbout(stage: BenchStage, arms: Arms, plan: Plan): Promise<readonly BlockCosts[]> {
  const { at_once, rounds_per_block: rounds } = plan;
  const names = [ENGINE, ...arms.floors.keys()];
  const readDatabaseMs = arms.readDatabaseMs ?? (async () => 0);
  const runRound = () => Promise.all(Array.from({ length: at_once }, (_one, world) => arms.engine.turn(world)));
  let turns: readonly (readonly CapturedCall[])[] = [];
  const run = async (name: string): Promise<Cost> => {
    const floor = arms.floors.get(name);
    const cost = await (floor?.run({ turns, at_once }) ?? timeBlock({ rounds, at_once }, runRound));
    const calls = await stage.takeCalls();
    if (!floor) turns = splitTurns(calls);
    return cost;
  };
  const blocks: BlockCosts[] = [];
  for (let block = 0; block < plan.warm_up_blocks + plan.blocks; block += 1) {
    const costs = new Map<string, ArmCost>();
    for (const place of names.keys()) {
      const name = names[(block + place) % names.length] ?? ENGINE;
      const before = await readDatabaseMs(name);
      const cost = await run(name);
      costs.set(name, { ...cost, database_ms: ((await readDatabaseMs(name)) - before) / (rounds * at_once) });
    }
    if (block >= plan.warm_up_blocks) blocks.push(costs);
  }
  return blocks;
}

/** The median, over the blocks, of one arm's figure over another's in the same block. */
export function ratioOf(
  blocks: readonly BlockCosts[],
  figure: keyof ArmCost,
  { of, over }: { readonly of: string; readonly over: string },
): number {
  return median(blocks.map((costs) => figureOf(costs, of, figure) / figureOf(costs, over, figure)));
}

/** The median, over the blocks, of an arm's figure. */
export function medianOf(blocks: readonly BlockCosts[], figure: keyof ArmCost, arm: string): number {
  return median(blocks.map((costs) => figureOf(costs, arm, figure)));
}

function figureOf(costs: BlockCosts, arm: string, figure: keyof ArmCost): number {
  return costs.get(arm)?.[figure] ?? Number.NaN;
}

/** The calls of several turns, turn by turn. */
export function splitTurns(calls: readonly CapturedCall[]): readonly (readonly CapturedCall[])[] {
  const turns = new Map<string, CapturedCall[]>();
  for (const call of calls) {
    const [world = '', turn = ''] = call.client_request_id.split('/');
    const ofTurn = turns.get(`${world}/${turn}`);
    if (ofTurn) ofTurn.push(call);
    else turns.set(`${world}/${turn}`, [call]);
  }
  return [...turns.values()];
}
