import { openInFolder } from '../../../engine/store/embedded.js';
import { unreachable } from '../../../engine/contract/unreachable.js';
import type { CapturedCall } from '../stage/captured-call.js';
import { openBareClients, recordNothing } from './bare-turn.js';
import type { FloorBlock, FloorKind } from './floor.js';
import { openFused } from './hand-written/fused.js';
import { openHandWritten } from './hand-written/turn.js';
import { must } from './must.js';
import { timeBlock } from './time-block.js';

// The floor in a process of its own: features that the engine switches on in its process, such as promise hooks, must
// not slow the floor.

const kind = JSON.parse(process.argv[2] ?? '') as FloorKind;
const clients = openBareClients();
const run = await open(kind);

async function open(kind: FloorKind): Promise<(calls: readonly CapturedCall[]) => Promise<void>> {
  switch (kind.kind) {
    case 'unrecorded':
      return (calls) => clients.turn(calls, recordNothing);
    case 'fused':
      return (await openFused(kind.url, clients)).turn;
    case 'hand_written':
      return (await openHandWritten(must(await openInFolder(kind.folder, kind.template)), clients)).turn;
    default:
      return unreachable(kind);
  }
}

process.on('disconnect', () => process.exit(0));
process.on('message', ({ turns, at_once }: FloorBlock) => {
  const roundOf = (round: number) => turns.slice(round * at_once, (round + 1) * at_once);
  timeBlock({ rounds: turns.length / at_once, at_once }, (round) => Promise.all(roundOf(round).map(run))).then(
    (cost) => process.send?.(cost),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});
process.send?.('open');
