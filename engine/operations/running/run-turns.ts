import { setTimeout } from 'node:timers/promises';
import { type Outcome, problem, type Problem, refuse, succeed } from '../../contract/problem.js';
import { present } from '../../contract/present.js';
import { pick } from '../../contract/pick.js';
import { turnBackoffMs } from '../../core/inbox/backoff.js';
import { atLeisure } from '../../core/workflow/at-leisure.js';
import type { Program } from '../../core/protocol/program.js';
import { simulationTime } from '../../core/world/simulation-time.js';
import type { Doubt, LeftWorld } from '../../ports/attempts.js';
import type { ApprovalRecord } from '../../ports/approvals.js';
import type { AwaitedCall } from '../../ports/pending-calls.js';
import type { InvocationSummary, PatchRecord, RanAttempt, ToolCallRecord } from '../../ports/records.js';
import type { OnProgress } from '../../runtime/progress.js';
import { Overtaken } from '../../runtime/overtaken.js';
import type { AttemptEnd } from '../../runtime/attempt-request.js';
import { runAttempt } from '../../runtime/run-attempt.js';
import type { Engine } from '../engine.js';
import { checkSources, loadToRun } from './load-program.js';
import { narrowRun, type Narrowing } from './narrow-run.js';
import { expireCalls } from '../settling/reports.js';
import { settleUnhandled } from '../settling/settle-by-report.js';
import { withStudyBudget } from '../studies/study-budget.js';
import { timeAt, unknownWorld, worldBusy } from '../worlds/worlds.js';

/** The output of `run --json`. */
export interface RunReport {
  readonly world: string;
  readonly turns: readonly TurnReport[];
  readonly awaited?: readonly AwaitedCall[];
  /** The calls that wait for a person. */
  readonly unapproved?: readonly ApprovalRecord[];
  /** Edited files of the world's scenario, by absolute path; the run does not use the edits. */
  readonly edited_files?: readonly string[];
  /** The first turn of the scenario that this run has adopted. */
  readonly scenario_adopted_from_turn?: number;
  readonly dry_run?: DryRunSummary;
}

export interface DryRunSummary {
  /** The real world's turn, which does not change. */
  readonly from_turn: number;
  readonly unused_answers: readonly { readonly turn: string; readonly key: string }[];
  /** Calls without a written answer, which ended the run. */
  readonly missing_answers: readonly Problem[];
  /** How many answers were made up and written, on request. */
  readonly written_answers?: number;
}

export interface TurnReport extends Pick<RanAttempt, (typeof TURN_MEMBERS)[number]> {
  readonly patches: readonly Pick<PatchRecord, (typeof PATCH_MEMBERS)[number]>[];
  readonly invocations: readonly InvocationReport[];
  /** The tool calls of models, in their order; also those that were rejected. */
  readonly tool_calls: readonly ToolCallRecord[];
  /** The failure may be transient, and the turn can be retried. */
  readonly is_transient?: true;
}

export type InvocationReport = Pick<InvocationSummary, (typeof INVOCATION_MEMBERS)[number]>;

const TURN_MEMBERS = [
  'attempted_turn',
  'attempt_id',
  'adopts',
  'status',
  'failure_class',
  'failure_message',
  'failed_source_invocation_id',
] as const;

const PATCH_MEMBERS = ['patch_seq', 'workflow_subject_entity_id', 'narration', 'effects'] as const;

const INVOCATION_MEMBERS = [
  'source_invocation_id',
  'parent_source_invocation_id',
  'invocation_seq',
  'invocation_kind',
  'ambient_source_id',
  'tool_name',
  'workflow_subject_entity_id',
  'workflow_node_id',
  'tool_loop_round',
  'logical_generation_attempt',
  'model_output_kind',
  'adopted_from',
  'status',
  'failure_class',
  'http_status',
  'llm_call_id',
  'response_json',
] as const;

