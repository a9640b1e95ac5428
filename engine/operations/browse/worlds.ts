import { type Outcome, succeed } from '../../contract/problem.js';
import { present } from '../../contract/present.js';
import type { AttemptFilter, ListPart, Readable, WorldReading } from '../../ports/browse.js';
import type { StoredComponent } from '../../ports/components.js';
import type { OperatorActionRecord } from '../../ports/operator-actions.js';
import type { EffectOrigin, NarratedPatch, WorldRecord, WorldSnapshot } from '../../ports/worlds.js';
import type { Entity } from '../../core/world/world.js';
import type { AgentHeadRecord } from '../../core/agents/agent-turn.js';
import type { Archive } from '../engine.js';
import { diffPlaces, type WorldDiff } from '../worlds/diff-worlds.js';
import { type CostedAttempt, type Costing, readCost, withCosts } from '../costs/read-cost.js';
import {
  type ActiveWorld,
  lookAtWorld,
  showWorld,
  type ShownWorld,
  unknownWorld,
  withActivity,
} from '../worlds/worlds.js';
import { toTurn } from './list-part.js';

const TURNS_SHOWN = 10;
const TURNS_DRAWN = 100;
/** How many readings one page reads: the latest of those turns. */
const READINGS_READ = 500;
const ATTEMPTS_LISTED = 20;
const FAMILY_DRAWN = 50;
const SCENARIOS_OFFERED = 50;

/** The stored scenarios by label, at most 50: a fork may take one of them. */
interface Forkable {
  readonly offered_scenarios: readonly StoredComponent[];
}

async function readForkable({ store }: Archive): Promise<Forkable> {
  return { offered_scenarios: await store.browse.documents('scenario', { limit: SCENARIOS_OFFERED }) };
}

/** A patch with the values before and after it. */
export interface PatchStory extends NarratedPatch {
  readonly effects: readonly EffectOrigin[];
}

export interface TurnStory {
  readonly turn: number;
  readonly simulation_time: string;
  readonly attempt_id: string;
  readonly patches: readonly PatchStory[];
}

export interface WorldPage extends ShownWorld, Forkable {
  readonly agents: readonly AgentHeadRecord[];
  /** The latest turn first; at most 10 of them. */
  readonly story: readonly TurnStory[];
  /** The latest turn of the world; `turn` is the one whose state and story are shown. */
  readonly last_turn: number;
  /** The latest turn before those that are shown; null where all are. */
  readonly earlier: number | null;
  /** The last of the turns after those that are shown; null where there are none. */
  readonly later: number | null;
  /** At most 500, of the latest turns. */
  readonly readings: readonly WorldReading[];
  /** The latest first; at most 20 of them. */
  readonly attempts: readonly CostedAttempt[];
  /** The worlds that share turns with it, itself among them; at most 50 of them. */
  readonly family: readonly WorldRecord[];
  readonly operator_actions: readonly OperatorActionRecord[];
}

/** A world: its state, its story, and its attempts. */
export async function browseWorld(
  archive: Archive,
  asked: { readonly world_slug: string; readonly until?: string },
): Promise<Outcome<WorldPage>> {
  const { world_slug } = asked;
  const until = toTurn(asked.until);
  if (!until.ok) return until;
  const world = await lookAtWorld(archive, present({ world_slug, turn: until.value }));
  if (!world.ok) return world;
  const last_turn =
    (until.value === undefined ? undefined : await archive.store.worlds.find(world_slug))?.turn ?? world.value.turn;
  const last = until.value ?? last_turn;
  const after = Math.max(0, last - TURNS_SHOWN);
  const { store } = archive;
  const attempts = await store.browse.attempts({ world_slug, limit: ATTEMPTS_LISTED });
  const readings = await store.browse.readings(world_slug, {
    after: Math.max(0, last - TURNS_DRAWN),
    until: last,
    limit: READINGS_READ,
  });
  const family = await store.browse.family(world_slug, FAMILY_DRAWN);
  return succeed({
    ...world.value,
    turn: last,
    last_turn,
    agents: await store.records.agents(world_slug),
    story: await readTurnStories(archive, world_slug, { after, until: last }),
    earlier: after > 0 ? after : null,
    later: last < last_turn ? Math.min(last_turn, last + TURNS_SHOWN) : null,
    readings,
    attempts: await withCosts(archive, world_slug, attempts),
    family,
    operator_actions: await store.actions.list({ world_slug }),
    ...(await readForkable(archive)),
  });
}

/** Its cost is that of all attempts at it. */
export interface TurnPage extends WorldSnapshot, Forkable, Costing {
  readonly last_turn: number;
  readonly story: TurnStory | null;
  readonly readings: readonly WorldReading[];
  readonly attempts: readonly CostedAttempt[];
}

