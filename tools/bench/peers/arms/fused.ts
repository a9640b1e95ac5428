import { openFused } from '../../../../dist/tools/bench/turns/hand-written/fused.js';
import type { OpenPeer } from '../peer.js';

/** A record written by hand in as few statements as can be: the floor of the `served` group. */
export const open: OpenPeer = openFused;
