import { setTimeout as wait } from 'node:timers/promises';
import type { Problem } from '../contract/problem.js';
import { SEARCH_KINDS, type SearchHit, type SearchKind, type SearchQuestion } from '../ports/search.js';
import { type Part, readPart, toTurn, type WantedPart } from './browse/list-part.js';
import { type Archive, type Done, refuse, whileReachable } from './engine.js';

/** How many attempts one search takes in before it looks. */
const TAKEN_IN = 20;
/** How many are taken in at a time where nobody waits. */
const BATCH = 50;
/** Between two batches: turns go before. */
const PAUSE_MS = 100;
/** Where nothing was left to take in. */
const IDLE_MS = 10_000;
const WORDS_LENGTH_MAX = 200;
const FILTER_LENGTH_MAX = 256;

/** What a reader searches for, as it was written. */
export interface WantedSearch extends WantedPart {
  readonly q?: string;
  readonly kind?: string;
  readonly world?: string;
  readonly turn?: string;
  readonly subject?: string;
  readonly source?: string;
  readonly failure?: string;
}

/** Texts that were found, of the latest attempts first. */
export interface Found extends Part<SearchHit> {
  /** Whether every attempt that has ended was searched; the latest ones may be missing otherwise. */
  readonly is_complete: boolean;
}

/**
 * Finds narrations, states, prompts, answers and results. Texts are taken in after their attempt has ended, so that no turn
 * waits for it: what is left to do is done here, as far as it is little.
 * @returns a refusal of a question that cannot be asked; nothing where nothing is asked
 */
export async function search({ store }: Archive, wanted: WantedSearch): Promise<Done<Found>> {
  const question = toQuestion(wanted);
  if (!question.ok) return question;
  const is_complete = (await store.search.catchUp(TAKEN_IN)) < TAKEN_IN;
  const isAsked = Object.keys(question.value).length > 0;
  const part = await readPart<SearchHit>(wanted, {
    cursor: 'entry',
    keyOf: ({ entry }) => entry,
    read: async (rows) => ({ ok: true, value: isAsked ? await store.search.find(question.value, rows) : [] }),
  });
  return part.ok ? { ok: true, value: { ...part.value, is_complete } } : part;
}

function toQuestion({ q, kind, world, turn, subject, source, failure }: WantedSearch): Done<SearchQuestion> {
  const at = toTurn(turn === '' ? undefined : turn);
  if (!at.ok) return at;
  const words = q?.trim();
  if ((words?.length ?? 0) > WORDS_LENGTH_MAX) return refuse(searchInvalid(`more than ${WORDS_LENGTH_MAX} characters`));
  if (kind !== undefined && kind !== '' && !isKind(kind)) return refuse(searchInvalid('a kind that no text has'));
  const filters = { world_slug: world, subject, source, failure };
  if (Object.values(filters).some((value) => (value?.length ?? 0) > FILTER_LENGTH_MAX))
    return refuse(searchInvalid('a filter that nothing can match'));
  const said = Object.entries({ words, kind, ...filters }).filter(([, value]) => value !== undefined && value !== '');
  return { ok: true, value: { ...Object.fromEntries(said), ...(at.value === undefined ? {} : { turn: at.value }) } };
}

function isKind(kind: string): kind is SearchKind {
  return SEARCH_KINDS.some((known) => known === kind);
}

function searchInvalid(has: string): Problem {
  return {
    code: 'SEARCH_INVALID',
    message: `The search has ${has}.`,
    repair: `Write at most ${WORDS_LENGTH_MAX} characters; the kinds are ${SEARCH_KINDS.join(', ')}.`,
  };
}

/** Lets everything that has ended so far be found. */
export async function catchUpWhole({ store }: Archive): Promise<void> {
  while ((await store.search.catchUp(BATCH)) === BATCH);
}

/** Lets what ends be found while a server runs, until it is told to stop. */
export async function keepCaughtUp(archive: Archive, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    // A database that is away is looked for again later; whoever searches meanwhile is told so.
    const taken = await whileReachable(archive, async ({ store }) => ({
      ok: true,
      value: await store.search.catchUp(BATCH),
    }));
    const isBehind = taken.ok && taken.value === BATCH;
    await wait(isBehind ? PAUSE_MS : IDLE_MS, undefined, { signal }).catch(() => {});
  }
}
