import { join } from 'node:path';
import { compose } from '../../../engine/main.js';
import { putScenario } from '../../../engine/operations/author.js';
import { loadScenario } from '../../../engine/operations/load-program.js';
import { createWorld } from '../../../engine/operations/worlds.js';
import type { LeftWorld } from '../../../engine/ports/attempts.js';
import { runAttempt } from '../../../engine/runtime/run-attempt.js';
import { startScriptedModel } from '../../../engine/toys/scripted-model/index.js';
import type { ProgressLine } from '../progress.js';
import { type Row, toRow } from '../row.js';
import { median } from '../statistics.js';
import { must } from '../turns/must.js';
import { writeScene } from './scene.js';

const SUBJECTS = 1_000;
const MODEL_MS = 200;
const TURNS = 5;

/** Turns of many concurrent subjects, each with one generation of a slow model, with everything recorded. */
export async function measureSubjects(url: string, progress: ProgressLine): Promise<readonly Row[]> {
  progress.say(`running turns of ${SUBJECTS} concurrent subjects`);
  return [toSubjectsRow(await timeSubjects(url, SUBJECTS))];
}

/** The median of some turns of so many concurrent subjects, in seconds. */
export async function timeSubjects(url: string, subjects: number): Promise<number> {
  const scene = await writeScene(subjects);
  const model = await startScriptedModel(scene.answers, { delay_ms: MODEL_MS });
  const variables = { CHUKWA_LLM_BASE_URL: model.url, CHUKWA_LLM_API_KEY: 'loopback-needs-no-key' };
  const engine = must(await (await compose({ CHUKWA_DATABASE_URL: url })).openEngine({ variables }));
  try {
    const place = { working_folder: scene.folder, root: scene.folder };
    const scenario_hash = must(await putScenario(engine, join(scene.folder, 'scenario.json'), place));
    const world_slug = `homes-${subjects}`;
    must(await createWorld(engine, { world_slug, scenario_hash }));
    const { program } = must(await loadScenario(engine, scenario_hash));
    const request = { world_slug, program, simulationTime: () => '2026-05-01T09:01:00.000Z', onProgress: () => {} };
    const seconds: number[] = [];
    let left: LeftWorld | undefined;
    for (let turn = 0; turn < TURNS; turn += 1) {
      const began = performance.now();
      const { signal } = new AbortController();
      const end = await runAttempt(engine.runtime, { ...request, signal, ...(left === undefined ? {} : { left }) });
      if (end.kind !== 'committed') throw new Error(`the turn did not commit: ${JSON.stringify(end)}`);
      seconds.push((performance.now() - began) / 1000);
      ({ left } = end);
    }
    return median(seconds);
  } finally {
    await engine.close();
    await model.close();
    await scene.remove();
  }
}

function toSubjectsRow(value: number): Row {
  const in_order = (SUBJECTS * MODEL_MS) / 1000;
  return toRow({
    id: 'concurrent_subjects',
    what: `turn of ${SUBJECTS} concurrent subjects, each with a generation of ${MODEL_MS} ms`,
    value,
    unit: 's',
    goal: { kind: 'at_most', value: 5, stretch: 2 },
    note: `the models alone take ${in_order} s in order; the model server runs in this process`,
  });
}
