export type { CapturedCall } from '../../../dist/tools/bench/services.js';
export type { OpenArm } from '../../../dist/tools/bench/turns/arm.js';
export { type BareAnswer, makeCalls, toGroups } from '../../../dist/tools/bench/turns/bare-turn.js';
export { COMMITTED, toPatches } from '../../../dist/tools/bench/turns/arms/fused.js';

export const COMMIT = { name: 'commit', text: 'INSERT INTO committed (patches) VALUES ($1)' };
