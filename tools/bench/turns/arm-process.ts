import { answerAll } from '../helper.js';
import { timeBlock } from '../measures.js';
import type { Block, OpenArm } from './arm.js';
import { openBareClients } from './bare-turn.js';

const [module = '', place = ''] = process.argv.slice(2);
const { open } = (await import(module)) as { readonly open: OpenArm };
const arm = await open(place, openBareClients());
answerAll(
  'open',
  ({ turns, at_once }: Block) =>
    timeBlock({ rounds: turns.length / at_once, at_once }, (round) =>
      Promise.all(turns.slice(round * at_once, (round + 1) * at_once).map(arm.turn)),
    ),
  arm.close,
);