export interface RunRequest extends Narrowing {
  readonly world_slug: string;
  /** The number of turns; the first failure ends the run. */
  readonly turns: number;
  /** No turn after this one is begun, whatever other drivers have played meanwhile. */
  readonly until_turn?: number;
  /** Begins the first turn anew: adopts nothing of the previous attempt, and ignores its doubts. */
  readonly anew?: boolean | undefined;
  /** How often a turn is retried after a transient failure; never by default. */
  readonly retries?: number;
  /** A person answers in place of models, within a day. */
  readonly at_leisure?: boolean;
  /** Overrides the workflows' execution of subjects: in order for written answers. */
  readonly execution?: Program['execution'];
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
  /** The command that runs this world again as it is run here, for repairs; without options by default. */
  readonly rerun?: string;
}

/** A person answers one question at a time. */
function toPlayed(program: Program, { at_leisure, execution }: RunRequest): Program {
  if (at_leisure === true) return { ...atLeisure(program), execution: 'per_subject_ordered' };
  return execution === undefined ? program : { ...program, execution };
}

/** Runs turns of a world in this process. A failed attempt is a report, not a refusal. */
export async function runTurns(engine: Engine, request: RunRequest): Promise<Outcome<RunReport>> {
  const world = await engine.store.worlds.find(request.world_slug);
  if (world === undefined) return unknownWorld(engine, request.world_slug);
  const loaded = await loadToRun(engine, world.scenario_hash);
  if (!loaded.ok) return loaded;
  const { scenario } = loaded.value;
  const narrowed = narrowRun(loaded.value.program, request);
  if (!narrowed.ok) return narrowed;
  const bounded = await withStudyBudget(engine, narrowed.value, request.world_slug);
  if (!bounded.ok) return bounded;
  const ready = await checkSources(engine, bounded.value, request.world_slug);
  if (!ready.ok) return ready;
  const program = toPlayed(ready.value, request);
  const rerun = request.rerun ?? `chukwa run ${request.world_slug}`;
  const turns: TurnReport[] = [];
  let left: LeftWorld | undefined;
  let committed = world.turn;
  let retries = 0;
  await expireCalls(engine);
  await settleUnhandled(engine);
  while (committed < world.turn + request.turns && !request.signal.aborted) {
    if (simulationTime(scenario, committed + 1) === undefined)
      return refuse(problem('WORLD_TIME_ENDED', { world_slug: request.world_slug, committed }));
    const played = await unlessLost(engine, { world_slug: request.world_slug, committed, rerun }, () =>
      runAttempt(engine.runtime, {
        ...request,
        program,
        simulationTime: (turn) => timeAt(scenario, turn),
        anew: request.anew === true && turns.length === 0,
        ...present({ left }),
      }),
    );
    if (!played.ok) return played;
    const end = played.value;
    if (end.kind === 'not_asked_for') break;
    // A report that the attempt did not come to handle may settle its call.
    if (end.kind === 'failed') await settleUnhandled(engine);
    if (end.kind !== 'committed' && end.kind !== 'failed' && end.kind !== 'suspended' && end.kind !== 'still_suspended')
      return refuseAttempt(engine, { slug: request.world_slug, rerun }, end);
    turns.push({ ...(await reportTurn(engine, end.attempt_id)), ...(mayPass(end) ? { is_transient: true } : {}) });
    if (end.kind === 'failed' && (await waitToRetry(request, end, retries))) {
      retries += 1;
      left = undefined;
      continue;
    }
    if (end.kind !== 'committed') break;
    ({ left } = end);
    committed = end.attempted_turn;
    retries = 0;
  }
  return succeed({ world: request.world_slug, turns, ...(await findAwaited(engine, turns.at(-1))) });
}

/** Waits before a retry. @returns false without a retry, or after a stop */
async function waitToRetry(
  { retries: most = 0, signal, onProgress }: RunRequest,
  end: Extract<AttemptEnd, { kind: 'failed' }>,
  retries: number,
): Promise<boolean> {
  const { attempted_turn, failure } = end;
  if (!mayPass(end) || retries >= most || signal.aborted) return false;
  const { failure_class } = failure;
  const wait_ms = turnBackoffMs(retries, Math.random(), failure.retry_after_ms);
  onProgress({ kind: 'turn_waits', attempted_turn, retry: retries + 1, retries: most, wait_ms, failure_class });
  // A stop ends the wait without an error.
  await setTimeout(wait_ms, undefined, { signal }).catch(() => {});
  return !signal.aborted;
}

