import { type Outcome, problem, type Problem, refuse, type Refused, succeed } from '../../contract/problem.js';
import { present } from '../../contract/present.js';
import { setTimeout as wait } from 'node:timers/promises';
import { FAILURE_CLASSES } from '../../contract/failure-class.js';
import { suggestName } from '../../core/content/nearest-name.js';
import { SEARCH_KINDS, type SearchHit, type SearchKind, type SearchQuestion } from '../../ports/search.js';
import { type Part, readPart, toTurn, type WantedPart } from './list-part.js';
import { type Archive, whileReachable } from '../engine.js';
import { toEntityIds } from '../worlds/entities.js';
import { unknownWorld } from '../worlds/worlds.js';

/** How many ended attempts one search indexes before it answers. */
const INDEXED_AT_ONCE = 20;
const BATCH = 50;
/** The pause between two batches, because turns have priority. */
const PAUSE_MS = 100;
const IDLE_MS = 10_000;
/** A server that has just started serves pages first. */
const FIRST_MS = 2_000;
const WORDS_LENGTH_MAX = 200;
const FILTER_LENGTH_MAX = 256;

export interface WantedSearch extends WantedPart {
  readonly q?: string;
  readonly kind?: string;
  readonly world?: string;
  readonly turn?: string;
  readonly subject?: string;
  readonly source?: string;
  readonly failure?: string;
}

/** Texts that were found: prompts last, the latest attempts first, and of one attempt those that fit best. */
export interface Found extends Part<SearchHit> {
  /** Whether every ended attempt is indexed; the latest ones may be missing otherwise. */
  readonly is_complete: boolean;
}

/**
 * Finds narrations, states, prompts, answers and results. Texts are indexed after their attempt has ended, so that no
 * turn waits for it; a small backlog is indexed here.
 * @returns a refusal of an invalid query, or of an unknown filter; no hits for an empty query
 */
export async function search(archive: Archive, wanted: WantedSearch): Promise<Outcome<Found>> {
  const { store } = archive;
  const question = toQuestion(wanted);
  if (!question.ok) return question;
  const is_complete = (await store.search.catchUp(INDEXED_AT_ONCE)) < INDEXED_AT_ONCE;
  const isAsked = Object.keys(question.value).length > 0;
  const part = await readPart<SearchHit>(wanted, {
    cursor: 'entry',
    keyOf: ({ entry }) => entry,
    read: async (rows) => succeed(isAsked ? await store.search.find(question.value, rows) : []),
  });
  if (!part.ok) return part;
  const { rows, next } = part.value;
  const unknown = rows.length === 0 ? await findUnknownFilter(archive, question.value) : undefined;
  return unknown ?? succeed({ rows: bestFirst(rows), next, is_complete });
}

/** Prompts last, and the latest attempts first, as they are read; of one attempt, the texts that fit the words best. */
function bestFirst(rows: readonly SearchHit[]): readonly SearchHit[] {
  const groupOf = ({ kind, attempt_id }: SearchHit): string => `${kind === 'prompt'} ${attempt_id}`;
  const groups = [...new Set(rows.map(groupOf))];
  return groups.flatMap((group) =>
    rows.filter((row) => groupOf(row) === group).toSorted((one, other) => other.rank - one.rank),
  );
}

/** Why nothing can be found: no text has the value of a filter. */
async function findUnknownFilter(
  archive: Archive,
  { world_slug, subject, source, failure }: SearchQuestion,
): Promise<Refused | undefined> {
  const { search: texts, worlds } = archive.store;
  if (world_slug !== undefined && (await worlds.find(world_slug)) === undefined)
    return unknownWorld(archive, world_slug);
  if (failure !== undefined && !Object.hasOwn(FAILURE_CLASSES, failure))
    return refuse(filterUnknown('failure class', failure, Object.keys(FAILURE_CLASSES)));
  for (const [of, name] of Object.entries({ subject, source })) {
    if (name === undefined) continue;
    const known = await texts.names(of as 'subject' | 'source', world_slug);
    if (!known.includes(name)) return refuse(filterUnknown(of, name, known));
  }
  return undefined;
}

function filterUnknown(what: string, name: string, known: readonly string[]): Problem {
  return problem('SEARCH_FILTER_UNKNOWN', {
    what,
    name,
    ...(known.length === 0 ? {} : { known: suggestName(name, known) }),
  });
}

function toQuestion({ q, kind, world, turn, source, failure, ...wanted }: WantedSearch): Outcome<SearchQuestion> {
  const at = toTurn(turn === '' ? undefined : turn);
  if (!at.ok) return at;
  const ids = toEntityIds({ subject: wanted.subject || undefined });
  if (!ids.ok) return ids;
  const { subject } = ids.value;
  const words = q?.trim();
  if ((words?.length ?? 0) > WORDS_LENGTH_MAX) return refuse(searchInvalid(`more than ${WORDS_LENGTH_MAX} characters`));
  if (kind !== undefined && kind !== '' && !isKind(kind)) return refuse(searchInvalid('a kind that no text has'));
  const filters = { world_slug: world, subject, source, failure };
  if (Object.values(filters).some((value) => (value?.length ?? 0) > FILTER_LENGTH_MAX))
    return refuse(searchInvalid('a filter that nothing can match'));
  const said = Object.entries({ words, kind, ...filters }).filter(([, value]) => value !== undefined && value !== '');
  return succeed({ ...Object.fromEntries(said), ...present({ turn: at.value }) });
}

function isKind(kind: string): kind is SearchKind {
  return SEARCH_KINDS.some((known) => known === kind);
}

function searchInvalid(has: string): Problem {
  return problem('SEARCH_INVALID', { has, length_max: WORDS_LENGTH_MAX, kinds: SEARCH_KINDS });
}

/** Indexes everything that has ended so far. */
export async function catchUpWhole({ store }: Archive): Promise<void> {
  while ((await store.search.catchUp(BATCH)) === BATCH);
}

/** Indexes ended attempts while a server runs, until it is stopped. */
export async function keepCaughtUp(archive: Archive, signal: AbortSignal): Promise<void> {
  const pause = (milliseconds: number): Promise<void> => wait(milliseconds, undefined, { signal }).catch(() => {});
  await pause(FIRST_MS);
  while (!signal.aborted) {
    // A lost database is tried again later; a search reports it meanwhile.
    const taken = await whileReachable(archive, async ({ store }) => succeed(await store.search.catchUp(BATCH)));
    const isBehind = taken.ok && taken.value === BATCH;
    await pause(isBehind ? PAUSE_MS : IDLE_MS);
  }
}
