import { join } from 'node:path';
import type { ProgressLine } from '../progress.js';
import { type Row, toRow } from '../row.js';
import type { BenchStage } from '../stage/stage.js';
import { inFolder } from '../starts/measure.js';
import { openEngineArm } from './engine-arm.js';
import { openFloor } from './floor.js';
import { runTurnAbout } from './turn-about.js';

const PLAN = { warm_up_blocks: 20, blocks: 20, rounds_per_block: 4, at_once: 1 };

/** Turns on the embedded database in a folder, against a hand-written record of the same calls on another such folder. */
export function measureEmbeddedTurns(
  template: string,
  stage: BenchStage,
  progress: ProgressLine,
): Promise<readonly Row[]> {
  return inFolder(async (folder) => {
    progress.say('running turns on the embedded database');
    const engine = await openEngineArm({ CHUKWA_DATA_DIR: join(folder, 'engine') }, stage.variables);
    const floor = await openFloor({ kind: 'hand_written', folder: join(folder, 'floor'), template });
    try {
      const { time, cpu, ...cost } = await runTurnAbout(stage, { engine, floor }, PLAN);
      return [
        toRow({
          id: 'embedded_turns',
          what: 'turns/s on the embedded database, over a hand-written record',
          value: 1 / time,
          unit: 'x',
          goal: { kind: 'at_least', value: 0.8, stretch: 1.2 },
          note: `${cost.engine.ms.toFixed(1)} ms against ${cost.floor.ms.toFixed(1)} ms a turn; CPU ${cpu.toFixed(2)} x`,
        }),
      ];
    } finally {
      await floor.close();
      await engine.close();
    }
  });
}
