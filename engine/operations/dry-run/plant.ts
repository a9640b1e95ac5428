import { type Outcome, problem, refuse } from '../../contract/problem.js';
import type { JsonObject } from '../../contract/json.js';
import type { ComponentKind } from '../../core/protocol/component.js';
import { isComponentKind } from '../../core/workflow/link/document-kind.js';
import { listReferences } from '../../core/workflow/link/references.js';
import type { ComponentRecord, ComponentToStore } from '../../ports/components.js';
import type { WorldStart } from '../../ports/worlds.js';
import type { WorldSnapshot } from '../../ports/worlds.js';
import type { Engine } from '../engine.js';
import { loadScenario } from '../running/load-program.js';
import { findSlugProblem, showWorld, slugTaken, timeAt } from '../worlds/worlds.js';
import { simulationTime } from '../../core/world/simulation-time.js';

/** Stored documents in the form in which another store takes them. */
export function toStorable(records: readonly ComponentRecord[]): readonly ComponentToStore[] {
  return records.map((record) => ({ ...record, refers_to: listHashes(record.kind, record.content) }));
}

function listHashes(kind: ComponentKind, content: JsonObject): ComponentToStore['refers_to'] {
  return listReferences(kind, content).flatMap(({ wants, target }) =>
    isComponentKind(wants) && 'hash' in target ? [{ kind: wants, hash: target.hash }] : [],
  );
}

/** Makes a world of a stored scenario that begins at any turn. */
export async function plantWorld(
  engine: Engine,
  request: { readonly world_slug: string; readonly scenario_hash: string; readonly start: WorldStart },
): Promise<Outcome<WorldSnapshot>> {
  const { world_slug, scenario_hash, start } = request;
  const unusable = findSlugProblem(world_slug);
  if (unusable !== undefined) return refuse(unusable);
  const loaded = await loadScenario(engine, scenario_hash);
  if (!loaded.ok) return loaded;
  const { scenario } = loaded.value;
  if (simulationTime(scenario, start.turn) === undefined)
    return refuse(problem('WORLD_TIME_ENDED', { turn: start.turn }));
  const planted = await engine.store.worlds.plant({
    ...start,
    world_slug,
    scenario_hash,
    start_time: timeAt(scenario, start.turn),
    created_at: engine.runtime.clock.now(),
  });
  return planted ? showWorld(engine, { world_slug }) : slugTaken(world_slug);
}