/** Whether a failed turn can be retried: a call in doubt has to be settled first. */
function mayPass(end: AttemptEnd): boolean {
  return end.kind === 'failed' && end.failure.is_transient === true && !end.failure.is_in_doubt;
}

async function findAwaited(
  { store }: Engine,
  last: TurnReport | undefined,
): Promise<Pick<RunReport, 'awaited' | 'unapproved'>> {
  if (last?.status !== 'suspended') return {};
  const asked = await store.approvals.of(last.attempt_id);
  const unapproved = asked.filter(({ status }) => status === 'waiting');
  const awaited = await store.pending.awaitedBy(last.attempt_id);
  return { awaited, ...present({ unapproved: unapproved.length === 0 ? undefined : unapproved }) };
}

/** Reports the last certain turn where the database or the world is lost during a turn. */
export async function unlessLost<Value>(
  engine: Engine,
  { world_slug, committed, rerun }: { readonly world_slug: string; readonly committed: number; readonly rerun: string },
  work: () => Promise<Value>,
): Promise<Outcome<Value>> {
  try {
    return succeed(await work());
  } catch (error) {
    if (error instanceof Overtaken) return refuse(overtaken(world_slug));
    const problem = engine.store.database.findFault(error);
    if (problem === undefined) throw error;
    return refuse({
      ...problem,
      message: `${problem.message} Turn ${committed} of ${world_slug} is the last that is known to be committed.`,
      repair: `${problem.repair} Then: ${rerun}. Turn ${committed + 1} resumes from its records, with the same services: after a park, --toys starts them.`,
      details: { world_slug, last_committed_turn: committed },
    });
  }
}

function overtaken(world_slug: string): Problem {
  return problem('WORLD_OVERTAKEN', { world_slug }, { details: { world_slug } });
}

async function reportTurn({ store: { records } }: Engine, attemptId: string): Promise<TurnReport> {
  const record = await records.ranAttempt(attemptId);
  if (record === undefined) throw new Error(`the attempt ${attemptId} left no record`);
  const calling = record.invocations
    .filter((call) => call.invocation_kind === 'model_elected_tool' || call.failure_class === 'model_content')
    .map(({ source_invocation_id }) => source_invocation_id);
  return {
    ...pick(record, TURN_MEMBERS),
    patches: record.patches.map((patch) => pick(patch, PATCH_MEMBERS)),
    invocations: record.invocations.map((invocation) => pick(invocation, INVOCATION_MEMBERS)),
    tool_calls: calling.length === 0 ? [] : await records.toolCalls(record.world_slug, calling),
  };
}

export interface Refusable {
  readonly slug: string;
  readonly rerun: string;
}

/** The refusal of a turn that has not begun. */
export function refuseAttempt(
  engine: Engine,
  { slug, rerun }: Refusable,
  end: Exclude<AttemptEnd, { kind: 'committed' | 'failed' | 'suspended' | 'still_suspended' }>,
) {
  if (end.kind === 'unknown_world') return unknownWorld(engine, slug);
  if (end.kind === 'in_doubt') return refuse(callInDoubt({ slug, rerun }, end));
  if (end.kind === 'not_adoptable') return refuse(notAdoptable({ slug, rerun }, end));
  if (end.kind !== 'held') throw new Error(`a run that nobody else asked for ended as ${end.kind}`);
  return worldBusy(slug, end);
}

function notAdoptable({ slug, rerun }: Refusable, end: Extract<AttemptEnd, { kind: 'not_adoptable' }>): Problem {
  const { attempt_id, attempted_turn, reason } = end;
  const details = { world_slug: slug, attempt_id, attempted_turn };
  return problem('RECORD_NOT_ADOPTABLE', { ...details, reason, rerun }, { details });
}

function callInDoubt({ slug, rerun }: Refusable, { command_key, attempt_id, source_invocation_id }: Doubt): Problem {
  const details = { world_slug: slug, attempt_id, source_invocation_id, command_key };
  return problem('CALL_IN_DOUBT', { ...details, rerun }, { details });
}
