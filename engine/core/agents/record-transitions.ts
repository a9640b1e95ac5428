import { type AgentBook, type AgentTurn, entryKey, namesOf } from './book.js';
import { type AgentRecord, type HeadChange, NOTHING } from './record.js';
import { type Left, type PointerOf, rowsOf } from './rows-of.js';
import type { AgentTransition, TimedTransition } from './transition.js';

/** The book after transitions, and the rows that they leave. */
export interface Recorded {
  readonly book: AgentBook;
  readonly record: AgentRecord;
}

/**
 * Takes transitions into the book, and says which rows they leave. Those that are on record already leave none.
 * @throws Error on a transition that the table of agents does not have
 */
export function recordTransitions(
  book: AgentBook,
  transitions: readonly TimedTransition[],
  pointerOf: PointerOf,
): Recorded {
  let recorded: Recorded = { book, record: NOTHING };
  for (const transition of transitions) recorded = recordOne(recorded, transition, pointerOf);
  const agents = new Set(transitions.map(({ subject_id }) => subject_id));
  const heads = [...agents].flatMap((agent_id) => findHeadChange(book, recorded.book, agent_id));
  return { book: recorded.book, record: { ...recorded.record, heads } };
}

/** Whether nothing is to be written. */
export function isEmpty(record: AgentRecord): boolean {
  return Object.values(record).every((rows) => rows.length === 0);
}

function recordOne({ book, record }: Recorded, transition: TimedTransition, pointerOf: PointerOf): Recorded {
  const { agent_turn_id } = namesOf(book.attempt_id, transition.subject_id);
  const name = nameOf(book, transition, pointerOf);
  const key = entryKey(agent_turn_id, name);
  if (book.recorded.has(key)) return { book, record };
  const left = rowsOf(book, transition, pointerOf);
  const recorded = new Set(book.recorded).add(key);
  return {
    book: { ...withTurn(book, transition.subject_id, left.turn), recorded },
    record: join(record, left, { transition: name, at: transition.at }),
  };
}

/** A call that is made again is another one, and so is a second suspension. */
function nameOf(book: AgentBook, transition: AgentTransition, pointerOf: PointerOf): string {
  switch (transition.kind) {
    case 'tool_called':
    case 'tool_answered':
    case 'reported':
      return `${transition.kind} ${pointerOf(transition.call_key).source_invocation_id}`;
    case 'suspended':
      return `suspended ${(book.turns.get(transition.subject_id)?.suspensions ?? 0) + 1}`;
    default:
      return transition.kind;
  }
}

function withTurn(book: AgentBook, agent_id: string, turn: AgentTurn | undefined): AgentBook {
  const turns = new Map(book.turns);
  if (turn === undefined) {
    turns.delete(agent_id);
    return { ...book, turns };
  }
  const turn_epochs = new Map(book.turn_epochs).set(agent_id, turn.turn_epoch);
  return { ...book, turns: turns.set(agent_id, turn), turn_epochs };
}

function findHeadChange(before: AgentBook, after: AgentBook, agent_id: string): readonly HeadChange[] {
  const [was, is] = [before.turns.get(agent_id), after.turns.get(agent_id)];
  const [epoch, turn_epoch] = [before.turn_epochs.get(agent_id) ?? 0, after.turn_epochs.get(agent_id) ?? 0];
  if (was === is && epoch === turn_epoch) return [];
  const expected = { turn_epoch: epoch, agent_turn_id: was?.agent_turn_id ?? null };
  return [{ agent_id, expected, turn_epoch, ...toHead(is) }];
}

function toHead(turn: AgentTurn | undefined): Omit<HeadChange, 'agent_id' | 'expected' | 'turn_epoch'> {
  return {
    status: turn?.status ?? 'idle',
    agent_turn_id: turn?.agent_turn_id ?? null,
    activity: turn?.activity ?? null,
    current_tool: turn?.current_tool ?? null,
    waiting_tool_count: turn?.waiting.length ?? 0,
    resume_deadline: turn?.resume_deadline ?? null,
  };
}

function join(one: AgentRecord, left: Left, { transition, at }: { readonly transition: string; readonly at: number }) {
  const { turns = [], boxes = [], cards = [], edges = [], events, waits = [], ends = [] } = left;
  return {
    heads: [],
    turns: [...one.turns, ...turns.map((row) => ({ ...row, at }))],
    boxes: [...one.boxes, ...boxes],
    cards: [...one.cards, ...cards],
    edges: [...one.edges, ...edges.map((row) => ({ ...row, at }))],
    events: [...one.events, ...events.map((row) => ({ ...row, transition, at }))],
    waits: [...one.waits, ...waits.map((row) => ({ ...row, at }))],
    ends: [...one.ends, ...ends.map((row) => ({ ...row, at }))],
  };
}
