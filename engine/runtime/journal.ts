import type { AgentBook, CallPointer } from '../core/agents/book.js';
import type { AttemptEnding } from '../core/agents/end-turns.js';
import type { AgentTransition } from '../core/agents/transition.js';
import type { CallFinish, CallStart, CallsWrite } from '../ports/attempts.js';
import { type AgentNotes, tell, tellEnding, type Told } from './agent-notes.js';

/** How many calls a statement writes at most: each number of them makes a statement of its own. */
const CALLS_MAX = 4;

/** What becomes of a call. */
export type CallWrite =
  | { readonly kind: 'finished'; readonly finish: CallFinish }
  | { readonly kind: 'started'; readonly start: CallStart };

/** A statement of its own that tells of agents. */
export interface Tale<Result> {
  /** What it means for them. */
  readonly transitions?: readonly AgentTransition[];
  /** The attempt ends with it, and so do the turns of its agents. */
  readonly ending?: AttemptEnding;
  write(told: Told): Promise<Result>;
  /** Where it says no, nothing has happened. */
  hasLanded?(result: Result): boolean;
}

/** Something that waits to be written, with what was noted before it. */
interface Entry {
  readonly noted: readonly AgentTransition[];
  readonly what: CallWrite | (() => Promise<void>);
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * What a driver writes, in its order: each statement waits for the one before. What becomes of calls at one time goes
 * into one statement, so that the end of a call and the start of those that follow cost one. Once a write has failed,
 * all that come after it fail alike, since they build on it.
 */
export interface Journal {
  /** Writes them by one statement, or throws. */
  readonly writeCalls: (calls: CallsWrite) => Promise<void>;
  /** The calls that have a row, or get one by the next statement. */
  readonly pointers: Map<string, CallPointer>;
  notes: AgentNotes;
  /** Noted since the last entry. */
  noted: readonly AgentTransition[];
  waiting: readonly Entry[];
  writing: Promise<void> | undefined;
  broken: { readonly error: unknown } | undefined;
}

/** A journal in which nothing waits. */
export function openJournal(book: AgentBook, writeCalls: Journal['writeCalls']): Journal {
  const empty = { noted: [], waiting: [], writing: undefined, broken: undefined };
  return { writeCalls, pointers: new Map(), notes: { book, unwritten: [] }, ...empty };
}

/** Remembers transitions of agents for the next write. */
export function note(journal: Journal, transitions: readonly AgentTransition[] = []): void {
  journal.noted = [...journal.noted, ...transitions];
}

/**
 * Writes what becomes of a call.
 * @returns once it is durable
 * @throws whatever its statement throws
 */
export function writeCall(journal: Journal, call: CallWrite): Promise<void> {
  return put(journal, call);
}

/**
 * Writes a statement of its own, once all before it are written.
 * @returns what it answers
 * @throws whatever it throws
 */
export async function writeAlone<Result>(journal: Journal, write: () => Promise<Result>): Promise<Result> {
  const results: Result[] = [];
  await put(journal, async () => void results.push(await write()));
  const [result] = results;
  return result as Result;
}

/** Writes a statement of its own together with what there is to tell of agents. */
export function writeTale<Result>(journal: Journal, tale: Tale<Result>): Promise<Result> {
  return writeAlone(journal, () => writeTold(journal, tale));
}

/** Gives up what has not been written, and begins afresh with what has. @returns once nothing is being written */
export async function forget(journal: Journal): Promise<void> {
  journal.broken ??= { error: new Error('the driver has given up what it had to write') };
  await journal.writing;
  journal.broken = undefined;
  journal.noted = [];
  journal.notes = { ...journal.notes, unwritten: [] };
}

function put(journal: Journal, what: Entry['what']): Promise<void> {
  return new Promise((resolve, reject) => {
    journal.waiting = [...journal.waiting, { what, noted: journal.noted, resolve, reject }];
    journal.noted = [];
    journal.writing ??= writeAll(journal);
  });
}

async function writeAll(journal: Journal): Promise<void> {
  // What follows from one thing is put within one turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  while (journal.waiting.length > 0) await writeNext(journal);
  journal.writing = undefined;
}

async function writeNext(journal: Journal): Promise<void> {
  const batch = nextBatch(journal.waiting);
  journal.waiting = journal.waiting.slice(batch.length);
  const { book, unwritten } = journal.notes;
  journal.notes = { book, unwritten: [...unwritten, ...batch.flatMap(({ noted }) => noted)] };
  try {
    if (journal.broken) throw journal.broken.error;
    await writeBatch(journal, batch);
    for (const entry of batch) entry.resolve();
  } catch (error) {
    journal.broken ??= { error };
    for (const entry of batch) entry.reject(error);
  }
}

/** What goes into the next statement: calls together, all else alone. */
function nextBatch(waiting: readonly Entry[]): readonly Entry[] {
  const calls = waiting.findIndex(({ what }) => typeof what === 'function');
  return waiting.slice(0, Math.max(1, Math.min(CALLS_MAX, calls === -1 ? waiting.length : calls)));
}

async function writeBatch(journal: Journal, batch: readonly Entry[]): Promise<void> {
  const started: CallStart[] = [];
  const finished: CallFinish[] = [];
  for (const { what } of batch) {
    if (typeof what === 'function') return what();
    if (what.kind === 'started') started.push(what.start);
    else finished.push(what.finish);
  }
  for (const start of started) journal.pointers.set(start.command.key, start);
  const { told, after } = tell(journal.notes, (key) => journal.pointers.get(key));
  await journal.writeCalls({ finished, started, ...told });
  journal.notes = after;
}

async function writeTold<Result>(journal: Journal, tale: Tale<Result>): Promise<Result> {
  const { book, unwritten } = journal.notes;
  const notes = { book, unwritten: [...unwritten, ...(tale.transitions ?? [])] };
  const findPointer = (key: string): CallPointer | undefined => journal.pointers.get(key);
  const { told, after } = tale.ending ? tellEnding(notes, tale.ending, findPointer) : tell(notes, findPointer);
  const result = await tale.write(told);
  if (tale.hasLanded?.(result) !== false) journal.notes = after;
  return result;
}
