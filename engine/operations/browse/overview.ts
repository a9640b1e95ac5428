import type { ListedAttempt, ListedMessage, ListPart } from '../../ports/browse.js';
import { countComponents, type KindCount } from '../components.js';
import type { Archive, Done } from '../engine.js';
import { LIMIT, type Part, readPart, type WantedPart } from './list-part.js';
import { listWorldsPart, type ListedWorld } from './worlds.js';

/** What the first page shows. */
export interface Overview {
  /** The first by name. */
  readonly worlds: Part<ListedWorld>;
  readonly documents: readonly KindCount[];
  /** The oldest messages. */
  readonly inbox: readonly ListedMessage[];
}

/** Worlds, how many documents there are of each kind, and what is to be done. */
export async function browseOverview(archive: Archive): Promise<Done<Overview>> {
  const worlds = await readPart<ListedWorld>(
    {},
    { cursor: 'name', keyOf: ({ world_slug }) => world_slug, read: (part) => listWorldsPart(archive, part) },
  );
  if (!worlds.ok) return worlds;
  const documents = await countComponents(archive);
  if (!documents.ok) return documents;
  const inbox = await archive.store.browse.inbox({ limit: LIMIT });
  return { ok: true, value: { worlds: worlds.value, documents: documents.value, inbox } };
}

/** What waits, and for whom. */
export interface Waiting extends Part<ListedMessage> {
  /** Attempts that wait for an answer, or for a person who settles a call in doubt. */
  readonly attempts: readonly ListedAttempt[];
}

/** A part of the messages of the inbox, and the attempts that wait for somebody. */
export async function browseInbox({ store }: Archive, wanted: WantedPart): Promise<Done<Waiting>> {
  const messages = await readPart<ListedMessage>(wanted, {
    cursor: 'id',
    keyOf: ({ inbox_id }) => inbox_id,
    read: async (part: ListPart) => ({ ok: true, value: await store.browse.inbox(part) }),
  });
  if (!messages.ok) return messages;
  return { ok: true, value: { ...messages.value, attempts: await store.browse.waitingAttempts() } };
}
