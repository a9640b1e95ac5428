import { type AgentBook, type AgentTurn, entryKey, namesOf } from './book.js';
import type { AgentEvent, AgentRecord, EndedTurn, HeadChange } from './record.js';
import { type Left, type PointerOf, rowsOf } from './rows-of.js';
import type { AgentTransition, TimedTransition } from './transition.js';

/** The book after transitions, and the rows that they leave. */
export interface Recorded {
  readonly book: AgentBook;
  readonly record: AgentRecord;
}

/**
 * Takes transitions into the book, and says which rows they leave. Those that are on record already leave none.
 * @param then further transitions, by the book as it stands after these
 * @throws Error on a transition that the table of agents does not have
 */
export function recordTransitions(
  book: AgentBook,
  transitions: readonly TimedTransition[],
  pointerOf: PointerOf,
  then: (book: AgentBook) => readonly TimedTransition[] = () => [],
): Recorded {
  const draft = toDraft(book);
  for (const transition of transitions) recordOne(draft, transition, pointerOf);
  const following = then(draft.book);
  for (const transition of following) recordOne(draft, transition, pointerOf);
  const agents = new Set([...transitions, ...following].map(({ subject_id }) => subject_id));
  const heads = [...agents].flatMap((agent_id) => findHeadChange(book, draft.book, agent_id));
  return { book: draft.book, record: { ...draft.rows, heads } };
}

/** A copy that grows while it is recorded: a copy for each transition would cost as much again for each agent. */
interface Draft {
  readonly book: AgentBook & {
    readonly turn_epochs: Map<string, number>;
    readonly turns: Map<string, AgentTurn>;
    readonly recorded: Set<string>;
  };
  readonly rows: { readonly [Part in Exclude<keyof AgentRecord, 'heads'>]: AgentRecord[Part][number][] };
}

function toDraft({ attempt_id, turn_epochs, turns, recorded }: AgentBook): Draft {
  return {
    book: {
      attempt_id,
      turn_epochs: new Map(turn_epochs),
      turns: new Map(turns),
      recorded: new Set(recorded),
    },
    rows: { turns: [], boxes: [], cards: [], edges: [], events: [], waits: [], ends: [] },
  };
}

/** Whether nothing is to be written. */
export function isEmpty(record: AgentRecord): boolean {
  return Object.values(record).every((rows) => rows.length === 0);
}

function recordOne({ book, rows }: Draft, transition: TimedTransition, pointerOf: PointerOf): void {
  const { agent_turn_id } = namesOf(book.attempt_id, transition.subject_id);
  const name = nameOf(book, transition, pointerOf);
  const key = entryKey(agent_turn_id, name);
  if (book.recorded.has(key)) return;
  const left = rowsOf(book, transition, pointerOf);
  book.recorded.add(key);
  setTurn(book, transition.subject_id, left.turn);
  addRows(rows, left, { transition: name, at: transition.at });
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

function setTurn({ turns, turn_epochs }: Draft['book'], agent_id: string, turn: AgentTurn | undefined): void {
  if (turn === undefined) {
    turns.delete(agent_id);
    return;
  }
  turns.set(agent_id, turn);
  turn_epochs.set(agent_id, turn.turn_epoch);
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

function addRows(rows: Draft['rows'], left: Left, { transition, at }: Pick<AgentEvent, 'transition' | 'at'>): void {
  const { turns = [], boxes = [], cards = [], edges = [], events, waits = [], ends = [] } = left;
  rows.turns.push(...turns.map((row) => ({ ...row, at })));
  rows.boxes.push(...boxes);
  rows.cards.push(...cards);
  rows.edges.push(...edges.map((row) => ({ ...row, at })));
  rows.events.push(...events.map((row) => ({ ...row, transition, at })));
  rows.waits.push(...waits.map((row) => ({ ...row, at })));
  for (const row of ends) addEnd(rows, { ...row, at });
}

/** The end of a turn that is told of only now goes with its beginning. */
function addEnd({ turns, ends }: Draft['rows'], end: EndedTurn): void {
  const place = turns.findIndex(({ agent_turn_id }) => agent_turn_id === end.agent_turn_id);
  const begun = turns[place];
  if (begun === undefined) ends.push(end);
  else turns[place] = { ...begun, end };
}
