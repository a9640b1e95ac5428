import type { AgentBook, CallPointer } from '../core/agents/book.js';
import { type AttemptEnding, endTurns } from '../core/agents/end-turns.js';
import type { AgentRecord } from '../core/agents/record.js';
import { isEmpty, type Recorded, recordTransitions } from '../core/agents/record-transitions.js';
import type { AgentTransition } from '../core/agents/transition.js';

/** What a driver knows of its agents, and what it has still to write: the next statement takes it along. */
export interface AgentNotes {
  /** As the statements that were handed over leave it. */
  book: AgentBook;
  /** As those leave it of which it is known that they landed. */
  landed: AgentBook;
  unwritten: readonly AgentTransition[];
  /** Statements that tell of agents go one after the other: each compares with what the one before has left. */
  last: Promise<void>;
}

/** Where the record of a call is; undefined for one that has no row, and gets none by this statement. */
export type FindPointer = (call_key: string) => CallPointer | undefined;

/** Notes of which nothing is unwritten. */
export function openNotes(book: AgentBook): AgentNotes {
  return { book, landed: book, unwritten: [], last: Promise.resolve() };
}

/** Remembers transitions for the next statement. */
export function note(notes: AgentNotes, transitions: readonly AgentTransition[] = []): void {
  notes.unwritten = [...notes.unwritten, ...transitions];
}

/** Writes a statement together with what there is to tell of agents. What is of a call without a row waits for it. */
export function writeNoted(
  notes: AgentNotes,
  findPointer: FindPointer,
  write: (record: AgentRecord | undefined) => Promise<void>,
): Promise<void> {
  const ready = notes.unwritten.filter((transition) => isReady(transition, findPointer));
  notes.unwritten = notes.unwritten.filter((transition) => !isReady(transition, findPointer));
  return handOver(notes, recordTransitions(notes.book, ready, toPointerOf(findPointer)), write);
}

/** Writes the last statement of an attempt, with which the turns of its agents end. */
export function writeEnding(
  notes: AgentNotes,
  ending: AttemptEnding,
  findPointer: FindPointer,
  write: (record: AgentRecord | undefined) => Promise<void>,
): Promise<void> {
  const told = notes.unwritten.filter((transition) => isReady(transition, findPointer));
  notes.unwritten = [];
  const pointerOf = toPointerOf(findPointer);
  const { book } = recordTransitions(notes.book, told, pointerOf);
  return handOver(notes, recordTransitions(notes.book, [...told, ...endTurns(book, ending)], pointerOf), write);
}

function isReady(transition: AgentTransition, findPointer: FindPointer): boolean {
  return !('call_key' in transition) || findPointer(transition.call_key) !== undefined;
}

/**
 * Writes the statement that lets the attempt rest, with what that means for its agents.
 * @param write answers whether it landed; where it did not, nothing has happened
 */
export async function writeRest(
  notes: AgentNotes,
  resting: readonly AgentTransition[],
  findPointer: FindPointer,
  write: (record: AgentRecord | undefined) => Promise<boolean>,
): Promise<boolean> {
  const { book, unwritten } = notes;
  note(notes, resting);
  let rests = false;
  await writeNoted(notes, findPointer, async (record) => {
    rests = await write(record);
  });
  if (!rests) Object.assign(notes, { book, landed: book, unwritten });
  return rests;
}

/** Goes back to what is known to be written, for a driver that breaks. */
export async function forgetUnwritten(notes: AgentNotes): Promise<void> {
  await notes.last;
  notes.book = notes.landed;
  notes.unwritten = [];
}

async function handOver(
  notes: AgentNotes,
  { book, record }: Recorded,
  write: (record: AgentRecord | undefined) => Promise<void>,
): Promise<void> {
  notes.book = book;
  if (isEmpty(record)) return write(undefined);
  const written = notes.last.then(() => write(record));
  notes.last = written.then(
    () => void (notes.landed = book),
    () => undefined,
  );
  return written;
}

function toPointerOf(findPointer: FindPointer): (call_key: string) => CallPointer {
  return (call_key) => {
    const pointer = findPointer(call_key);
    if (pointer === undefined) throw new Error(`the call ${call_key} has no record`);
    return pointer;
  };
}
