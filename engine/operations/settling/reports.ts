import { type Outcome, problem, type Problem, refuse, succeed } from '../../contract/problem.js';
import type { Json } from '../../contract/json.js';
import { isUuid } from '../../core/content/uuid.js';
import { unreachable } from '../../contract/unreachable.js';
import type { GrantRecord } from '../../ports/approvals.js';
import type { Reported } from '../../ports/inbox.js';
import type { ActionSurface } from '../../ports/operator-actions.js';
import type { MeantCall } from '../../ports/pending-calls.js';
import type { WorldSnapshot } from '../../ports/worlds.js';
import type { Deleted } from '../worlds/delete-world.js';
import type { Archive, Engine } from '../engine.js';
import { findQueue, type QueueReport } from '../running/queue.js';
import { findReasonProblem } from '../people/reason.js';
import { findMisfits, type SettledCall, withoutSecrets } from './settle-call.js';
import { type SaidReport, settleByReport, toPayload } from './settle-by-report.js';

export type { SaidReport } from './settle-by-report.js';

/**
 * The outcome of a report to an attempt. It is `accepted` where it has an effect: the attempt resumes, or the report
 * has `settled` a call in doubt. Otherwise no retry is needed: `unknown` names nothing; `ambiguous` is the name of
 * several calls; `not_awaited` a call that is answered at once or not at all; `late` is for what is over; `duplicate`
 * was reported before.
 */
export interface Acknowledgement {
  readonly accepted: boolean;
  readonly reason?: 'settled' | 'unknown' | 'ambiguous' | 'not_awaited' | 'late' | 'duplicate';
  readonly message: string;
  readonly world?: string;
  readonly attempt_id?: string;
  readonly source_invocation_id?: string;
  /** What an action has made, as its command prints it with `--json`. */
  readonly made?: Made[keyof Made];
}

/** The turn that a patch of a person has become. */
export interface EditedWorld {
  readonly world_slug: string;
  readonly turn: number;
  readonly attempt_id: string;
}

/** What actions make, by their kind. */
export interface Made {
  readonly run_turns: QueueReport;
  readonly fork_world: WorldSnapshot;
  readonly delete_world: Deleted;
  readonly edit_world: EditedWorld;
  readonly settle_call: SettledCall;
  readonly grant_calls: GrantRecord;
}

/** How many expired calls one check handles; the rest are handled by the next. */
const EXPIRE_MAX = 100;

/**
 * Reports the end of a pending call, as its service does. A report may come before the call is recorded as pending, and
 * may be repeated. It settles a call in doubt.
 * @param correlation the id of the call, or the correlation id of its service
 * @returns a refusal where the call is just ending and the report has to be sent again, or where an answer that would
 * settle a doubt does not fit its schema
 */
export async function reportCall(
  engine: Engine,
  correlation: string,
  said: SaidReport,
): Promise<Outcome<Acknowledgement>> {
  const meant = await engine.store.pending.find(correlation);
  const [call] = meant;
  if (call === undefined || meant.length > 1) return succeed(notOne(correlation, meant));
  return reportMeant(engine, call, said);
}

/**
 * Reports the end of a call by hand. A service's wrong answer fails its call; a person can correct it, and is refused.
 * @returns a refusal also of an answer that does not fit the schema of its source, with each place in it, of a name that
 * is not the name of one call, and of a call that nothing awaits; nothing is stored then
 */
export async function reportByHand(
  engine: Engine,
  correlation: string,
  said: SaidReport,
): Promise<Outcome<Acknowledgement>> {
  const too_long = said.kind === 'failed' ? findReasonProblem(said.message) : undefined;
  if (too_long !== undefined) return refuse(too_long);
  const call = await findMeantCall(engine, correlation);
  if (!call.ok) return call;
  const misfits = said.kind === 'answered' ? await findMisfitsOfOpen(engine, call.value, said.value) : [];
  if (misfits.length > 0) return refuse(...misfits);
  const reported = await reportMeant(engine, call.value, said);
  if (!reported.ok || reported.value.reason !== 'not_awaited') return reported;
  return refuse(problem('CALL_NOT_AWAITED'));
}

/** Finds the call of a correlation id. @returns a refusal where there is none, or several */
export async function findMeantCall(engine: Engine, correlation: string): Promise<Outcome<MeantCall>> {
  const meant = await engine.store.pending.find(correlation);
  const [call] = meant;
  if (call !== undefined && meant.length === 1) return succeed(call);
  return refuse(problem(meant.length === 0 ? 'CALL_UNKNOWN' : 'CALL_AMBIGUOUS', { correlation }));
}

/** A call that has ended takes no answer; one in doubt is checked where it is settled. */
async function findMisfitsOfOpen(
  engine: Engine,
  { source_invocation_id, may_pend }: MeantCall,
  answer: Json,
): Promise<readonly Problem[]> {
  const call = may_pend ? await engine.store.records.invocation(source_invocation_id, 'redacted') : undefined;
  if (call === undefined || (call.status !== 'running' && call.status !== 'pending')) return [];
  const said = await withoutSecrets(engine, call, { answer, reason: null });
  return findMisfits(engine, call, said.answer);
}

