import type { EffectClass, Program } from '../protocol/program.js';
import { advance, suspensionOf } from './advance.js';
import type { Commit, Fail, Invoke, TurnCommand } from '../protocol/command.js';
import type { CallEvent, CallFailed, CallPended, TurnBegan } from '../protocol/event.js';
import { mayRepeat } from '../protocol/failure.js';
import type { Discarded, Step } from './step.js';
import type { Json } from '../../contract/json.js';
import { present } from '../../contract/present.js';
import { contentOf } from './budgets.js';
import type { Retrieved } from '../world/retrieval.js';
import { type TurnState, UNBEGUN } from './state.js';

/** The record of a command that an earlier driver performed. */
export interface Recorded {
  readonly key: string;
  /** Of the request as the core made it. */
  readonly request_hash: string;
  readonly effect: EffectClass;
  /** It may be made again though it has a side effect. */
  readonly repeatable: boolean;
  /** An earlier attempt made it, whose runs may have had other numbers: it answers any equal request. */
  readonly is_adopted?: boolean;
  /** Of a generation: the memories that were retrieved for it. They answer every equal query. */
  readonly retrieved?: Retrieved;
  /** How the call ended, or that it will be answered later; left out where no driver saw it end. */
  readonly event?: CallEvent | CallPended;
}

/** Where a turn is once all events on record have been handled. */
export interface Refolded {
  readonly state: TurnState;
  /** The work that is left: calls without a usable record, or the end. */
  readonly commands: readonly TurnCommand[];
  /** Every call that the turn has made, by key. */
  readonly asked: ReadonlyMap<string, Invoke>;
  /** The command that each record has answered, but for records that have answered none. */
  readonly answered: ReadonlyMap<Recorded, Invoke>;
  /** Calls of runs that were discarded on the way: whether that is noted on record is not known. */
  readonly discarded: readonly Discarded[];
}

interface Fold extends Omit<Refolded, 'commands'> {
  readonly program: Program;
  /** The latest command with the same request, by that request. */
  readonly latest: ReadonlyMap<string, Invoke>;
  readonly end?: Commit | Fail;
}

/**
 * Folds up to where an earlier driver was: runs the turn from its beginning and answers each command that has a record
 * from it. No call that has ended is made again. A call without an end on record is made again where it only reads or
 * is repeatable; any other fails the turn, and is named.
 * @param records in the order in which the calls ended: of each key the last performance, and failed ones before it
 * @returns as its only command `fail` with `record_mismatch`, where the record does not fit this program
 */
export function refold(program: Program, began: TurnBegan, records: readonly Recorded[]): Refolded {
  const unbegun: Fold = {
    program,
    state: UNBEGUN,
    asked: new Map(),
    latest: new Map(),
    answered: new Map(),
    discarded: [],
  };
  let fold = follow(unbegun, advance(program, UNBEGUN, began));
  const searches = records.flatMap(({ retrieved }) => retrieved ?? []);
  const retrieved = new Map(searches.map((search) => [search.request_hash, search]));
  fold = answerQueries(fold, retrieved);
  let left = records;
  for (let next = findAsked(fold, left); next !== undefined; next = findAsked(fold, left)) {
    const { record, command, event } = next;
    if (command.request_hash !== record.request_hash) return mismatched(fold, otherRequest(record, command));
    const answered = new Map(fold.answered).set(record, command);
    fold = follow({ ...fold, answered }, advance(program, fold.state, { ...event, key: command.key }));
    fold = answerQueries(fold, retrieved);
    left = left.filter((one) => one !== record);
  }
  fold = endCalls(fold, [...fold.state.dropped.keys()]);
  if (fold.state.failure !== undefined) return toRefolded(endCalls(fold, [...fold.state.awaited.keys()]));
  const stranger = left.find(({ key, is_adopted }) => is_adopted === true || !fold.asked.has(key));
  return stranger === undefined ? toRefolded(fold) : mismatched(fold, neverAsked(stranger));
}

