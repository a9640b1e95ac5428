import type { CapturedCall } from '../stage/captured-call.js';
import type { BenchStage } from '../stage/stage.js';
import { median } from '../statistics.js';
import type { EngineArm } from './engine-arm.js';
import type { Floor } from './floor.js';
import { type Cost, timeBlock } from './time-block.js';

/** The two arms of a comparison: the engine, and the same calls made without it. */
interface Arms {
  readonly engine: Pick<EngineArm, 'turn'>;
  readonly floor: Pick<Floor, 'run'>;
}

/**
 * How often each arm is run. A block is timed as a whole: it is long enough for its share of garbage collection. Until
 * a function has run some hundred times, Node.js compiles it beside what is timed.
 */
interface Plan {
  readonly warm_up_blocks: number;
  readonly blocks: number;
  readonly rounds_per_block: number;
  /** The turns of a round, each of another world. */
  readonly at_once: number;
}

/** The engine's cost over the floor's: medians over the pairs of blocks. */
export interface Comparison {
  readonly time: number;
  readonly cpu: number;
  /** Medians, of one turn. */
  readonly engine: Cost;
  readonly floor: Cost;
}

/** Runs both turn about, and in turn first; the floor makes the very calls that the engine's last block made. */
export async function runTurnAbout(stage: BenchStage, arms: Arms, plan: Plan): Promise<Comparison> {
  const pairs: { readonly engine: Cost; readonly floor: Cost }[] = [];
  const { at_once } = plan;
  const runRound = () => Promise.all(Array.from({ length: at_once }, (_one, world) => arms.engine.turn(world)));
  let turns: readonly (readonly CapturedCall[])[] = [];
  const runEngine = async (): Promise<Cost> => {
    const cost = await timeBlock({ rounds: plan.rounds_per_block, at_once }, runRound);
    turns = splitTurns(await stage.takeCalls());
    return cost;
  };
  const runFloor = async (): Promise<Cost> => {
    const cost = await arms.floor.run({ turns, at_once });
    await stage.takeCalls();
    return cost;
  };
  for (let block = 0; block < plan.warm_up_blocks + plan.blocks; block += 1) {
    const isFloorFirst = block % 2 === 1;
    const early = isFloorFirst ? await runFloor() : undefined;
    const engine = await runEngine();
    const floor = early ?? (await runFloor());
    if (block >= plan.warm_up_blocks) pairs.push({ engine, floor });
  }
  return {
    time: median(pairs.map(({ engine, floor }) => engine.ms / floor.ms)),
    cpu: median(pairs.map(({ engine, floor }) => engine.cpu_ms / floor.cpu_ms)),
    engine: medianCost(pairs.map(({ engine }) => engine)),
    floor: medianCost(pairs.map(({ floor }) => floor)),
  };
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

function medianCost(costs: readonly Cost[]): Cost {
  return { ms: median(costs.map(({ ms }) => ms)), cpu_ms: median(costs.map(({ cpu_ms }) => cpu_ms)) };
}
