import { type Outcome, succeed } from '../../contract/problem.js';
import type { MeteredCall } from '../../core/cost/cost.js';
import type { EstimatedUse, TurnsEstimate } from '../../core/cost/estimate.js';
import type { PriceSources } from '../../core/cost/price-book.js';
import { groupBy } from '../../core/content/group-by.js';
import type { Program } from '../../core/protocol/program.js';
import type { PlayedWorld, SealedWorld } from '../../ports/studies.js';
import type { Engine } from '../engine.js';
import { estimateProgram } from '../costs/estimate.js';
import { checkSources, compileScenario } from '../running/load-program.js';
import { type NamedStudy, type ReadStudy, readStudy } from './read-study.js';
import { checkSealed } from './seal-study.js';

/** What a study will run, and what that will use and cost. */
export interface StudyPlan {
  readonly study_label: string;
  readonly question: string;
  readonly conditions: readonly string[];
  readonly seeds: number;
  readonly runs: number;
  readonly runs_done: number;
  /** Worlds whose turns several conditions share, and the turns that are run in them once. */
  readonly shared_worlds: number;
  readonly shared_turns: number;
  readonly probes: number;
  /** Turns in all, those of probes included. */
  readonly turns: number;
  /** How many more there would be if no conditions shared any. */
  readonly turns_saved: number;
  /** Turns that have not been played yet. */
  readonly turns_left: number;
  /** Of the turns that are left, as far as their sources are known. */
  readonly estimate: StudyEstimate;
}

/** What the turns that are left will use. Earlier turns are those of worlds with the same scenarios. */
export interface StudyEstimate extends TurnsEstimate {
  readonly models: readonly (string | null)[];
  /** Null where nothing is priced. */
  readonly prices: PriceSources | null;
}

/** The turns that a world of a study plays by itself. */
export function turnsOf({ parent, until_turn }: SealedWorld): number {
  return until_turn - (parent?.turn ?? 0);
}

/** Those of them that it lacks. */
export function turnsLeft(world: PlayedWorld): number {
  return Math.max(0, world.until_turn - (world.turn ?? world.parent?.turn ?? 0));
}

/** Whether a world of a study is a run, and neither a shared one nor a probe. */
export function isRun({ condition, probe }: Pick<SealedWorld, 'condition' | 'probe'>): boolean {
  return condition !== null && probe === null;
}

/** Plans the study of a file. @returns a refusal also where it has been sealed, and has changed since */
export async function planStudyFile(engine: Engine, named: NamedStudy): Promise<Outcome<StudyPlan>> {
  const read = await readStudy(engine.authoring, named);
  if (!read.ok) return read;
  const unchanged = await checkSealed(engine, read.value);
  return unchanged.ok ? planStudy(engine, read.value) : unchanged;
}

/** Plans a study that has been read. Makes no call, and writes nothing. */
export async function planStudy(engine: Engine, read: ReadStudy): Promise<Outcome<StudyPlan>> {
  const { study, design, worlds } = read;
  const played = await findPlayed(engine, read);
  const estimate = await estimateStudy(engine, read, played);
  if (!estimate.ok) return estimate;
  const shared = worlds.filter(({ condition }) => condition === null);
  const runs = played.filter(isRun);
  const sum = (turns: readonly number[]): number => turns.reduce((all, one) => all + one, 0);
  const turns = sum(worlds.map(turnsOf));
  const alone = sum(worlds.filter(({ condition }) => condition !== null).map((world) => aloneTurns(world)));
  return succeed({
    study_label: study.label,
    question: study.question,
    conditions: design.conditions.map(({ id }) => id),
    seeds: design.seeds.length,
    runs: runs.length,
    runs_done: runs.filter((world) => turnsLeft(world) === 0).length,
    shared_worlds: shared.length,
    shared_turns: sum(shared.map(turnsOf)),
    probes: worlds.filter(({ probe }) => probe !== null).length,
    turns,
    turns_saved: alone - turns,
    turns_left: sum(played.map(turnsLeft)),
    estimate: estimate.value,
  });
}

/** A run by itself would play all its turns; a probe is one turn. */
function aloneTurns(world: SealedWorld): number {
  return isRun(world) ? world.until_turn : turnsOf(world);
}

