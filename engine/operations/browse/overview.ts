import { type Outcome, succeed } from '../../contract/problem.js';
import type { ApprovalRecord } from '../../ports/approvals.js';
import type { ListedMessage, ListPart, WaitingAttempt, WorldActivity } from '../../ports/browse.js';
import { compareWorldStates, stateOfWorld } from '../../core/protocol/work-state.js';
import { countComponents, type KindCount } from '../authoring/components.js';
import type { Archive } from '../engine.js';
import type { WorldQueue } from '../../ports/inbox.js';
import { toQueued } from '../running/queue.js';
import { LIMIT, type Part, readPart, type WantedPart } from './list-part.js';
import { listWorldsPart, type ListedWorld, readTurnStories, type TurnStory } from './worlds.js';

/** The latest turn of a world in which a model was asked lately. */
export interface LatestTurn {
  readonly world_slug: string;
  /** With its first 3 patches. */
  readonly story: TurnStory;
}

/** A world in which an attempt is under way, waits for somebody, or came to no good end. */
export interface StirringWorld extends WorldActivity {
  readonly state: string;
}

export interface Overview {
  /** The one that needs a person most first; at most 20. */
  readonly stirring: readonly StirringWorld[];
  /** The first by name. */
  readonly worlds: Part<ListedWorld>;
  /** Null where no such world has a turn. */
  readonly latest: LatestTurn | null;
  readonly documents: readonly KindCount[];
  /** The oldest messages; none for consumers. */
  readonly inbox: readonly ListedMessage[];
}

/** Worlds, the number of documents of each kind, and, for operators, pending work. */
export async function browseOverview(archive: Archive, reader: 'consumer' | 'operator'): Promise<Outcome<Overview>> {
  const worlds = await readPart<ListedWorld>(
    {},
    { cursor: 'name', keyOf: ({ world_slug }) => world_slug, read: (part) => listWorldsPart(archive, part) },
  );
  if (!worlds.ok) return worlds;
  const documents = await countComponents(archive);
  if (!documents.ok) return documents;
  const inbox = reader === 'operator' ? await archive.store.browse.inbox({ limit: LIMIT }) : [];
  const stirring = await listStirring(archive);
  return succeed({
    stirring,
    worlds: worlds.value,
    latest: await findLatest(archive),
    documents: documents.value,
    inbox,
  });
}

const STIRRING_SHOWN = 20;

async function listStirring({ store }: Archive): Promise<readonly StirringWorld[]> {
  const worlds = await store.browse.stirred();
  return worlds
    .map((world) => ({ ...world, state: stateOfWorld(world, { queued_turns: 0 }) }))
    .filter(({ state }) => state !== 'at rest')
    .toSorted((a, b) => compareWorldStates(a.state, b.state) || b.last_at.localeCompare(a.last_at))
    .slice(0, STIRRING_SHOWN);
}

/** How many of the latest generations are looked through for a world that has a turn. */
const CALLS_SEEN = 20;
const PATCHES_SHOWN = 3;

async function findLatest(archive: Archive): Promise<LatestTurn | null> {
  const { browse, worlds } = archive.store;
  const calls = await browse.llmCalls({ limit: CALLS_SEEN });
  for (const world_slug of new Set(calls.map((call) => call.world_slug))) {
    const turn = (await worlds.find(world_slug))?.turn ?? 0;
    const [story] = turn === 0 ? [] : await readTurnStories(archive, world_slug, { after: turn - 1, until: turn });
    if (story !== undefined) return { world_slug, story: { ...story, patches: story.patches.slice(0, PATCHES_SHOWN) } };
  }
  return null;
}

/** What waits in one world. */
export interface WaitingWorld extends WorldQueue {
  readonly waiting_attempts: number;
  /** The calls that these wait for, as far as they are listed. */
  readonly waited_calls: number;
}

/** Pending messages and suspended attempts. */
export interface Waiting extends Part<ListedMessage> {
  /** The worlds with queued turns or waiting attempts, by name. */
  readonly worlds: readonly WaitingWorld[];
  /** Attempts that are suspended until an answer, or until a person settles a call in doubt. */
  readonly attempts: readonly WaitingAttempt[];
  /** The calls that wait for a person, by world, the oldest first; at most 200. */
  readonly approvals: readonly ApprovalRecord[];
}

/** A part of the messages of the inbox, and the suspended attempts. */
export async function browseInbox({ store }: Archive, wanted: WantedPart): Promise<Outcome<Waiting>> {
  const messages = await readPart<ListedMessage>(wanted, {
    cursor: 'id',
    keyOf: ({ inbox_id }) => inbox_id,
    read: async (part: ListPart) => succeed(await store.browse.inbox(part)),
  });
  if (!messages.ok) return messages;
  const attempts = await store.browse.waitingAttempts();
  const asked = await store.approvals.list({ status: 'waiting', limit: APPROVALS_SHOWN });
  const approvals = asked.toReversed().toSorted((left, right) => left.world_slug.localeCompare(right.world_slug));
  const worlds = toWorlds(await store.inbox.queues(), attempts);
  return succeed({ ...messages.value, worlds, attempts, approvals });
}

const APPROVALS_SHOWN = 200;

function toWorlds(queues: readonly WorldQueue[], attempts: readonly WaitingAttempt[]): readonly WaitingWorld[] {
  const slugs = new Set([...queues, ...attempts].map(({ world_slug }) => world_slug));
  return [...slugs].toSorted().map((world_slug) => {
    const own = attempts.filter((attempt) => attempt.world_slug === world_slug);
    const waited_calls = own.reduce((sum, { waits_for }) => sum + waits_for.length, 0);
    return { world_slug, ...toQueued(queues, world_slug), waiting_attempts: own.length, waited_calls };
  });
}
