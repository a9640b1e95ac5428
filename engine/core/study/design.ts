import type { Json } from '../../contract/json.js';
import type { Study } from '../../generated/study.js';
import { contentHash } from '../content/canonical.js';
import { sha256 } from '../content/sha256.js';
import { randomOf, shuffle } from './random.js';

/** A level of each variable, by the variable's name. */
export type Levels = Readonly<Record<string, string>>;

/** One combination of levels. */
export interface Condition {
  /** Its levels, joined by underscores in the order of their variables' names. */
  readonly id: string;
  readonly levels: Levels;
}

/** A world that a study runs. */
export interface StudyWorld {
  readonly world_slug: string;
  readonly seed: number;
  /** Those that have begun by its last turn: its scenario differs by these from the one that is written. */
  readonly levels: Levels;
  /** The shared world that it is a fork of; null where it begins at turn 0. */
  readonly forked: { readonly world_slug: string; readonly at_turn: number } | null;
  readonly last_turn: number;
}

/** A run: the world of one condition by one seed. */
export interface StudyRun extends StudyWorld {
  readonly condition: string;
}

/** What a study runs. */
export interface StudyDesign {
  readonly conditions: readonly Condition[];
  readonly seeds: readonly number[];
  /** Worlds whose turns several conditions share, each after the one that it is a fork of. No condition continues them. */
  readonly shared: readonly StudyWorld[];
  /** In the order in which they are run: shuffled, so that time is no variable of the study. */
  readonly runs: readonly StudyRun[];
}

/** The one condition of a study without variables. */
const ONLY_CONDITION = 'as-written';

/** The hash of what a study says. */
export function hashOfStudy({ $schema: _schema, ...study }: Study): string {
  return contentHash(study as unknown as Json);
}

/** Everything that a study runs. The same document gives the same design, in the same order. */
export function designStudy(study: Study): StudyDesign {
  const conditions = listConditions(study);
  const seeds = listSeeds(study);
  const runs = conditions.flatMap((condition) => seeds.map((seed) => toRun(study, condition, seed)));
  const shared = conditions.flatMap(({ levels }) =>
    seeds.flatMap((seed) => startsOf(study, levels).map((before) => toShared(study, levels, seed, before))),
  );
  const distinct = new Map(shared.map((world) => [world.world_slug, world]));
  return {
    conditions,
    seeds,
    shared: [...distinct.values()].toSorted((one, other) => one.last_turn - other.last_turn),
    runs: shuffle(runs, randomOf(`order of running ${hashOfStudy(study)}`)),
  };
}

/** Every combination of levels, in the order of names: that of a document's members says nothing. */
export function listConditions({ variables = {} }: Pick<Study, 'variables'>): readonly Condition[] {
  const named = Object.entries(variables).toSorted(byName);
  const combined = named.reduce<readonly Levels[]>(
    (before, [variable, { levels }]) =>
      before.flatMap((chosen) =>
        Object.keys(levels)
          .toSorted()
          .map((level) => ({ ...chosen, [variable]: level })),
      ),
    [{}],
  );
  return combined.map((levels) => ({ id: idOf(levels) || ONLY_CONDITION, levels }));
}

/** The conditions that have all the levels of one side of a comparison. */
export function selectConditions(conditions: readonly Condition[], side: Levels): readonly Condition[] {
  return conditions.filter(({ levels }) => Object.entries(side).every(([name, level]) => levels[name] === level));
}

/** The seeds, in ascending order. */
export function listSeeds({ seeds }: Pick<Study, 'seeds'>): readonly number[] {
  if (!('from' in seeds)) return seeds.toSorted((one, other) => one - other);
  return Array.from({ length: seeds.count }, (_, index) => seeds.from + index);
}

/** How many turns a study runs, and how many it would run if no conditions shared any. */
export function countTurns({ shared, runs }: StudyDesign): { readonly turns: number; readonly unshared: number } {
  const turnsOf = ({ forked, last_turn }: StudyWorld): number => last_turn - (forked?.at_turn ?? 0);
  return {
    turns: [...shared, ...runs].reduce((sum, world) => sum + turnsOf(world), 0),
    unshared: runs.reduce((sum, { last_turn }) => sum + last_turn, 0),
  };
}

/** The order of the agents by a seed, in each condition and on every machine the same. */
export function shuffleRoster<Agent>(agents: readonly Agent[], seed: number): readonly Agent[] {
  return shuffle(agents, randomOf(`roster ${seed}`));
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

function idOf(levels: Levels): string {
  return Object.entries(levels)
    .toSorted(byName)
    .map(([, level]) => level)
    .join('_');
}

/** The turns, in ascending order, with which variables begin that conditions share turns before. */
function startsOf({ variables = {} }: Study, levels: Levels): readonly number[] {
  const starts = Object.keys(levels).map((name) => variables[name]?.from_turn ?? 1);
  return [...new Set(starts)].filter((turn) => turn > 1).toSorted((one, other) => one - other);
}

function toRun(study: Study, { id, levels }: Condition, seed: number): StudyRun {
  return {
    condition: id,
    world_slug: slugOf(study, id, `s${seed}`),
    seed,
    levels,
    forked: findShared(study, levels, seed, Infinity),
    last_turn: study.turns,
  };
}

/** The world with the turns of a condition before one at which a variable begins. */
function toShared(study: Study, levels: Levels, seed: number, before: number): StudyWorld {
  const begun = begunBefore(study, levels, before);
  return {
    world_slug: slugOf(study, idOf(begun), `s${seed}-t${before - 1}`),
    seed,
    levels: begun,
    forked: findShared(study, levels, seed, before),
    last_turn: before - 1,
  };
}

/** The shared world that one with turns before a turn continues. */
function findShared(study: Study, levels: Levels, seed: number, before: number): StudyWorld['forked'] {
  const start = startsOf(study, levels).findLast((turn) => turn < before);
  if (start === undefined) return null;
  const { world_slug, last_turn } = toShared(study, levels, seed, start);
  return { world_slug, at_turn: last_turn };
}

function begunBefore({ variables = {} }: Study, levels: Levels, turn: number): Levels {
  return Object.fromEntries(Object.entries(levels).filter(([name]) => (variables[name]?.from_turn ?? 1) < turn));
}

const SLUG_MAX = 64;
const DIGEST_LENGTH = 12;

/** The name of a world of a study; where it would be too long, a digest stands for its middle. */
function slugOf({ label }: Study, condition: string, end: string): string {
  const slug = [label, condition, end].filter((part) => part !== '').join('-');
  if (slug.length <= SLUG_MAX) return slug;
  const rest = `-${sha256(slug).slice(0, DIGEST_LENGTH)}-${end}`;
  return `${label.slice(0, SLUG_MAX - rest.length).replace(/[-_]+$/, '')}${rest}`;
}