/** The worlds of a study, and how far those are that are there. */
async function findPlayed({ store }: Engine, { sealed, worlds }: ReadStudy): Promise<readonly PlayedWorld[]> {
  const known = await store.studies.worlds(sealed.study_label);
  const turns = new Map(known.map(({ world_slug, turn }) => [world_slug, turn]));
  return worlds.map((world) => ({ ...world, turn: turns.get(world.world_slug) ?? null }));
}

/** Refuses a study before its first call where a source of one of its scenarios cannot be called. */
export async function checkStudySources(engine: Engine, read: ReadStudy): Promise<Outcome<undefined>> {
  for (const [scenario_hash] of groupBy(read.worlds, (world) => world.scenario_hash)) {
    const compiled = compileOf(engine, read, scenario_hash);
    const ready = await checkSources(engine, compiled, read.study.label);
    if (!ready.ok) return ready;
  }
  return succeed(undefined);
}

function compileOf({ authoring }: Engine, { documents }: ReadStudy, scenario_hash: string): Program {
  const compiled = compileScenario(authoring, scenario_hash, (kind, hash) => documents.get(`${kind} ${hash}`)?.content);
  // The scenario of each condition was checked with the study.
  if (!compiled.ok) throw new Error(compiled.problems.map(({ message }) => message).join(' '));
  return compiled.program;
}

/** Worlds of one condition differ at most in the order of their agents: one of them stands for all. */
async function estimateStudy(
  engine: Engine,
  read: ReadStudy,
  played: readonly PlayedWorld[],
): Promise<Outcome<StudyEstimate>> {
  const alike = groupBy(played, ({ condition, probe, parent, scenario_hash }) =>
    condition === null ? scenario_hash : [condition, probe ?? '', parent === null].join('\n'),
  );
  const parts: StudyEstimate[] = [];
  for (const worlds of alike.values()) {
    const [first] = worlds;
    if (first === undefined) continue;
    const earlier = await listEarlier(engine, worlds);
    const turns = worlds.reduce((sum, world) => sum + turnsLeft(world), 0);
    const program = compileOf(engine, read, first.scenario_hash);
    const estimate = await estimateProgram(engine, program, { world_slug: first.world_slug, turns, earlier });
    if (!estimate.ok) return estimate;
    parts.push(estimate.value);
  }
  return succeed(addEstimates(parts));
}

/** So many worlds say what a turn uses. */
const WORLDS_SEEN_MAX = 20;

/** The calls of earlier turns in worlds of the study, else in others of the same scenario; each turn of a world has a number of its own. */
async function listEarlier({ store }: Engine, worlds: readonly PlayedWorld[]): Promise<readonly MeteredCall[]> {
  const made = worlds.flatMap(({ world_slug, turn }) => (turn === null ? [] : [{ world_slug, turn }]));
  const scenario_hash = worlds[0]?.scenario_hash ?? '';
  const seen = made.length > 0 ? made : await store.browse.worlds({ limit: WORLDS_SEEN_MAX }, scenario_hash);
  const numbers = new Map<string, number>();
  const calls: MeteredCall[] = [];
  for (const { world_slug, turn } of seen.slice(0, WORLDS_SEEN_MAX))
    for (const call of await store.browse.metered({ world_slug })) {
      if (call.attempted_turn > turn) continue;
      const place = `${world_slug} ${call.attempted_turn}`;
      const attempted_turn = numbers.get(place) ?? numbers.size + 1;
      numbers.set(place, attempted_turn);
      calls.push({ ...call, attempted_turn });
    }
  return calls;
}

function addEstimates(parts: readonly StudyEstimate[]): StudyEstimate {
  const add = (name: 'least' | 'likely' | 'most' | 'limit'): EstimatedUse => sumUses(parts.map((part) => part[name]));
  return {
    earlier_turns: parts.reduce((sum, { earlier_turns }) => sum + earlier_turns, 0),
    least: add('least'),
    likely: add('likely'),
    most: add('most'),
    limit: add('limit'),
    models: [...new Set(parts.flatMap(({ models }) => models))],
    prices: parts[0]?.prices ?? null,
  };
}

function sumUses(uses: readonly EstimatedUse[]): EstimatedUse {
  const sum = (of: (use: EstimatedUse) => number): number => uses.reduce((all, use) => all + of(use), 0);
  return {
    calls: sum(({ calls }) => calls),
    input_tokens: sum(({ input_tokens }) => input_tokens),
    output_tokens: sum(({ output_tokens }) => output_tokens),
    usd: uses.some(({ usd }) => usd === null) ? null : sum(({ usd }) => usd ?? 0),
  };
}
