import type { AgentBook, CallPointer } from '../core/agents/book.js';
import type { AttemptEnding } from '../core/agents/end-turns.js';
import type { AgentTransition } from '../core/agents/transition.js';
import type { CallFinish, CallStart, CallsWrite } from '../ports/attempts.js';
import { type AgentNotes, tell, tellEnding, type Told } from './agent-notes.js';

/** How many calls a statement writes at most: each number of them makes a statement of its own. */
const CALLS_MAX = 4;

/** How long the end of a call from which nothing follows waits for those of others, in milliseconds. */
const LINGER_MS = 2;

/** What becomes of a call. */
export type CallWrite =
  | {
      readonly kind: 'finished';
      readonly finish: CallFinish;
      /** Nothing follows from it: it goes with the next write, if that comes soon. */
      readonly can_wait?: boolean;
    }
  | { readonly kind: 'started'; readonly start: CallStart };

/** A statement of its own that tells of agents. */
export interface Tale<Result> {
  /** What it means for them. */
  readonly transitions?: readonly AgentTransition[];
  /** The attempt ends with it, and so do the turns of its agents. */
  readonly ending?: AttemptEnding;
  /** @param answer the end of a call that is to be written by the same statement */
  write(told: Told, answer?: CallFinish): Promise<Result>;
  /** Whether it can write the end of a generation, too. */
  readonly takes_answer?: boolean;
  /** Where it says no, nothing has happened. */
  hasLanded?(result: Result): boolean;
}

interface Lone {
  readonly kind: 'alone';
  readonly takes_answer: boolean;
  write(answer?: CallFinish): Promise<void>;
}

/** Something that waits to be written, with what was noted before it. */
interface Entry {
  readonly noted: readonly AgentTransition[];
  readonly what: CallWrite | Lone;
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
  readonly linger_ms: number;
  /** The calls that have a row, or get one by the next statement. */
  readonly pointers: Map<string, CallPointer>;
  notes: AgentNotes;
  /** Noted since the last entry. */
  noted: readonly AgentTransition[];
  waiting: readonly Entry[];
  writing: Promise<void> | undefined;
  /** Set while something waits that can. */
  hurry: (() => void) | undefined;
  broken: { readonly error: unknown } | undefined;
}

/** A journal in which nothing waits. */
export function openJournal(
  book: AgentBook,
  writeCalls: Journal['writeCalls'],
  linger_ms: number = LINGER_MS,
): Journal {
  const empty = { noted: [], waiting: [], writing: undefined, hurry: undefined, broken: undefined };
  return { writeCalls, linger_ms, pointers: new Map(), notes: { book, unwritten: [] }, ...empty };
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
export function writeAlone<Result>(journal: Journal, write: () => Promise<Result>): Promise<Result> {
  return putAlone(journal, write, false);
}

/** Writes a statement of its own together with what there is to tell of agents. */
export function writeTale<Result>(journal: Journal, tale: Tale<Result>): Promise<Result> {
  return putAlone(journal, (answer) => writeTold(journal, tale, answer), tale.takes_answer === true);
}

/** Gives up what has not been written, and begins afresh with what has. @returns once nothing is being written */
export async function forget(journal: Journal): Promise<void> {
  journal.broken ??= { error: new Error('the driver has given up what it had to write') };
  await journal.writing;
  journal.broken = undefined;
  journal.noted = [];
  journal.notes = { ...journal.notes, unwritten: [] };
}

async function putAlone<Result>(
  journal: Journal,
  write: (answer?: CallFinish) => Promise<Result>,
  takes_answer: boolean,
): Promise<Result> {
  const results: Result[] = [];
  const lone: Lone = { kind: 'alone', takes_answer, write: async (answer) => void results.push(await write(answer)) };
  await put(journal, lone);
  const [result] = results;
  return result as Result;
}

function put(journal: Journal, what: Entry['what']): Promise<void> {
  return new Promise((resolve, reject) => {
    journal.waiting = [...journal.waiting, { what, noted: journal.noted, resolve, reject }];
    journal.noted = [];
    journal.writing ??= writeAll(journal);
    if (!canWait(what)) journal.hurry?.();
  });
}

function canWait(what: Entry['what']): boolean {
  return what.kind === 'finished' && what.can_wait === true;
}

async function writeAll(journal: Journal): Promise<void> {
  while (journal.waiting.length > 0) {
    await gather(journal);
    await writeNext(journal);
  }
  journal.writing = undefined;
}

/** What follows from one thing is put within one turn of the event loop; what nothing follows from waits a little. */
function gather(journal: Journal): Promise<void> {
  return new Promise((resolve) => {
    if (!journal.waiting.every(({ what }) => canWait(what))) return void setImmediate(resolve);
    const timer = setTimeout(resolve, journal.linger_ms);
    journal.hurry = () => {
      journal.hurry = undefined;
      clearTimeout(timer);
      setImmediate(resolve);
    };
  });
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
    if (journal.broken === undefined) await salvage(journal, batch);
    journal.broken ??= { error };
    for (const entry of batch) entry.reject(error);
  }
}

