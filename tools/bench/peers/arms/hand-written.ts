import { openServer } from '../../../../dist/engine/store/server.js';
import { openHandWritten } from '../../../../dist/tools/bench/turns/hand-written/turn.js';
import { must } from '../../../../dist/tools/bench/turns/must.js';
import type { OpenPeer } from '../peer.js';

/** Plain statements before and after each call, and a transaction at the end: the floor of the embedded benchmark, on a server. */
export const open: OpenPeer = async (url, clients) => {
  const database = must(await openServer(url));
  const { turn } = await openHandWritten(database, clients);
  return { turn, close: () => database.close() };
};
