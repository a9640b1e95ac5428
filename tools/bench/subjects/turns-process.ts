import { inFolder, type Scene, writeScene } from '../documents.js';
import { answerAll } from '../helper.js';
import { openWorlds } from '../worlds.js';

// The engine in a process of its own, so that its memory can be measured.

/** Turns that the process is asked for. */
export interface TurnsOrder {
  readonly database_url: string;
  readonly model_url: string;
  readonly scene: Scene;
  readonly turns: number;
}

/** What they took. */
export interface TurnsTaken {
  /** Of each turn. */
  readonly seconds: readonly number[];
  /** Of each turn, in this process. */
  readonly cpu_seconds: readonly number[];
  /** The peak resident set, from the kernel. */
  readonly peak_mb: number;
}

answerAll(
  'open',
  ({ database_url, model_url, scene, turns }: TurnsOrder): Promise<TurnsTaken> =>
    inFolder(async (folder) => {
      await writeScene(folder, scene);
      const services = { CHUKWA_LLM_BASE_URL: model_url, CHUKWA_LLM_API_KEY: 'loopback-needs-no-key' };
      const played = { folder, scenario: 'scenario.json', world_slugs: [`homes-${scene.places.length}`] };
      const worlds = await openWorlds({ CHUKWA_DATABASE_URL: database_url }, services, played);
      const [seconds, cpu_seconds]: [number[], number[]] = [[], []];
      for (let turn = 0; turn < turns; turn += 1) {
        const [began, spent] = [performance.now(), process.cpuUsage()];
        await worlds.turn();
        const { user, system } = process.cpuUsage(spent);
        seconds.push((performance.now() - began) / 1000);
        cpu_seconds.push((user + system) / 1e6);
      }
      await worlds.close();
      return { seconds, cpu_seconds, peak_mb: process.resourceUsage().maxRSS / 1024 };
    }),
);
