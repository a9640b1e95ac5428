import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { putScenario } from '../../../engine/operations/author.js';
import type { Composition } from '../../../engine/operations/composition.js';
import type { Engine } from '../../../engine/operations/engine.js';
import { runTurns } from '../../../engine/operations/run-turns.js';
import { createWorld } from '../../../engine/operations/worlds.js';
import { startToys } from '../../../fixtures/toys/index.js';
import { type Answers, scriptPath, startScriptedModel } from '../../../fixtures/toys/scripted-model/index.js';
import type { ProgressLine } from '../progress.js';
import { type Row, toRow } from '../row.js';
import { must } from '../turns/must.js';

const MODEL_MS = 1_000;
const TURNS = 5;
const MODES = ['per_subject_ordered', 'per_subject_concurrent'] as const;

interface Played {
  readonly seconds: number;
  readonly generations: number;
  /** The changes, as text. */
  readonly patches: string;
}

/** The village in both modes, side by side, with a slow model. */
export async function measureVillage(
  open: Composition['openEngine'],
  root: string,
  progress: ProgressLine,
): Promise<readonly Row[]> {
  const script = JSON.parse(await readFile(scriptPath(root, 'village'), 'utf8')) as Answers;
  const toys = await startToys();
  const model = await startScriptedModel(script, { delay_ms: MODEL_MS });
  const at = { CHUKWA_LLM_BASE_URL: model.url, CHUKWA_LLM_API_KEY: 'loopback-needs-no-key' };
  const engine = must(await open({ variables: { ...toys.variables, ...at } }));
  try {
    const folder = join(root, 'workflows');
    const place = { working_folder: folder, root: folder };
    const scenario_hash = must(await putScenario(engine, join(folder, 'village', 'scenario.json'), place));
    const played: Played[] = [];
    for (const execution of MODES) {
      progress.say(`playing the village, ${execution}`);
      played.push(await play(engine, scenario_hash, execution));
    }
    return toRows(played);
  } finally {
    await engine.close();
    await Promise.all([model.close(), toys.close()]);
  }
}

async function play(engine: Engine, scenario_hash: string, execution: (typeof MODES)[number]): Promise<Played> {
  const world_slug = execution.replaceAll('_', '-');
  must(await createWorld(engine, { world_slug, scenario_hash }));
  const began = performance.now();
  const { signal } = new AbortController();
  const report = must(await runTurns(engine, { world_slug, turns: TURNS, execution, signal, onProgress: () => {} }));
  const seconds = (performance.now() - began) / 1000;
  const calls = report.turns.flatMap(({ invocations }) => invocations);
  return {
    seconds,
    generations: calls.filter(({ llm_call_id }) => llm_call_id !== null).length,
    patches: JSON.stringify(report.turns.map(({ patches }) => patches)),
  };
}

function toRows([ordered, concurrent]: readonly Played[]): readonly Row[] {
  if (ordered === undefined || concurrent === undefined) throw new Error('the village was not played in both modes');
  if (ordered.patches !== concurrent.patches) throw new Error('the modes came to different turns');
  const say = ({ seconds, generations }: Played): string =>
    `${(seconds / TURNS).toFixed(1)} s a turn, ${generations} generations in ${TURNS} turns`;
  return [
    toRow({
      id: 'village_concurrent',
      what: `turn of the village, concurrent over ordered, a model of ${MODEL_MS / 1000} s`,
      value: concurrent.seconds / ordered.seconds,
      unit: 'x',
      goal: { kind: 'at_most', value: 1 },
      note: `${say(concurrent)}; in order ${say(ordered)}; the patches are the same`,
    }),
  ];
}