/** Answers the queries for memories that the turn awaits, as far as their results are on record. */
function answerQueries(fold: Fold, retrieved: ReadonlyMap<string, Retrieved>): Fold {
  if (retrieved.size === 0) return fold;
  let answered = fold;
  for (const [key, { command }] of fold.state.awaited) {
    const found = command.retrieval && retrieved.get(command.request_hash)?.found;
    if (found === undefined) continue;
    const event = { kind: 'call_answered', key, value: found as unknown as Json, duration_ms: 0 } as const;
    answered = follow(answered, advance(answered.program, answered.state, event));
  }
  return answered === fold ? fold : answerQueries(answered, retrieved);
}

/** The first record of a call that the turn awaits; calls in doubt come after all that is certain. */
function findAsked(fold: Fold, records: readonly Recorded[]) {
  const doubted = [];
  for (const record of records) {
    const command = findCommand(fold, record);
    const event = record.event ?? doubtOf(record);
    if (command === undefined || event === undefined) continue;
    if (record.event !== undefined) return { record, command, event };
    doubted.push({ record, command, event });
  }
  return doubted[0];
}

/** The command that a record answers, where that is open: the attempt's own calls are found by key. */
function findCommand({ state, asked, latest }: Fold, record: Recorded): Invoke | undefined {
  const command = record.is_adopted === true ? latest.get(contentOf(record)) : asked.get(record.key);
  if (command === undefined || state.awaited.has(command.key)) return command;
  return record.is_adopted !== true && state.dropped.has(command.key) ? command : undefined;
}

/** The event of a call with a side effect that no driver saw end, and that may not be made again. */
function doubtOf(record: Recorded): CallFailed | undefined {
  const { key } = record;
  if (mayRepeat(record)) return undefined;
  const message = `the driver was lost before the answer to ${key} came; it is unknown whether its side effect took place`;
  return { kind: 'call_failed', key, failure_class: 'interrupted', message, outcome_unknown: true };
}

/** Ends calls whose answers are not wanted any more: of discarded runs, and of a turn that has failed. */
function endCalls(fold: Fold, keys: readonly string[]): Fold {
  return keys.reduce((ended, key) => {
    const message = 'the answer was not wanted any more when it came';
    const event: CallFailed = { kind: 'call_failed', key, failure_class: 'interrupted', message };
    return follow(ended, advance(ended.program, ended.state, event));
  }, fold);
}

function follow(fold: Fold, { state, commands, discarded: gone = [] }: Step): Fold {
  const asked = new Map(fold.asked);
  const latest = new Map(fold.latest);
  let { end } = fold;
  for (const command of commands) {
    if (command.kind === 'invoke') {
      asked.set(command.key, command);
      latest.set(contentOf(command), command);
    } else if (command.kind !== 'suspend') end = command;
  }
  const discarded = [...fold.discarded, ...gone];
  return { ...fold, state, asked, latest, discarded, ...present({ end }) };
}

function toRefolded({ state, asked, answered, discarded, end }: Fold): Refolded {
  const refolded = { state, asked, answered, discarded };
  if (end !== undefined) return { ...refolded, commands: [end] };
  const unanswered = [...asked.values()].filter(({ key }) => state.awaited.has(key) && !state.pended.has(key));
  const suspension = suspensionOf(state);
  return { ...refolded, commands: suspension === undefined ? unanswered : [suspension] };
}

function mismatched({ state, asked, answered, discarded }: Fold, failure: Fail): Refolded {
  return { state: { ...state, stage: 'ended', failure }, asked, answered, discarded, commands: [failure] };
}

/** The failure of a turn that asks something else than the record says. */
export function otherRequest({ key, request_hash }: Recorded, command: Invoke): Fail {
  const what = `the record says that ${key} was asked ${request_hash}, and this program would ask ${command.request_hash}`;
  const { subject_id, node_id } = command;
  return present({ ...mismatch(what), call_key: key, subject_id, node_id });
}

/** The failure of a turn that never asks what is on record. */
export function neverAsked({ key }: Recorded): Fail {
  return mismatch(`the record holds the call ${key}, and this program never asks it`);
}

/** The failure of a turn whose record does not fit the program that continues it. */
export function mismatch(what: string): Fail {
  return { kind: 'fail', failure_class: 'record_mismatch', message: what };
}
