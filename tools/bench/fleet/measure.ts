import type { ProgressLine } from '../progress.js';
import type { Row } from '../row.js';
import { measureClaims } from './claims.js';
import { measureIdle } from './idle.js';
import { openScene } from './scene.js';
import { measureTakeOvers } from './take-over.js';
import { measureWakeUps } from './wake-up.js';

/** The cost of a fleet, and its latency. */
export async function measureFleet(program: string, url: string, progress: ProgressLine): Promise<readonly Row[]> {
  progress.say('making a thousand worlds');
  const scene = await openScene(url);
  try {
    progress.say('claiming');
    const claims = await measureClaims(scene);
    progress.say('waking up');
    const wakeUps = await measureWakeUps(url, scene);
    progress.say('watching an idle worker');
    const idle = await measureIdle(program, url, scene);
    progress.say('killing workers');
    return [claims, ...wakeUps, idle, await measureTakeOvers(program, url, scene)];
  } finally {
    await scene.close();
  }
}
