import type { ListedAttempt, ListedMessage } from '../../ports/browse.js';
import { countComponents, type KindCount } from '../components.js';
import type { Archive, Done } from '../engine.js';
import { listWorlds } from '../worlds.js';
import type { ListedWorld } from './worlds.js';

/** What the first page shows. */
export interface Overview {
  readonly worlds: readonly ListedWorld[];
  readonly documents: readonly KindCount[];
  readonly inbox: readonly ListedMessage[];
}

/** All worlds, how many documents there are of each kind, and what is to be done. */
export async function browseOverview(archive: Archive): Promise<Done<Overview>> {
  const worlds = await listWorlds(archive);
  if (!worlds.ok) return worlds;
  const documents = await countComponents(archive);
  if (!documents.ok) return documents;
  const inbox = await archive.store.browse.inbox();
  return { ok: true, value: { worlds: worlds.value, documents: documents.value, inbox } };
}

/** What waits, and for whom. */
export interface Waiting {
  readonly messages: readonly ListedMessage[];
  /** Attempts that wait for an answer, or for a person who settles a call in doubt. */
  readonly attempts: readonly ListedAttempt[];
}

/** The messages of the inbox, and the attempts that wait for somebody. */
export async function browseInbox({ store }: Archive): Promise<Done<Waiting>> {
  return { ok: true, value: { messages: await store.browse.inbox(), attempts: await store.browse.waitingAttempts() } };
}
