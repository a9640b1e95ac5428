import { type Row, toRow } from './figures.js';
import { type Role, startHelper } from './helper.js';
import { type Cost, say, spendOften } from './measures.js';
import { type Scene, writeScene } from './scene.js';
import { startServices } from './services.js';
import { makeFolder, onStage, openServer, type Stage, type Variables } from './stage.js';
import { openWorlds } from './worlds.js';

const SUBJECTS = 1_000;
const MODEL_MS = 200;
const TURNS = 5;

/** Turns of many concurrent subjects, with everything recorded and a slow model. */
export async function measureSubjects(stage: Stage): Promise<readonly Row[]> {
  say(`running turns of ${SUBJECTS} concurrent subjects`);
  const makeDatabase = await openServer(stage);
  const { ms, cpu_ms, peak_mb } = await timeSubjects(await makeDatabase('subjects'), SUBJECTS, TURNS);
  const in_order = `the models alone take ${(SUBJECTS * MODEL_MS) / 1000} s in order`;
  const cpu = `${(cpu_ms / 1000).toFixed(1)} s of CPU, of the engine's process`;
  const peak = `the greatest resident set in ${TURNS} turns; model and database are other processes`;
  return [toRow('subjects_time', ms / 1000, `${in_order}; ${cpu}`), toRow('subjects_memory', peak_mb, peak)];
}

/** Turns that a process is asked for. */
interface Order {
  readonly variables: Variables;
  readonly scene: Scene;
  readonly turns: number;
}

/** What they took: medians of each turn, in the process of the engine. */
interface Taken extends Pick<Cost, 'ms' | 'cpu_ms'> {
  /** The peak resident set, from the kernel. */
  readonly peak_mb: number;
}

/** Some turns of so many concurrent subjects, each at home, the model and the engine in processes of their own. */
export function timeSubjects(database_url: string, subjects: number, turns: number): Promise<Taken> {
  const places = Array.from({ length: subjects }, (_none, index) => `home_${index}`);
  const scene: Scene = { places, execution: 'per_subject_concurrent' };
  return onStage(async (stage) => {
    const services = await startServices(stage, scene, MODEL_MS);
    const engine = await startHelper<Order, Taken>(stage, new URL(import.meta.url));
    return engine.ask({ variables: { ...services.variables, CHUKWA_DATABASE_URL: database_url }, scene, turns });
  });
}

/** Plays turns in this process, which must be one of its own for its memory to be measured. */
export async function open(): Promise<Role<Order, Taken>> {
  return {
    answer: ({ variables, scene, turns }) =>
      onStage(async (stage) => {
        const world_slug = `homes-${scene.places.length}`;
        const played = await writeScene(await makeFolder(stage), scene);
        const worlds = await openWorlds(stage, variables, played, [world_slug]);
        const { ms, cpu_ms } = await spendOften(turns, () => worlds.turn(world_slug));
        return { ms, cpu_ms, peak_mb: process.resourceUsage().maxRSS / 1024 };
      }),
  };
}
