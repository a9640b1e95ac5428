import { openBareClients } from '../../../dist/tools/bench/turns/bare-turn.js';
import type { FloorBlock } from '../../../dist/tools/bench/turns/floor.js';
import { timeBlock } from '../../../dist/tools/bench/turns/time-block.js';
import type { OpenPeer } from './peer.js';

// A peer in a process of its own: none slows another down by what it switches on in its process.

const [arm = '', url = ''] = process.argv.slice(2);
const { open } = (await import(`./arms/${arm}.js`)) as { readonly open: OpenPeer };
const peer = await open(url, openBareClients());

function leave(error: unknown): never {
  process.stderr.write(`${arm}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
}

process.on('disconnect', () => {
  setTimeout(() => process.exit(0), 2_000).unref();
  peer.close().then(() => process.exit(0), leave);
});
process.on('message', ({ turns, at_once }: FloorBlock) => {
  const roundOf = (round: number) => turns.slice(round * at_once, (round + 1) * at_once);
  timeBlock({ rounds: turns.length / at_once, at_once }, (round) => Promise.all(roundOf(round).map(peer.turn))).then(
    (cost) => process.send?.(cost),
    leave,
  );
});
process.send?.('open');
