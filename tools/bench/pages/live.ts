import { setMaxListeners } from 'node:events';
import { request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { type Row, toRow } from '../figures.js';
import { type Role, startHelper } from '../helper.js';
import { compareArms, type Cost, type Figure, say } from '../measures.js';
import { startServices } from '../services.js';
import { AS_OPERATOR, readPage, serve, type Stage } from '../stage.js';
import { runRounds } from '../turns/arm.js';
import { openWorlds, PARK } from '../worlds.js';

const PLAN = { warm_up_blocks: 2, blocks: 10 };
const TURNS = 30;
const WORLD = 'live';

/**
 * The cost of a page's readers for the turns of its world: one process plays them, another serves the page, a third
 * reads it.
 */
export async function measureLive(stage: Stage, url: string): Promise<readonly Row[]> {
  const database = { CHUKWA_DATABASE_URL: url };
  const services = await startServices(stage);
  const worlds = await openWorlds(stage, { ...services.variables, ...database }, PARK, [WORLD]);
  const serving = await serve(stage, database);
  const helper = await startHelper<Readers, unknown>(stage, new URL(import.meta.url));
  const playBefore = (count: number) => async (): Promise<Cost> => {
    await helper.ask({ url: serving.url, count });
    return runRounds(TURNS, 1, () => worlds.turn(WORLD));
  };
  say('playing turns before readers');
  const compared = await compareArms({ 0: playBefore(0), 1: playBefore(1), 10: playBefore(10) }, PLAN);
  const note = (figure: Figure, readers: number): string =>
    `${compared.median(figure, `${readers}`).toFixed(1)} ms over ${compared.median(figure, '0').toFixed(1)} ms`;
  return ([1, 10] as const).flatMap((readers) => [
    toRow(
      `live_cpu_${readers}`,
      compared.ratio('cpu_ms', `${readers}`, '0'),
      `${note('cpu_ms', readers)}, of the process that plays it`,
    ),
    toRow(
      `live_time_${readers}`,
      compared.ratio('ms', `${readers}`, '0'),
      `${note('ms', readers)}; server and readers have the same cores`,
    ),
  ]);
}

/** How many readers are to have the world's page open. */
interface Readers {
  readonly url: string;
  readonly count: number;
}

/** Between two looks of one reader at its page, at least; more of one that takes long. */
const PAUSE_MS = 500;
const PAUSE_FACTOR = 5;

/**
 * Live pages without a browser: each listens to the events of a page and asks for the page again when something has
 * happened, as often as the script of pages does. An answer comes once all of them listen.
 */
export async function open(): Promise<Role<Readers, void>> {
  let leave = new AbortController();
  return {
    answer: async ({ url, count }) => {
      leave.abort();
      leave = new AbortController();
      const { signal } = leave;
      setMaxListeners(0, signal);
      await Promise.all(Array.from({ length: count }, () => listen(url, signal)));
    },
  };
}

/** @returns once the reader listens */
function listen(url: string, signal: AbortSignal): Promise<void> {
  const path = `/worlds/${WORLD}`;
  let hasNews = false;
  let isAsking = false;
  const look = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    while (hasNews && !signal.aborted) {
      hasNews = false;
      const { ms } = await readPage({ url }, path);
      await wait(Math.max(PAUSE_MS, PAUSE_FACTOR * ms), undefined, { signal });
    }
    isAsking = false;
  };
  return new Promise((resolve, reject) => {
    const asked = request(`${url}${path}/events?since=now`, { headers: AS_OPERATOR, agent: false, signal });
    asked.once('response', (response) => {
      response.once('data', () => resolve());
      response.on('data', () => {
        hasNews = true;
        look().catch(() => {});
      });
      response.on('error', () => {});
    });
    asked.on('error', (error) => (signal.aborted ? resolve() : reject(error)));
    asked.end();
  });
}
