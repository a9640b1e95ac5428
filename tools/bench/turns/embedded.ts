import { join } from 'node:path';
import type { ProgressLine } from '../progress.js';
import { type Row, toRow } from '../row.js';
import type { BenchStage } from '../stage/stage.js';
import { inFolder } from '../starts/measure.js';
import { openEngineArm, UNIT_TURN } from './engine-arm.js';
import { openFloor } from './floor.js';
import { type BlockCosts, ENGINE, medianOf, ratioOf, runTurnAbout } from './turn-about.js';

const ONE = { warm_up_blocks: 20, blocks: 20, rounds_per_block: 4, at_once: 1 };

const MANY = { warm_up_blocks: 6, blocks: 12, rounds_per_block: 1, at_once: 16 };

const UNRECORDED = 'unrecorded';
const BY_HAND = 'hand_written';

/**
 * Turns on the embedded database in a folder, against the same calls with nothing recorded, and with a hand-written record on
 * another such folder.
 */
export function measureEmbeddedTurns(
  template: string,
  stage: BenchStage,
  progress: ProgressLine,
): Promise<readonly Row[]> {
  return inFolder(async (folder) => {
    progress.say('running turns on the embedded database');
    const database = { CHUKWA_DATA_DIR: join(folder, 'engine') };
    const engine = await openEngineArm(database, stage.variables, { scenario: UNIT_TURN, worlds: MANY.at_once });
    const unrecorded = await openFloor({ kind: 'unrecorded' });
    const byHand = await openFloor({ kind: 'hand_written', folder: join(folder, 'floor'), template });
    try {
      const both = new Map([
        [UNRECORDED, unrecorded],
        [BY_HAND, byHand],
      ]);
      const one = await runTurnAbout(stage, { engine, floors: both }, ONE);
      progress.say(`running turns of ${MANY.at_once} worlds at once on the embedded database`);
      const many = await runTurnAbout(stage, { engine, floors: new Map([[UNRECORDED, unrecorded]]) }, MANY);
      return [
        toRateRow(one),
        toTimeRow('one at a time', one, 2.2),
        toTimeRow(`${MANY.at_once} worlds at once`, many, 2.5),
      ];
    } finally {
      await byHand.close();
      await unrecorded.close();
      await engine.close();
    }
  });
}

function toRateRow(blocks: readonly BlockCosts[]): Row {
  const pair = { of: ENGINE, over: BY_HAND };
  const ms = (arm: string) => medianOf(blocks, 'ms', arm).toFixed(1);
  return toRow({
    id: 'embedded_turns',
    what: 'turns/s on the embedded database, over a hand-written record',
    value: 1 / ratioOf(blocks, 'ms', pair),
    unit: 'x',
    goal: { kind: 'at_least', value: 0.8, stretch: 1.2 },
    note: `${ms(ENGINE)} ms against ${ms(BY_HAND)} ms a turn; CPU ${ratioOf(blocks, 'cpu_ms', pair).toFixed(2)} x`,
  });
}

function toTimeRow(how: string, blocks: readonly BlockCosts[], goal: number): Row {
  const pair = { of: ENGINE, over: UNRECORDED };
  const ms = (arm: string) => medianOf(blocks, 'ms', arm).toFixed(1);
  return toRow({
    id: `embedded_turn_time, ${how}`,
    what: `turn on the embedded database, over the same calls unrecorded, ${how}: time`,
    value: ratioOf(blocks, 'ms', pair),
    unit: 'x',
    goal: { kind: 'at_most', value: goal },
    note: `${ms(ENGINE)} ms over ${ms(UNRECORDED)} ms a turn; CPU ${ratioOf(blocks, 'cpu_ms', pair).toFixed(2)} x`,
  });
}
