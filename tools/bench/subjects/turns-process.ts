import { join } from 'node:path';
import { compose } from '../../../engine/main.js';
import { putScenario } from '../../../engine/operations/author.js';
import type { Engine } from '../../../engine/operations/engine.js';
import { loadScenario } from '../../../engine/operations/load-program.js';
import { createWorld } from '../../../engine/operations/worlds.js';
import type { LeftWorld } from '../../../engine/ports/attempts.js';
import { runAttempt } from '../../../engine/runtime/run-attempt.js';
import { must } from '../turns/must.js';
import type { TurnsOrder, TurnsWord } from './process-words.js';
import { writeScene } from './scene.js';

// The engine in a process of its own, so that its memory can be measured.

const order = JSON.parse(process.argv[2] ?? '') as TurnsOrder;
process.send?.(await runTurns(order));
process.disconnect();

async function runTurns({ url, database_url, subjects, turns }: TurnsOrder): Promise<TurnsWord> {
  const scene = await writeScene(subjects);
  const variables = { CHUKWA_LLM_BASE_URL: url, CHUKWA_LLM_API_KEY: 'loopback-needs-no-key' };
  const engine = must(await (await compose({ CHUKWA_DATABASE_URL: database_url })).openEngine({ variables }));
  try {
    const place = { working_folder: scene.folder, root: scene.folder };
    const scenario_hash = must(await putScenario(engine, join(scene.folder, 'scenario.json'), place));
    const { seconds, cpu_seconds } = await timeTurns(engine, scenario_hash, { subjects, turns });
    return { seconds, cpu_seconds, peak_mb: process.resourceUsage().maxRSS / 1024 };
  } finally {
    await engine.close();
    await scene.remove();
  }
}

async function timeTurns(
  engine: Engine,
  scenario_hash: string,
  { subjects, turns }: Pick<TurnsOrder, 'subjects' | 'turns'>,
): Promise<Pick<TurnsWord, 'seconds' | 'cpu_seconds'>> {
  const world_slug = `homes-${subjects}`;
  must(await createWorld(engine, { world_slug, scenario_hash }));
  const { program } = must(await loadScenario(engine, scenario_hash));
  const request = { world_slug, program, simulationTime: () => '2026-05-01T09:01:00.000Z', onProgress: () => {} };
  const seconds: number[] = [];
  const cpu_seconds: number[] = [];
  let left: LeftWorld | undefined;
  for (let turn = 0; turn < turns; turn += 1) {
    const [began, spent] = [performance.now(), process.cpuUsage()];
    const { signal } = new AbortController();
    const end = await runAttempt(engine.runtime, { ...request, signal, ...(left === undefined ? {} : { left }) });
    if (end.kind !== 'committed') throw new Error(`the turn did not commit: ${JSON.stringify(end)}`);
    const { user, system } = process.cpuUsage(spent);
    seconds.push((performance.now() - began) / 1000);
    cpu_seconds.push((user + system) / 1e6);
    ({ left } = end);
  }
  return { seconds, cpu_seconds };
}
