import type { AgentBook, CallPointer } from '../core/agents/book.js';
import type { AttemptEnding } from '../core/agents/end-turns.js';
import type { AgentRecord } from '../core/agents/record.js';
import type { TimedTransition } from '../core/agents/transition.js';
import type { CallFinish, CallStart, CallsWrite } from '../ports/attempts.js';
import { type AgentNotes, tell, tellEnding, type Told } from './agent-notes.js';

/** How many calls a statement writes at most: each number of them makes a statement of its own. */
const CALLS_MAX = 4;

/** How long the end of a call from which nothing follows waits for those of others, in milliseconds. */
const LINGER_MS = 2;

/** How long what agents have done waits for an end of the attempt that tells of it, in milliseconds. */
const QUIET_MS = 250;

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
  readonly transitions?: readonly TimedTransition[];
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
  readonly noted: readonly TimedTransition[];
  readonly what: CallWrite | Lone;
  resolve(): void;
  reject(error: unknown): void;
}

/** What a journal writes by, besides what it is handed entry by entry. */
export interface JournalWrites {
  /** Takes the world, and writes the first calls by the same statement, or throws; left out where it has been taken. */
  readonly begin?: (calls: CallsWrite) => Promise<void>;
  /** Writes them by one statement, or throws. */
  readonly writeCalls: (calls: CallsWrite) => Promise<void>;
  /** Tells of agents by a statement of its own, or throws. */
  readonly tellOfAgents: (agents: AgentRecord) => Promise<void>;
  /** Hears why nobody could be told of agents, where no entry waits for that. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * What a driver writes, in its order: each statement waits for the one before. What becomes of calls at one time goes
 * into one statement, so that the end of a call and the start of those that follow cost one. What agents have done is
 * told with the end of the attempt, or when it has waited for a while: nothing follows from it. Where the world has not
 * been taken yet, the first statement of all does that, too. Once a write has failed, all that come after it fail alike,
 * since they build on it.
 */
export interface Journal {
  readonly writes: JournalWrites;
  readonly linger_ms: number;
  readonly quiet_ms: number;
  /** The calls that have a row. */
  readonly pointers: Map<string, CallPointer>;
  notes: AgentNotes;
  /** Noted since the last entry. */
  noted: readonly TimedTransition[];
  waiting: readonly Entry[];
  writing: Promise<void> | undefined;
  /** Set while something waits that can. */
  hurry: (() => void) | undefined;
  /** Set while notes wait to be told. */
  quiet: NodeJS.Timeout | undefined;
  /** Takes the world by the first statement; undefined once that is done. */
  begin: JournalWrites['begin'] | undefined;
  /** Nothing more is told but by an end of the attempt. */
  is_closed: boolean;
  broken: { readonly error: unknown } | undefined;
}

/** How long a journal waits; left out, as long as is good for a driver. */
export interface Patience {
  /** For company of an end of a call from which nothing follows. */
  readonly linger_ms?: number | undefined;
  /** For an end of the attempt that tells of agents. */
  readonly quiet_ms?: number | undefined;
}

/** A journal in which nothing waits. Close it. */
export function openJournal(book: AgentBook, writes: JournalWrites, patience: Patience = {}): Journal {
  const { linger_ms = LINGER_MS, quiet_ms = QUIET_MS } = patience;
  return {
    writes,
    linger_ms,
    quiet_ms,
    pointers: new Map(),
    notes: { book, unwritten: [] },
    noted: [],
    waiting: [],
    writing: undefined,
    hurry: undefined,
    quiet: undefined,
    begin: writes.begin,
    is_closed: false,
    broken: undefined,
  };
}

/** Remembers transitions of agents until they are told of: after what is written already, and no later than what follows. */
export function note(journal: Journal, transitions: readonly TimedTransition[]): void {
  journal.noted = [...journal.noted, ...transitions];
  tellSoon(journal);
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
  waitNoMore(journal);
  return putAlone(journal, (answer) => writeTold(journal, tale, answer), tale.takes_answer === true);
}

/** Gives up what has not been written, and begins afresh with what has. @returns once nothing is being written */
export async function forget(journal: Journal): Promise<void> {
  waitNoMore(journal);
  journal.broken ??= { error: new Error('the driver has given up what it had to write') };
  await journal.writing;
  journal.broken = undefined;
  journal.noted = [];
  journal.notes = { ...journal.notes, unwritten: [] };
}

/** Tells nothing more by itself: the driver leaves, and what has not been told is told by whoever goes on. */
export function close(journal: Journal): void {
  journal.is_closed = true;
  waitNoMore(journal);
}

/** Tells of agents in a while, unless an end of the attempt does so before. */
function tellSoon(journal: Journal): void {
  const waits = journal.noted.length > 0 || journal.notes.unwritten.length > 0;
  if (!waits || journal.is_closed || journal.quiet !== undefined) return;
  journal.quiet = setTimeout(() => {
    journal.quiet = undefined;
    const write = async ({ agents }: Told): Promise<void> => agents && journal.writes.tellOfAgents(agents);
    putAlone(journal, () => writeTold(journal, { write }), false).catch(journal.writes.onFailure);
  }, journal.quiet_ms).unref();
}

function waitNoMore(journal: Journal): void {
  clearTimeout(journal.quiet);
  journal.quiet = undefined;
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
    tellSoon(journal);
    for (const entry of batch) entry.resolve();
  } catch (error) {
    if (journal.broken === undefined) await salvage(journal, batch);
    journal.broken ??= { error };
    for (const entry of batch) entry.reject(error);
  }
}

/** What has been answered is kept, though what was to be written with it could not be: nobody is to ask it again. */
async function salvage({ writes }: Journal, batch: readonly Entry[]): Promise<void> {
  const finished = batch.flatMap(({ what }) => (what.kind === 'finished' ? what.finish : []));
  if (finished.length === 0 || finished.length === batch.length) return;
  await writes.writeCalls({ finished, started: [] }).catch(() => {
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
    if (what.kind === 'alone') {
      if (journal.begin) await writeFirst(journal, journal.begin, NO_CALLS);
      return what.write(finished[0]);
    }
    if (what.kind === 'started') started.push(what.start);
    else finished.push(what.finish);
  }
  if (journal.begin) await writeFirst(journal, journal.begin, { finished, started });
  else await journal.writes.writeCalls({ finished, started });
  for (const start of started) journal.pointers.set(start.command.key, start);
}

const NO_CALLS: CallsWrite = { finished: [], started: [] };

async function writeFirst(journal: Journal, begin: NonNullable<Journal['begin']>, calls: CallsWrite): Promise<void> {
  await begin(calls);
  journal.begin = undefined;
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
