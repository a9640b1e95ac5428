import type { EffectClass, Program } from '../protocol/program.js';
import { advance, suspensionOf, type Step } from './advance.js';
import type { Commit, Fail, Invoke, TurnCommand } from '../protocol/command.js';
import type { CallEvent, CallFailed, CallPended, TurnBegan } from '../protocol/event.js';
import { mayRepeat } from '../protocol/failure.js';
import type { Discarded } from './subjects.js';
import { type TurnState, UNBEGUN } from './state.js';

/** What the record holds of a command that an earlier driver performed. */
export interface Recorded {
  readonly key: string;
  /** Of the request as the core made it. */
  readonly request_hash: string;
  readonly effect: EffectClass;
  /** It may be made again though it has a side effect. */
  readonly repeatable: boolean;
  /** How the call ended, or that it will be answered later; left out where no driver saw it end. */
  readonly event?: CallEvent | CallPended;
}

/** Where a turn is once all events on record have been handled. */
export interface Refolded {
  readonly state: TurnState;
  /** What is left to do: calls that have no usable record, or the end. */
  readonly commands: readonly TurnCommand[];
  /** Every call that the turn has asked for, by key. */
  readonly asked: ReadonlyMap<string, Invoke>;
  /** Calls of runs that were discarded on the way: whether that is noted on record is not known. */
  readonly discarded: readonly Discarded[];
}

interface Fold {
  readonly program: Program;
  readonly state: TurnState;
  readonly asked: ReadonlyMap<string, Invoke>;
  readonly discarded: readonly Discarded[];
  readonly end?: Commit | Fail;
}

/**
 * Comes back to where an earlier driver was: runs the turn from its beginning and answers each command that has a
 * record from it. Nothing that has ended is asked again. A call that nobody saw end is asked again where it only reads or
 * is repeatable; any other fails the turn, and is named.
 * @param records in the order in which the calls ended: of each key the last performance, and failed ones before it
 * @returns as its only command `fail` with `record_mismatch`, where the record tells another story than this program
 */
export function refold(program: Program, began: TurnBegan, records: readonly Recorded[]): Refolded {
  let fold = follow({ program, state: UNBEGUN, asked: new Map(), discarded: [] }, advance(program, UNBEGUN, began));
  let left = records;
  for (let next = findAsked(fold, left); next !== undefined; next = findAsked(fold, left)) {
    const { record, command, event } = next;
    if (command.request_hash !== record.request_hash) return mismatched(fold, otherRequest(record, command));
    fold = follow(fold, advance(program, fold.state, event));
    left = left.filter((one) => one !== record);
  }
  fold = endCalls(fold, [...fold.state.dropped]);
  if (fold.state.failure !== undefined) return toRefolded(endCalls(fold, [...fold.state.awaited.keys()]));
  const stranger = left.find(({ key }) => !fold.asked.has(key));
  return stranger === undefined ? toRefolded(fold) : mismatched(fold, neverAsked(stranger));
}

/**
 * Comes back to where an earlier driver was, whether it ran the subjects in order or concurrently: a person who answers in
 * place of a model is asked in order, and what the record holds fits one of both ways.
 * @returns the program by which the turn goes on, too
 */
export function refoldAsPlayed(
  program: Program,
  began: TurnBegan,
  records: readonly Recorded[],
): Refolded & { readonly program: Program } {
  const { execution: _, ...authored } = program;
  const ways = [authored, ...EXECUTIONS.map((execution) => ({ ...authored, execution }))];
  const first = { ...refold(program, began, records), program };
  if (!isMismatch(first)) return first;
  const others = ways.filter(({ execution }: Program) => execution !== program.execution);
  const folded = others.map((other) => ({ ...refold(other, began, records), program: other }));
  return folded.find((one) => !isMismatch(one)) ?? first;
}

const EXECUTIONS = ['per_subject_ordered', 'per_subject_concurrent'] as const;

function isMismatch({ commands: [end] }: Refolded): boolean {
  return end?.kind === 'fail' && end.failure_class === 'record_mismatch';
}

interface Answerable {
  readonly record: Recorded;
  readonly command: Invoke;
  readonly event: CallEvent | CallPended;
}

/** The first record of a call that the turn awaits; calls in doubt come after all that is certain. */
function findAsked({ state, asked }: Fold, records: readonly Recorded[]): Answerable | undefined {
  const awaited = records.flatMap((record): readonly (Answerable & { readonly certain: boolean })[] => {
    const command = asked.get(record.key);
    const event = record.event ?? doubtOf(record);
    const isOpen = state.awaited.has(record.key) || state.dropped.has(record.key);
    if (command === undefined || event === undefined || !isOpen) return [];
    return [{ record, command, event, certain: record.event !== undefined }];
  });
  return awaited.find(({ certain }) => certain) ?? awaited[0];
}

/** The event of a call with a side effect that no driver saw end, and that may not be made again. */
function doubtOf(record: Recorded): CallFailed | undefined {
  const { key } = record;
  if (mayRepeat(record)) return undefined;
  const message = `the driver was gone before the answer to ${key} came; whether its side effect took place is not known`;
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
  let { end } = fold;
  for (const command of commands) {
    if (command.kind === 'invoke') asked.set(command.key, command);
    else if (command.kind !== 'suspend') end = command;
  }
  const discarded = [...fold.discarded, ...gone];
  return { program: fold.program, state, asked, discarded, ...(end === undefined ? {} : { end }) };
}

function toRefolded({ state, asked, discarded, end }: Fold): Refolded {
  if (end !== undefined) return { state, asked, discarded, commands: [end] };
  const unanswered = [...asked.values()].filter(({ key }) => state.awaited.has(key) && !state.pended.has(key));
  const suspension = suspensionOf(state);
  return { state, asked, discarded, commands: suspension === undefined ? unanswered : [suspension] };
}

function mismatched({ state, asked, discarded }: Fold, failure: Fail): Refolded {
  return { state: { ...state, stage: 'ended', failure }, asked, discarded, commands: [failure] };
}

function otherRequest({ key, request_hash }: Recorded, command: Invoke): Fail {
  return {
    ...mismatch(
      `the record says that ${key} was asked ${request_hash}, and this program would ask ${command.request_hash}`,
    ),
    call_key: key,
    ...(command.subject_id === undefined ? {} : { subject_id: command.subject_id }),
    ...(command.node_id === undefined ? {} : { node_id: command.node_id }),
  };
}

function neverAsked({ key }: Recorded): Fail {
  return mismatch(`the record holds the call ${key}, and this program never asks it`);
}

/** The failure of a turn whose record does not fit the program that goes on with it. */
export function mismatch(what: string): Fail {
  return { kind: 'fail', failure_class: 'record_mismatch', message: what };
}
