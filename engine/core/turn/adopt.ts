import type { Program } from '../protocol/program.js';
import type { Fail } from '../protocol/command.js';
import type { TurnBegan } from '../protocol/event.js';
import type { AttemptFailureClass } from '../protocol/failure.js';
import { withoutRun } from '../../contract/scripted.js';
import { fallbackKey, isGenerationKey } from '../nodes/call-key.js';
import { contentOf, NOTHING_BEFORE } from './budgets.js';
import { neverAsked, otherRequest, type Recorded, type Refolded } from './refold.js';
import { refoldAsPlayed } from './speculation/refold-as-played.js';

/** The record of the attempt before, which failed at the same turn. */
export interface LeftTurn {
  readonly scenario_hash: string;
  readonly failure: Pick<Fail, 'failure_class' | 'is_transient' | 'call_key'>;
  /** In the order in which the calls ended, one for each key; those that it had adopted itself come along. */
  readonly records: readonly LeftCall[];
}

/** A call of that attempt. Those that were made later have higher numbers. */
export type LeftCall = Recorded & { readonly source_invocation_id: string; readonly invocation_seq: number };

/** Which calls a new attempt adopts, or why it may not begin. */
export type Adoption =
  | { readonly kind: 'adopts'; readonly source_invocation_ids: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Which calls of a failed attempt a new one adopts: they answer its commands, and are not made again. A run's number at
 * a call depends on the order of answers, failures among them, which are not adopted: so a record answers any command
 * with the same request. A read that answers none is left out.
 * @returns no calls where it begins anew; `refused` where that would make a side effect twice
 */
export function adopt(program: Program, began: TurnBegan, left: LeftTurn): Adoption {
  if (left.scenario_hash !== program.scenario_hash) return adoptNothing(left);
  const offered = latestOfEach(chooseAdopted(left)).map((call) => ({ ...call, is_adopted: true }));
  const misses = ({ answered }: Refolded) => offered.filter((call) => !answered.has(call));
  const budgets = { ...NOTHING_BEFORE, adopted: new Set(offered.map(contentOf)) };
  const folded = refoldAsPlayed(program, { ...began, budgets }, offered, (one) => !misses(one).some(hasActed));
  const act = misses(folded).find(hasActed);
  if (act !== undefined) return { kind: 'refused', reason: whyMissed(folded, misses(folded), act) };
  const adopted = offered.filter((call) => folded.answered.has(call));
  return { kind: 'adopts', source_invocation_ids: adopted.map(({ source_invocation_id }) => source_invocation_id) };
}

/** A request that a run repeated after another one has two answers: the later one led to the run's latest state. */
function latestOfEach(calls: readonly LeftCall[]): readonly LeftCall[] {
  const latest = new Map<string, LeftCall>();
  for (const call of calls) {
    const other = latest.get(contentOf(call));
    if (other === undefined || call.invocation_seq > other.invocation_seq) latest.set(contentOf(call), call);
  }
  return calls.filter((call) => latest.get(contentOf(call)) === call);
}

/** A request that has changed says more than a side effect to which the turn therefore does not come. */
function whyMissed({ asked }: Refolded, missed: readonly LeftCall[], act: LeftCall): string {
  for (const call of missed) {
    const command = asked.get(call.key);
    if (command !== undefined && command.request_hash !== call.request_hash) return otherRequest(call, command).message;
  }
  return neverAsked(act).message;
}

/** The records of other documents answer nothing. */
function adoptNothing({ records }: LeftTurn): Adoption {
  const act = records.find(hasActed);
  if (act === undefined) return { kind: 'adopts', source_invocation_ids: [] };
  return { kind: 'refused', reason: `the call ${act.key} had its side effect, and the documents have changed since` };
}

/** All that has ended, where nothing is known against it; else all up to the last side effect, which cannot be undone. */
function chooseAdopted({ records, failure }: LeftTurn): LeftTurn['records'] {
  // A read over which the attempt failed is requested again. A side effect is no such read, and cannot be undone.
  const ended = records.filter(
    (record) => isAnswered(record) && !(record.key === failure.call_key && record.effect === 'read_only'),
  );
  const usable = ended.filter((record) => !isInVain(record, ended));
  if (isAdoptedWhole(failure)) return usable;
  return usable.slice(0, usable.findLastIndex(hasActed) + 1);
}

/** Classes of failures without an answer: drivers died, no source was there, or a service did not accept the call. */
const SILENT_CLASSES: ReadonlySet<AttemptFailureClass> = new Set([
  'poisoned',
  'interrupted',
  'unavailable',
  'call_rejected',
]);

/** Whether a failure says nothing against the answers that its attempt had handled before. */
export function isAdoptedWhole({ failure_class, is_transient }: LeftTurn['failure']): boolean {
  return is_transient === true || SILENT_CLASSES.has(failure_class);
}

/** The first source of a generation is asked again where its fallback has not answered in its place. */
function isInVain({ key, event }: Recorded, ended: LeftTurn['records']): boolean {
  if (event?.kind !== 'call_failed' || !isGenerationKey(withoutRun(key))) return false;
  return !ended.some((other) => withoutRun(other.key) === fallbackKey(withoutRun(key)));
}

function hasActed({ effect, event }: Recorded): boolean {
  return effect !== 'read_only' && event?.kind === 'call_answered';
}

/** A failure after which the turn continued replaces an answer. */
function isAnswered({ event }: Recorded): boolean {
  return event?.kind === 'call_answered' || (event?.kind === 'call_failed' && event.is_final === true);
}
