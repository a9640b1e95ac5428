import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import { nearestName } from '../../core/content/nearest-name.js';
import type { Cost } from '../../core/cost/cost.js';
import { stateOf } from '../../core/protocol/work-state.js';
import { pick } from '../../contract/pick.js';
import { measureRun } from '../../core/study/measures.js';
import type { Observation } from '../../core/study/observation.js';
import { type Summary, summarise } from '../../core/study/summary.js';
import { type Judgement, judgeAll } from '../../core/study/verdict.js';
import type { Study, StudyHypothesis } from '../../generated/study.js';
import { gatherFacts } from './gather-facts.js';
import type { ListPart, WorldActivity } from '../../ports/browse.js';
import type { ListedStudy, PlayedWorld } from '../../ports/studies.js';
import type { Archive } from '../engine.js';
import { readCost } from '../costs/read-cost.js';
import { isRun, turnsLeft } from './plan-study.js';

/** What a study has found out so far. */
export interface StudyPage {
  readonly study_label: string;
  readonly question: string;
  readonly description: string | null;
  /** Of all that its results depend on. */
  readonly study_hash: string;
  /** A script by its label and content, models by their names, or workers; `unknown` of a study from before this was sealed. */
  readonly answered_by: string;
  readonly sealed_at: string;
  readonly conditions: readonly string[];
  readonly seeds: number;
  readonly runs_done: number;
  /** They count in every table, and in no mean. */
  readonly runs_failed: number;
  /** Each measure of each condition, of the runs that are done. */
  readonly measures: readonly Summary[];
  readonly hypotheses: readonly JudgedHypothesis[];
  readonly runs: readonly ShownRun[];
  readonly cost: Cost;
}

/** A hypothesis, and what the runs say of it. */
export interface JudgedHypothesis extends Judgement, Pick<StudyHypothesis, 'says' | 'measure' | 'compare'> {}

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
  /** The order in which its agents act. */
  readonly roster: readonly string[];
  readonly attempt_id: string | null;
  readonly failure_class: string | null;
  /** By measure; null where there was nothing to measure, and left out until the run is done. */
  readonly values: Readonly<Record<string, number | null>>;
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
  const factsOf = await gatherFacts(archive, sealed, worlds);
  const bySlug = new Map(worlds.map((world) => [world.world_slug, world]));
  const runs = worlds.filter(isRun).map((world): ShownRun => {
    const shown = toShown(world, bySlug, newest);
    const facts = shown.state === 'done' ? factsOf(world) : undefined;
    const measured = facts && study.measures.map((measure) => [measure.id, measureRun(measure, facts)] as const);
    return { ...shown, values: Object.fromEntries(measured ?? []) };
  });
  const observations = listObservations(study, runs);
  const hypotheses = new Map((study.hypotheses ?? []).map((one) => [one.id, one]));
  return succeed({
    study_label,
    question: study.question,
    description: study.description ?? null,
    ...pick(sealed, ['study_hash', 'answered_by', 'sealed_at']),
    conditions: [...new Set(runs.map(({ condition }) => condition))].toSorted(),
    seeds: new Set(runs.map(({ seed }) => seed)).size,
    runs_done: runs.filter(({ state }) => state === 'done').length,
    runs_failed: runs.filter(({ state }) => state === 'failed').length,
    measures: summarise(study, observations),
    hypotheses: judgeAll(study, observations).flatMap((judgement) => {
      const asked = hypotheses.get(judgement.hypothesis);
      return asked === undefined ? [] : [{ ...pick(asked, ['says', 'measure', 'compare']), ...judgement }];
    }),
    runs,
    cost: await readCost(archive, { of: 'worlds', world_slugs }),
  });
}

/** What has been observed: of runs that are done, and of those that have failed. */
export function listObservations(
  { measures }: Pick<Study, 'measures'>,
  runs: readonly ShownRun[],
): readonly Observation[] {
  const ended = runs.filter(({ state }) => state === 'done' || state === 'failed');
  return ended.flatMap(({ condition, seed, state, values }) =>
    measures.map(({ id }) => ({
      condition,
      seed,
      measure: id,
      value: values[id] ?? null,
      failed: state === 'failed',
    })),
  );
}

/** A run whose world has not begun is as the world whose turns it shares. */
function toShown(
  run: PlayedWorld,
  worlds: ReadonlyMap<string, PlayedWorld>,
  newest: ReadonlyMap<string, WorldActivity>,
): Omit<ShownRun, 'values'> {
  const { condition, seed, world_slug, turn, until_turn, roster } = run;
  const told = findTelling(run, worlds, newest);
  const ended = told === undefined ? 'new' : stateOf(told);
  // An attempt that a person has ended says nothing of the run: its turn is asked again.
  const isLeft = ended === 'committed' || (ended === 'failed' && told?.failure_class === 'stopped');
  const state = turnsLeft(run) === 0 ? 'done' : isLeft ? 'stopped' : ended;
  return {
    condition: condition ?? '',
    seed,
    world_slug,
    state,
    turn,
    until_turn,
    roster,
    attempt_id: told?.attempt_id ?? null,
    failure_class: state === 'failed' ? (told?.failure_class ?? null) : null,
  };
}

function findTelling(
  { world_slug, parent }: PlayedWorld,
  worlds: ReadonlyMap<string, PlayedWorld>,
  newest: ReadonlyMap<string, WorldActivity>,
): WorldActivity | undefined {
  const own = newest.get(world_slug);
  const before = parent === null ? undefined : worlds.get(parent.world_slug);
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