async function reportMeant(engine: Engine, call: MeantCall, said: SaidReport): Promise<Outcome<Acknowledgement>> {
  const { source_invocation_id, world_slug: world } = call;
  const reported = await notifyAttempt(engine, call, said);
  if (reported.kind === 'undecided') return refuse(UNDECIDED);
  if (reported.kind !== 'late') return succeed({ ...acknowledge(reported, CALL), source_invocation_id });
  const settled = await settleByReport(engine, source_invocation_id, said);
  if (!settled.ok) return settled;
  if (settled.value === 'undecided') return refuse(UNDECIDED);
  const about = { world, attempt_id: reported.attempt_id, source_invocation_id };
  if (settled.value === 'settled')
    return succeed({ accepted: true, reason: 'settled', message: SETTLED[said.kind], ...about });
  if (!call.may_pend && settled.value === 'late') return succeed({ ...NOT_AWAITED, source_invocation_id });
  return succeed({ ...acknowledge({ ...reported, kind: settled.value }, CALL), source_invocation_id });
}

type ReportedCall = Exclude<Reported, { readonly kind: 'unknown' }>;

/** Reports go only to pending calls; another call may still be in doubt. */
async function notifyAttempt(engine: Engine, call: MeantCall, said: SaidReport): Promise<ReportedCall> {
  const { source_invocation_id, world_slug, attempt_id, may_pend } = call;
  if (!may_pend) return { kind: 'late', world_slug, attempt_id };
  const reported = await engine.store.inbox.report({
    inbox_id: engine.runtime.clock.uuid(),
    source_invocation_id,
    payload: toPayload(said),
  });
  return reported.kind === 'unknown' ? { kind: 'late', world_slug, attempt_id } : reported;
}

const SETTLED: Readonly<Record<SaidReport['kind'], string>> = {
  answered:
    'The call was in doubt, and the report settles it: it took place, and the next attempt continues with the answer.',
  failed: 'The call was in doubt, and the report settles it: it did not take place, and is made again.',
};

/** The report is not stored: it has to be sent again. */
const UNDECIDED = problem('CALL_ENDING');

/** Names no ids and no worlds: holders of a callback URL may know no other call. */
function notOne(correlation: string, meant: readonly MeantCall[]): Acknowledgement {
  return meant.length === 0
    ? { accepted: false, reason: 'unknown', message: problem('CALL_UNKNOWN', { correlation }).message }
    : { accepted: false, reason: 'ambiguous', message: problem('CALL_AMBIGUOUS', { correlation }).message };
}

const NOT_AWAITED: Acknowledgement = {
  accepted: false,
  reason: 'not_awaited',
  message: problem('CALL_NOT_AWAITED').message,
};

/** Requests that an attempt stop, running or suspended. Idempotent. @param by the reason is kept in the record */
export async function askToStop(
  engine: Pick<Engine, 'store' | 'runtime'>,
  attempt_id: string,
  { reason: why, surface = 'command_line' }: { readonly reason?: string; readonly surface?: ActionSurface } = {},
): Promise<Outcome<Acknowledgement>> {
  if (!isUuid(attempt_id)) return succeed(acknowledge({ kind: 'unknown' }, ATTEMPT));
  const reported = await engine.store.inbox.stop({
    inbox_id: engine.runtime.clock.uuid(),
    attempt_id,
    payload: { reason: `the attempt was stopped on request${why === undefined ? '' : `: ${why}`}` },
  });
  const acknowledgement = acknowledge(reported, ATTEMPT);
  return succeed(acknowledgement.accepted ? await withQueued(engine, acknowledgement, surface) : acknowledgement);
}

/** The acknowledgement of a stop, with the queued turns: they begin once the attempt has ended. */
export async function withQueued(
  archive: Archive,
  acknowledgement: Acknowledgement,
  surface: ActionSurface = 'command_line',
): Promise<Acknowledgement> {
  const { world = '', message } = acknowledgement;
  const { queued_turns } = await findQueue(archive, world);
  if (queued_turns === 0) return acknowledgement;
  const more = queued_turns === 1 ? 'One more turn is queued' : `${queued_turns} more turns are queued`;
  const way = surface === 'browser' ? '“Take them back” on the page of the world' : `chukwa stop ${world} --queued`;
  return { ...acknowledgement, message: `${message} ${more}: ${way} takes back the turns that have not begun.` };
}

type Sentences = Readonly<Record<Exclude<Reported['kind'], 'undecided'>, string>>;

const CALL: Sentences = {
  accepted: 'The report is stored, and the attempt continues with it.',
  duplicate: 'This call has been reported or settled before.',
  late: 'The call is over: it was answered, ran out of time, or its attempt has ended.',
  unknown: 'There is no such call.',
};

const ATTEMPT: Sentences = {
  accepted: 'The attempt is asked to stop: its driver, or the next one, ends it.',
  duplicate: 'The attempt has been asked to stop before.',
  late: 'The attempt is over.',
  unknown: 'There is no such attempt.',
};

function acknowledge(reported: Reported, sentences: Sentences): Acknowledgement {
  switch (reported.kind) {
    case 'unknown':
      return { accepted: false, reason: 'unknown', message: sentences.unknown };
    case 'accepted':
      return { accepted: true, message: sentences.accepted, ...about(reported) };
    case 'duplicate':
    case 'late':
      return { accepted: false, reason: reported.kind, message: sentences[reported.kind], ...about(reported) };
    case 'undecided':
      throw new Error('only the end of a call can be undecided, and that is refused');
    default:
      return unreachable(reported);
  }
}

function about({ world_slug: world, attempt_id }: Exclude<Reported, { readonly kind: 'unknown' }>) {
  return { world, attempt_id };
}

/** Notifies attempts of expired calls. @returns the number of calls */
export function expireCalls(engine: Pick<Engine, 'store' | 'runtime'>): Promise<number> {
  const inbox_ids = Array.from({ length: EXPIRE_MAX }, () => engine.runtime.clock.uuid());
  return engine.store.pending.expire(inbox_ids);
}
