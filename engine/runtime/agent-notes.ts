import type { AgentBook, CallPointer } from '../core/agents/book.js';
import { type AttemptEnding, endTurns } from '../core/agents/end-turns.js';
import type { AgentRecord } from '../core/agents/record.js';
import { isEmpty, type Recorded, recordTransitions } from '../core/agents/record-transitions.js';
import type { AgentTransition, TimedTransition } from '../core/agents/transition.js';

/** What a driver knows of its agents: the book as it is on record, and what is still to be written. */
export interface AgentNotes {
  readonly book: AgentBook;
  readonly unwritten: readonly TimedTransition[];
}

/** What a statement tells of agents, where it tells anything. */
export interface Told {
  readonly agents?: AgentRecord;
}

/** What a statement tells of agents, and how the notes stand once it has landed. */
export interface Telling {
  readonly told: Told;
  readonly after: AgentNotes;
}

/** Where the record of a call is; undefined for one that has no row. */
export type FindPointer = (call_key: string) => CallPointer | undefined;

/** Tells all that can be told. What is of a call without a row waits for it. */
export function tell({ book, unwritten }: AgentNotes, findPointer: FindPointer): Telling {
  const ready = unwritten.filter((transition) => isReady(transition, findPointer));
  const waiting = unwritten.filter((transition) => !isReady(transition, findPointer));
  return toTelling(recordTransitions(book, ready, toPointerOf(findPointer)), waiting);
}

/** Tells the last of an attempt, with which the turns of its agents end. */
export function tellEnding({ book, unwritten }: AgentNotes, ending: AttemptEnding, findPointer: FindPointer): Telling {
  const ready = unwritten.filter((transition) => isReady(transition, findPointer));
  const end = (after: AgentBook) => endTurns(after, ending);
  return toTelling(recordTransitions(book, ready, toPointerOf(findPointer), end), []);
}

function toTelling({ book, record }: Recorded, unwritten: readonly TimedTransition[]): Telling {
  return { told: isEmpty(record) ? {} : { agents: record }, after: { book, unwritten } };
}

function isReady(transition: AgentTransition, findPointer: FindPointer): boolean {
  return !('call_key' in transition) || findPointer(transition.call_key) !== undefined;
}

function toPointerOf(findPointer: FindPointer): (call_key: string) => CallPointer {
  return (call_key) => {
    const pointer = findPointer(call_key);
    if (pointer === undefined) throw new Error(`the call ${call_key} has no record`);
    return pointer;
  };
}
