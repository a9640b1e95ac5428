/**
 * Records attempts by today's engine into `fixtures/histories/renderer-VERSION/`: `npm run record-histories`. A set that
 * exists is never overwritten: databases hold attempts of that version.
 */
import { RENDERER_VERSION } from '../../engine/core/prompt/renderer-version.js';
import { writeHistorySet } from './history.js';
import { recordHistories } from './record.js';

const written = await writeHistorySet({ renderer_version: RENDERER_VERSION }, recordHistories);
if (written === undefined) {
  process.stderr.write(
    `The histories of renderer ${RENDERER_VERSION} are recorded, and are never overwritten.\n` +
      'To record others, raise RENDERER_VERSION in engine/core/prompt/renderer-version.ts first.\n',
  );
  process.exitCode = 1;
} else {
  process.stdout.write(`Recorded ${written}.\n`);
}