/** What has been answered is kept, though what was to be written with it could not be: nobody is to ask it again. */
async function salvage({ writeCalls }: Journal, batch: readonly Entry[]): Promise<void> {
  const finished = batch.flatMap(({ what }) => (what.kind === 'finished' ? what.finish : []));
  if (finished.length === 0 || finished.length === batch.length) return;
  await writeCalls({ finished, started: [] }).catch(() => {
    // Then they cannot be kept either, and what broke the rest is the error to hear of.
  });
}

/** What goes into the next statement: calls together, all else alone but for the end of a generation that it can take. */
function nextBatch(waiting: readonly Entry[]): readonly Entry[] {
  const alone = waiting.findIndex(({ what }) => what.kind === 'alone');
  const calls = waiting.slice(0, Math.min(CALLS_MAX, alone === -1 ? waiting.length : alone));
  const [call, next] = waiting;
  if (calls.length === 0 || (calls.length === 1 && isTaken(call, next))) return waiting.slice(0, calls.length + 1);
  return calls;
}

function isTaken(call: Entry | undefined, next: Entry | undefined): boolean {
  if (call?.what.kind !== 'finished' || next?.what.kind !== 'alone') return false;
  return next.what.takes_answer && isAnswer(call.what.finish);
}

/** What is left of a generation that ended well is the same rows each time. */
function isAnswer({ llm_call_id, verdict, is_reported }: CallFinish): boolean {
  return llm_call_id !== undefined && verdict?.rejection === undefined && is_reported !== true;
}

async function writeBatch(journal: Journal, batch: readonly Entry[]): Promise<void> {
  const started: CallStart[] = [];
  const finished: CallFinish[] = [];
  for (const { what } of batch) {
    if (what.kind === 'alone') return what.write(finished[0]);
    if (what.kind === 'started') started.push(what.start);
    else finished.push(what.finish);
  }
  for (const start of started) journal.pointers.set(start.command.key, start);
  const { told, after } = tell(journal.notes, (key) => journal.pointers.get(key));
  await journal.writeCalls({ finished, started, ...told });
  journal.notes = after;
}

async function writeTold<Result>(journal: Journal, tale: Tale<Result>, answer?: CallFinish): Promise<Result> {
  const { book, unwritten } = journal.notes;
  const notes = { book, unwritten: [...unwritten, ...(tale.transitions ?? [])] };
  const findPointer = (key: string): CallPointer | undefined => journal.pointers.get(key);
  const { told, after } = tale.ending ? tellEnding(notes, tale.ending, findPointer) : tell(notes, findPointer);
  const result = await tale.write(told, answer);
  if (tale.hasLanded?.(result) !== false) journal.notes = after;
  return result;
}
