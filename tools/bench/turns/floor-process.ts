import { openInFolder } from '../../../engine/store/embedded.js';
import type { CapturedCall } from '../stage/captured-call.js';
import { openBareClients, recordNothing } from './bare-turn.js';
import type { FloorBlock, FloorKind } from './floor.js';
import { openHandWritten } from './hand-written/turn.js';
import { must } from './must.js';
import { timeBlock } from './time-block.js';

// The floor in a process of its own: features that the engine switches on in its process, such as promise hooks, must
// not slow the floor.

const kind = JSON.parse(process.argv[2] ?? '') as FloorKind;
const clients = openBareClients();
const run = await open(kind);

async function open(kind: FloorKind): Promise<(calls: readonly CapturedCall[]) => Promise<void>> {
  if (kind.kind === 'unrecorded') return (calls) => clients.turn(calls, recordNothing);
  const database = must(await openInFolder(kind.folder, kind.template));
  const { turn } = await openHandWritten(database, clients);
  return turn;
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
