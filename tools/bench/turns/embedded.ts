import { join } from 'node:path';
import { openInFolder } from '../../../engine/store/embedded.js';
import type { ProgressLine } from '../progress.js';
import { type Row, toRow } from '../row.js';
import type { BenchStage } from '../stage/stage.js';
import { inFolder } from '../starts/measure.js';
import { openBareClients } from './bare-turn.js';
import { must, openEngineArm } from './engine-arm.js';
import { openHandWritten } from './hand-written.js';
import { runTurnAbout } from './turn-about.js';

const PLAN = { warm_up_blocks: 4, blocks: 20, turns_per_block: 4 };

/** Turns on the embedded database in a folder, against a hand-written record of the same calls on another such folder. */
export function measureEmbeddedTurns(
  template: string,
  stage: BenchStage,
  progress: ProgressLine,
): Promise<readonly Row[]> {
  return inFolder(async (folder) => {
    progress.say('running turns on the embedded database');
    const floorDatabase = must(await openInFolder(join(folder, 'floor'), template));
    const arm = await openEngineArm({ CHUKWA_DATA_DIR: join(folder, 'engine') }, stage.variables);
    const clients = openBareClients();
    try {
      const floor = await openHandWritten(floorDatabase.pool, clients);
      const { time, engine, floor: byHand } = await runTurnAbout(stage, { engine: arm.turn, floor: floor.turn }, PLAN);
      return [
        toRow({
          id: 'embedded_turns',
          what: 'turns/s on the embedded database, over a hand-written record',
          value: 1 / time,
          unit: 'x',
          goal: { kind: 'at_least', value: 0.8, stretch: 1.2 },
          note: `${engine.ms.toFixed(1)} ms against ${byHand.ms.toFixed(1)} ms a turn`,
        }),
      ];
    } finally {
      await clients.close();
      await arm.close();
      await floorDatabase.close();
    }
  });
}
