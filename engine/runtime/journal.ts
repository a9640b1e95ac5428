import type { CallFinish, CallStart, CallsWrite } from '../ports/attempts.js';
import { demand } from './overtaken.js';

/** How many calls a statement writes at most: each number of them makes a statement of its own. */
const CALLS_MAX = 4;

/** How long the end of a call without consequences waits for other writes, in milliseconds. */
const LINGER_MS = 2;

export type CallWrite =
  | {
      readonly kind: 'finished';
      readonly finish: CallFinish;
      /** It has no consequences: it is written with the next entries, if they come soon. */
      readonly can_wait?: boolean;
    }
  | { readonly kind: 'started'; readonly start: CallStart };

interface Lone {
  readonly kind: 'alone';
  readonly takes_answer: boolean;
  write(answer?: CallFinish): Promise<void>;
}

/** Something that waits to be written. */
interface Entry {
  readonly what: CallWrite | Lone;
  resolve(): void;
  reject(error: unknown): void;
}

/** The statements of a journal, besides its entries. */
export interface JournalWrites {
  /** Claims the world, and writes the first calls by the same statement, or throws; absent where it is claimed already. */
  readonly begin?: (calls: CallsWrite) => Promise<void>;
  /** Writes them by one statement, or throws. */
  readonly writeCalls: (calls: CallsWrite) => Promise<void>;
}

/**
 * The writes of a driver, in its order: each statement waits for the one before. Writes about calls at one time share
 * one statement, so that the end of a call and the start of the calls after it cost one. Where the world has not been
 * taken yet, the first statement of all does that, too. After a failed write, all later ones fail alike, since they
 * build on it.
 */
export interface Journal {
  readonly writes: JournalWrites;
  waiting: readonly Entry[];
  writing: Promise<void> | undefined;
  /** Writes at once what waits; set while an entry waits that may. */
  hurry: (() => void) | undefined;
  /** Claims the world by the first statement; undefined once that is done. */
  begin: JournalWrites['begin'] | undefined;
  broken: { readonly error: unknown } | undefined;
}

/** A journal in which nothing waits. */
export function openJournal(writes: JournalWrites): Journal {
  return {
    writes,
    waiting: [],
    writing: undefined,
    hurry: undefined,
    begin: writes.begin,
    broken: undefined,
  };
}

/**
 * Writes an entry about a call.
 * @returns once it is durable
 * @throws every error of its statement
 */
export function writeCall(journal: Journal, call: CallWrite): Promise<void> {
  return put(journal, call);
}

/**
 * Writes a statement of its own, once all before it are written.
 * @param write is given the end of a generation that it may write as well, where it takes one
 * @returns its result
 * @throws its error; Overtaken where it has not landed
 */
export async function writeAlone<Result>(
  journal: Journal,
  write: (answer?: CallFinish) => Promise<Result>,
  takes_answer = false,
): Promise<Exclude<Result, 'overtaken'>> {
  const landed: Exclude<Result, 'overtaken'>[] = [];
  const writeLone: Lone['write'] = async (answer) => void landed.push(demand(await write(answer)));
  await put(journal, { kind: 'alone', takes_answer, write: writeLone });
  return landed[0] as Exclude<Result, 'overtaken'>;
}

/** Gives up what has not been written, and begins afresh. @returns once nothing is being written */
export async function forget(journal: Journal): Promise<void> {
  journal.broken ??= { error: new Error('the driver has given up what it had to write') };
  await journal.writing;
  journal.broken = undefined;
}

function put(journal: Journal, what: Entry['what']): Promise<void> {
  return new Promise((resolve, reject) => {
    journal.waiting = [...journal.waiting, { what, resolve, reject }];
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

/** Entries of one cause are put within one turn of the event loop; an entry without consequences waits a little. */
function gather(journal: Journal): Promise<void> {
  return new Promise((resolve) => {
    if (!journal.waiting.every(({ what }) => canWait(what))) return void setImmediate(resolve);
    const timer = setTimeout(resolve, LINGER_MS);
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

/** An answer is kept, even when the writes beside it failed: nobody is to repeat its call. */
async function salvage({ writes }: Journal, batch: readonly Entry[]): Promise<void> {
  const { finished } = callsOf(batch);
  if (finished.length === 0 || finished.length === batch.length) return;
  await writes.writeCalls({ finished, started: [] }).catch(() => {
    // Then the answers are lost too, and the first error is the one to report.
  });
}

/** The entries of the next statement: calls together, others alone but for a generation's end that they can take. */
function nextBatch(waiting: readonly Entry[]): readonly Entry[] {
  const alone = waiting.findIndex(({ what }) => what.kind === 'alone');
  const calls = waiting.slice(0, Math.min(CALLS_MAX, alone === -1 ? waiting.length : alone));
  const [call, next] = waiting;
  if (calls.length === 0 || (calls.length === 1 && joinsNext(call, next))) return waiting.slice(0, calls.length + 1);
  return calls;
}

function joinsNext(call: Entry | undefined, next: Entry | undefined): boolean {
  if (call?.what.kind !== 'finished' || next?.what.kind !== 'alone') return false;
  return next.what.takes_answer && isAnswer(call.what.finish);
}

/** A generation that ended well always leaves the same rows. */
function isAnswer({ llm_call_id, verdict, is_reported }: CallFinish): boolean {
  return llm_call_id !== undefined && verdict?.rejection === undefined && is_reported !== true;
}

async function writeBatch(journal: Journal, batch: readonly Entry[]): Promise<void> {
  const { begin, writes } = journal;
  const calls = callsOf(batch);
  const lone = batch.map(({ what }) => what).find((what) => what.kind === 'alone');
  await begin?.(lone === undefined ? calls : NO_CALLS);
  journal.begin = undefined;
  if (lone !== undefined) return lone.write(calls.finished[0]);
  if (begin === undefined) await writes.writeCalls(calls);
}

const NO_CALLS: CallsWrite = { finished: [], started: [] };

function callsOf(batch: readonly Entry[]): CallsWrite {
  return {
    finished: batch.flatMap(({ what }) => (what.kind === 'finished' ? what.finish : [])),
    started: batch.flatMap(({ what }) => (what.kind === 'started' ? what.start : [])),
  };
}
