import { loadScenario } from '../../engine/operations/running/load-program.js';
import { timeAt } from '../../engine/operations/worlds/worlds.js';
import type { WorldSnapshot } from '../../engine/ports/worlds.js';
import { runAttempt } from '../../engine/runtime/run-attempt.js';
import { must, type ParkStage } from './park-stage.js';

/** Drives the next turn of a world, and leaves it to another driver once the start of this call is on record. */
export async function leaveAt(
  { engine }: ParkStage,
  { world_slug, scenario_hash }: Pick<WorldSnapshot, 'world_slug' | 'scenario_hash'>,
  key: string,
) {
  const { program, scenario } = must(await loadScenario(engine, scenario_hash));
  const leave = new AbortController();
  return runAttempt(engine.runtime, {
    world_slug,
    program,
    simulationTime: (turn) => timeAt(scenario, turn),
    signal: new AbortController().signal,
    leave: leave.signal,
    onProgress: (progress) => {
      if (progress.kind === 'call_started' && progress.command.key === key) leave.abort();
    },
  });
}
