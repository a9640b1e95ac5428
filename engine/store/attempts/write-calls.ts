import type { AttemptLease, CallFinish, CallStart, CallsWrite, Written } from '../../ports/attempts.js';
import { type HotStatement, prepare, type Runner, type Values } from '../statement.js';
import { CONVERSATION_ROWS, type ConversationMemory, type ConversationRows } from './conversation.js';
import { SLOTS_MAX } from './event-numbers.js';
import { CALLS_FENCE, runFenced } from './fence.js';
import { FINISHED, kindOfFinish, toFinished } from './finish-call.js';
import { atSlot } from './slots.js';
import { kindOfStart, STARTED, toStarted } from './start-call.js';

/** A call in a statement: the name of its clauses, the clauses, and their values. */
interface Slot {
  readonly name: string;
  readonly clauses: readonly string[];
  readonly values: Values;
}

/** The beginning of a statement that writes calls. */
interface Head {
  readonly name: string;
  /** The first is `fence`, with a row where the rest is to be written. */
  readonly clauses: readonly string[];
}

const UNDER_LEASE: Head = { name: 'write_calls', clauses: [CALLS_FENCE] };

/** Writes calls that end and calls that begin: one statement, durable when it resolves. */
export function writeCalls(
  runner: Runner,
  memory: ConversationMemory,
  lease: AttemptLease,
  calls: CallsWrite,
): Promise<Written> {
  return writeCallsAfter(UNDER_LEASE, {}, { runner, memory, lease, calls });
}

interface CallsOf {
  readonly runner: Runner;
  readonly memory: ConversationMemory;
  readonly lease: AttemptLease;
  readonly calls: CallsWrite;
}

/** Writes calls by the statement that begins with something else. @param values of the parameters of its beginning */
export async function writeCallsAfter(
  head: Head,
  values: Values,
  { runner, memory, lease, calls }: CallsOf,
): Promise<Written> {
  const generations = calls.started.flatMap(({ command }) => command.generation ?? []);
  const rows = generations.length === 0 ? undefined : memory.newRows(lease.attempt_id, generations);
  const started = calls.started.map((start) => startedSlot(start, rows));
  const slots = [...calls.finished.map(finishedSlot), ...started];
  if (slots.length > SLOTS_MAX) throw new Error(`${slots.length} calls are too many for one statement`);
  const shared = { ...values, ...rows?.values, attempted_turn: lease.attempted_turn };
  const own = slots.map((slot) => slot.values);
  const written = await runFenced(runner, statementOf(head, slots, rows), lease, shared, own);
  if (written === 'written') rows?.landed();
  return written;
}

function finishedSlot(finish: CallFinish): Slot {
  const kind = kindOfFinish(finish);
  return { name: `finished_${kind}`, clauses: FINISHED[kind], values: toFinished(finish) };
}

function startedSlot(start: CallStart, rows: ConversationRows | undefined): Slot {
  const kind = kindOfStart(start);
  const new_messages = rows?.added.get(start.command.generation?.conversation ?? '') ?? [];
  return { name: `started_${kind}`, clauses: STARTED[kind], values: { ...toStarted(start), new_messages } };
}

const statements = new Map<string, HotStatement>();

/** The statement with such slots, of which a process needs few. */
function statementOf(head: Head, slots: readonly Slot[], rows: ConversationRows | undefined): HotStatement {
  const kinds = rows?.kinds ?? [];
  const form = [head.name, ...slots.map(({ name }) => name), ...kinds].join(' ');
  const known = statements.get(form);
  if (known !== undefined) return known;
  const shared = kinds.map((kind) => CONVERSATION_ROWS[kind]);
  const clauses = slots.flatMap((slot, index) => slot.clauses.map((clause) => atSlot(clause, index + 1)));
  const text = `WITH ${[...head.clauses, ...shared, ...clauses].join(',')} ${landed(slots.length)}`;
  const statement = prepare(head.name, text);
  statements.set(form, statement);
  return statement;
}

/** Whether all of the calls were found. */
function landed(slots: number): string {
  const written = Array.from({ length: slots }, (_slot, index) => `EXISTS (SELECT FROM call_${index + 1})`);
  return `SELECT ${['true', ...written].join(' AND ')} AS is_whole FROM fence`;
}
