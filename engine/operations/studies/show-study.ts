import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import { nearestName } from '../../core/content/nearest-name.js';
import type { Cost } from '../../core/cost/cost.js';
import { stateOf } from '../../core/protocol/work-state.js';
import type { Study } from '../../generated/study.js';
import type { WorldActivity } from '../../ports/browse.js';
import type { ListedStudy, PlayedWorld } from '../../ports/studies.js';
import type { Archive } from '../engine.js';
import type { ListPart } from '../../ports/browse.js';
import { readCost } from '../read-cost.js';
import { isRun, turnsLeft } from './plan-study.js';

/** What a study has found out so far. */
export interface StudyPage {
  readonly study_label: string;
  readonly question: string;
  readonly description: string | null;
  /** Of all that its results depend on. */
  readonly study_hash: string;
  readonly sealed_at: string;
  readonly conditions: readonly string[];
  readonly seeds: number;
  readonly runs_done: number;
  /** They count in every table, and in no mean. */
  readonly runs_failed: number;
  readonly runs: readonly ShownRun[];
  readonly cost: Cost;
}

/** A run of a study. */
export interface ShownRun {
  readonly condition: string;
  readonly seed: number;
  readonly world_slug: string;
  /** `new` where it has not begun; `done` where it has played all its turns. */
  readonly state: string;
  /** Its latest committed turn; null where its world has not been made. */
  readonly turn: number | null;
  readonly until_turn: number;
  readonly attempt_id: string | null;
  readonly failure_class: string | null;
}

/** Shows a study by its label. */
export async function showStudy(
  archive: Archive,
  { study_label }: { readonly study_label: string },
): Promise<Outcome<StudyPage>> {
  const { store } = archive;
  const sealed = await store.studies.find(study_label);
  if (sealed === undefined) return unknownStudy(archive, study_label);
  const worlds = await store.studies.worlds(study_label);
  const world_slugs = worlds.flatMap(({ world_slug, turn }) => (turn === null ? [] : [world_slug]));
  const activity = await store.browse.activity(world_slugs);
  const newest = new Map(activity.map((one) => [one.world_slug, one]));
  const study = sealed.document as unknown as Study;
  const runs = worlds.filter(isRun).map((world) => toShown(world, worlds, newest));
  return succeed({
    study_label,
    question: study.question,
    description: study.description ?? null,
    study_hash: sealed.study_hash,
    sealed_at: sealed.sealed_at,
    conditions: [...new Set(runs.map(({ condition }) => condition))].toSorted(),
    seeds: new Set(runs.map(({ seed }) => seed)).size,
    runs_done: runs.filter(({ state }) => state === 'done').length,
    runs_failed: runs.filter(({ state }) => state === 'failed').length,
    runs,
    cost: await readCost(archive, { of: 'worlds', world_slugs }),
  });
}

/** A run whose world has not begun is as the world whose turns it shares. */
function toShown(
  run: PlayedWorld,
  worlds: readonly PlayedWorld[],
  newest: ReadonlyMap<string, WorldActivity>,
): ShownRun {
  const { condition, seed, world_slug, turn, until_turn } = run;
  const told = findTelling(run, worlds, newest);
  const ended = told === undefined ? 'new' : stateOf(told);
  const state = turnsLeft(run) === 0 ? 'done' : ended === 'committed' ? 'stopped' : ended;
  return {
    condition: condition ?? '',
    seed,
    world_slug,
    state,
    turn,
    until_turn,
    attempt_id: told?.attempt_id ?? null,
    failure_class: state === 'failed' ? (told?.failure_class ?? null) : null,
  };
}

function findTelling(
  { world_slug, parent }: PlayedWorld,
  worlds: readonly PlayedWorld[],
  newest: ReadonlyMap<string, WorldActivity>,
): WorldActivity | undefined {
  const own = newest.get(world_slug);
  const before = worlds.find((world) => world.world_slug === parent?.world_slug);
  return own !== undefined || before === undefined ? own : findTelling(before, worlds, newest);
}

/** Studies by label. */
export async function listStudiesPart({ store }: Archive, part: ListPart): Promise<Outcome<readonly ListedStudy[]>> {
  return succeed(await store.studies.list(part));
}

const LABELS_MAX = 200;

async function unknownStudy({ store }: Archive, label: string) {
  const known = (await store.studies.list({ limit: LABELS_MAX })).map(({ study_label }) => study_label);
  return refuse(problem('STUDY_UNKNOWN', { label, nearest: nearestName(label, known), known }));
}
