import type { Json } from '../../contract/json.js';
import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import { contentHash } from '../../core/content/canonical.js';
import { findEditFaults } from '../../core/world/judge-patch.js';
import { simulationTime } from '../../core/world/simulation-time.js';
import type { WorldPatch } from '../../core/world/world-patch.js';
import { editTurn } from '../../runtime/edit-turn.js';
import type { Engine } from '../engine.js';
import { loadScenario } from '../running/load-program.js';
import type { EditedWorld } from '../settling/reports.js';
import { refuseAttempt, unlessLost } from '../running/run-turns.js';
import { timeAt, unknownWorld } from './worlds.js';

/** The source of the calls that persons answer by editing a world. */
const PERSON = { version: 1, label: 'person', interface: { name: 'person' } };

export interface EditRequest {
  readonly world_slug: string;
  /** A WorldPatch. */
  readonly patch: Json;
  readonly edited_by: string;
  readonly reason?: string;
}

/**
 * Changes a world by a patch of a person, as its next turn, in which nobody else acts.
 * @returns a refusal, with places in the patch, where it is none, or names what is not there
 */
export async function editWorld(engine: Engine, request: EditRequest): Promise<Outcome<EditedWorld>> {
  const { world_slug, patch, edited_by, reason = '' } = request;
  const world = await engine.store.worlds.snapshot(world_slug);
  if (world === undefined) return unknownWorld(engine, world_slug);
  const misfits = findMisfits(engine, patch);
  if (misfits.length > 0) return refuse(...misfits);
  const edit = { patch: patch as unknown as WorldPatch, edited_by, reason, source_hash: contentHash(PERSON) };
  // What a world has never changes: a patch that fits it now fits the turn that it becomes.
  const faults = findEditFaults(world, edit.patch);
  if (faults.length > 0) return refuse(...faults.map((fault) => problem('EDIT_FAULTY', { fault })));
  const loaded = await loadScenario(engine, world.scenario_hash);
  if (!loaded.ok) return loaded;
  const { scenario, program } = loaded.value;
  if (simulationTime(scenario, world.turn + 1) === undefined)
    return refuse(problem('WORLD_TIME_ENDED', { world_slug, committed: world.turn }));
  await engine.store.components.put([
    { kind: 'response_source', hash: edit.source_hash, content: PERSON, refers_to: [] },
  ]);
  const asked = { world_slug, program, simulationTime: (turn: number) => timeAt(scenario, turn) };
  const rerun = `chukwa run ${world_slug}`;
  const place = { world_slug, committed: world.turn, rerun };
  const made = await unlessLost(engine, place, () => editTurn(engine.runtime, asked, edit));
  if (!made.ok) return made;
  const end = made.value;
  switch (end.kind) {
    case 'edited':
      return succeed({ world_slug, turn: end.attempted_turn, attempt_id: end.attempt_id });
    case 'turn_open':
    case 'still_suspended':
      return refuse(problem('EDIT_DURING_TURN', { world_slug, attempt_id: end.attempt_id }));
    default:
      return refuseAttempt(engine, { slug: world_slug, rerun }, end);
  }
}

function findMisfits({ authoring }: Engine, patch: Json) {
  const schema = authoring.shippedSchemas.get('world-patch.schema.json');
  if (schema === undefined) throw new Error('the schema of patches is missing');
  const validate = authoring.compileSchema('contract:world_patch', schema);
  if (!validate.ok) throw new Error('the shipped schema of patches does not compile');
  return validate.value(patch).filter(({ severity }) => severity !== 'note');
}