/** A world at the end of a turn, and the effects that led to it. */
export async function browseTurn(archive: Archive, asked: TextPlace): Promise<Outcome<TurnPage>> {
  const snapshot = await lookAtTurn(archive, asked);
  if (!snapshot.ok) return snapshot;
  const { world_slug, turn } = snapshot.value;
  const { store } = archive;
  const only = { after: turn - 1, until: turn };
  const [story = null] = await readTurnStories(archive, world_slug, only);
  const world = await store.worlds.find(world_slug);
  const attempts = await store.browse.attemptsAtTurn({ world_slug, turn, limit: ATTEMPTS_LISTED });
  return succeed({
    ...snapshot.value,
    last_turn: world?.turn ?? turn,
    story,
    readings: await store.browse.readings(world_slug, { ...only, limit: READINGS_READ }),
    attempts: await withCosts(archive, world_slug, attempts),
    cost: await readCost(archive, { of: 'turn', world_slug, turn }),
    ...(await readForkable(archive)),
  });
}

/** The differences between two turns of a world, or between two worlds, with blame. */
export async function browseDiff(
  archive: Archive,
  asked: { readonly world_slug: string } & Readonly<Partial<Record<'from' | 'to' | 'other' | 'entity', string>>>,
): Promise<Outcome<WorldDiff>> {
  const { world_slug, other, entity } = asked;
  const from = toTurn(asked.from);
  if (!from.ok) return from;
  const to = toTurn(asked.to);
  if (!to.ok) return to;
  const first = other === undefined ? (from.value ?? 0) : from.value;
  return diffPlaces(archive, {
    from: present({ world_slug, turn: first }),
    to: present({ world_slug: other ?? world_slug, turn: to.value }),
    blame: true,
    ...present({ entity }),
  });
}

export type ListedWorld = ActiveWorld & Readable;

/** A part of all worlds, or of those with a given scenario, with the queue of each. */
export async function listWorldsPart(
  { store }: Archive,
  part: ListPart,
  scenario_hash?: string,
): Promise<Outcome<readonly ListedWorld[]>> {
  const worlds = await store.browse.worlds(part, scenario_hash);
  return succeed(await withActivity({ store }, worlds));
}

/** A part of a world's attempts, the latest first. */
export async function listAttemptsPart(
  archive: Archive,
  wanted: AttemptFilter & ListPart,
): Promise<Outcome<readonly CostedAttempt[]>> {
  const { worlds, browse } = archive.store;
  if ((await worlds.find(wanted.world_slug)) === undefined) return unknownWorld(archive, wanted.world_slug);
  return succeed(await withCosts(archive, wanted.world_slug, await browse.attempts(wanted)));
}

/** A part of the patches of a turn, in the order of their application. */
export async function listPatchesPart(
  archive: Archive,
  place: TextPlace,
  { after = '0', limit }: ListPart,
): Promise<Outcome<readonly PatchStory[]>> {
  const world = await lookAtTurn(archive, place);
  if (!world.ok) return world;
  const { world_slug, turn } = world.value;
  const [story] = await readTurnStories(archive, world_slug, { after: turn - 1, until: turn });
  const later = (story?.patches ?? []).filter(({ patch_seq }) => patch_seq > Number(after));
  return succeed(later.slice(0, limit));
}

/** A part of the entities of a world as they were at the end of a turn, by id. */
export async function listEntitiesPart(
  archive: Archive,
  place: TextPlace,
  { after = '', limit }: ListPart,
): Promise<Outcome<readonly Entity[]>> {
  const world = await lookAtTurn(archive, place);
  if (!world.ok) return world;
  const later = world.value.entities.filter(({ id }) => id > after);
  return succeed(later.toSorted((one, other) => (one.id < other.id ? -1 : 1)).slice(0, limit));
}

/** A world at a turn, as a path names it. */
interface TextPlace {
  readonly world_slug: string;
  readonly turn: string;
}

async function lookAtTurn(archive: Archive, { world_slug, turn }: TextPlace): Promise<Outcome<WorldSnapshot>> {
  const wanted = toTurn(turn);
  if (!wanted.ok) return wanted;
  const number = wanted.value ?? 0;
  const world = await showWorld(archive, { world_slug, turn: number });
  return world.ok ? succeed({ ...world.value, turn: number }) : world;
}

/** Tells the turns of a world after one, up to another: the latest first. */
export async function readTurnStories(
  { store }: Archive,
  world_slug: string,
  turns: { readonly after: number; readonly until: number },
): Promise<readonly TurnStory[]> {
  const patches = await store.worlds.patches(world_slug, turns);
  const effects = await store.worlds.effects(world_slug, turns);
  const effectsOf = new Map<string, EffectOrigin[]>();
  for (const effect of effects) {
    const own = effectsOf.get(keyOfPatch(effect));
    if (own === undefined) effectsOf.set(keyOfPatch(effect), [effect]);
    else own.push(effect);
  }
  const stories = new Map<number, TurnStory & { readonly patches: PatchStory[] }>();
  for (const patch of patches) {
    const { turn, simulation_time, attempt_id } = patch;
    const story = stories.get(turn) ?? { turn, simulation_time, attempt_id, patches: [] };
    story.patches.push({ ...patch, effects: effectsOf.get(keyOfPatch(patch)) ?? [] });
    stories.set(turn, story);
  }
  return [...stories.values()].toReversed();
}

const keyOfPatch = ({ turn, patch_seq }: { readonly turn: number; readonly patch_seq: number }): string =>
  `${turn} ${patch_seq}`;
