import { recordNothing } from '../../../../dist/tools/bench/turns/bare-turn.js';
import type { OpenPeer } from '../peer.js';

/** The same calls, and no record of them. */
export const open: OpenPeer = async (_url, clients) => ({
  turn: (calls) => clients.turn(calls, recordNothing),
  close: async () => {},
});
