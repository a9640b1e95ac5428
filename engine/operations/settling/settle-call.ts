import { type Outcome, problem, type Problem, refuse, succeed } from '../../contract/problem.js';
import type { Json, JsonObject } from '../../contract/json.js';
import { present } from '../../contract/present.js';
import type { Settled, SettleCall } from '../../ports/attempts.js';
import type { AttemptRecord, InvocationRecord, InvocationSummary } from '../../ports/records.js';
import type { Engine } from '../engine.js';
import { findReasonProblem } from '../people/reason.js';
import { showAttempt, showInvocation } from '../browse/records.js';

interface SettleRequest {
  readonly attempt_id: string;
  /** Absent where only one call is in doubt. */
  readonly source_invocation_id?: string;
  /** What the call answered; absent where it was never performed. */
  readonly answer?: Json;
  readonly reason?: string;
}

export interface SettledCall {
  readonly world: string;
  readonly attempt_id: string;
  readonly source_invocation_id: string;
  readonly command_key: string;
  readonly performed: boolean;
  /** Of the same attempt. */
  readonly left_in_doubt: number;
}

/**
 * Settles a call whose side effect is in doubt, so that the next attempt can adopt from the failed one.
 * @returns a refusal, with places in the answer, where it does not fit the schema of the source's answers
 */
export async function settleCall(engine: Engine, request: SettleRequest): Promise<Outcome<SettledCall>> {
  const too_long = findReasonProblem(request.reason);
  if (too_long !== undefined) return refuse(too_long);
  const attempt = await showAttempt(engine, request.attempt_id);
  if (!attempt.ok) return attempt;
  const call = chooseCall(attempt.value, request.source_invocation_id);
  if (!call.ok) return call;
  const shown = await showInvocation(engine, call.value.source_invocation_id);
  if (!shown.ok) return shown;
  const { answer, reason } = request;
  const done = await settle(engine, shown.value, { settled_by: 'operator', ...present({ answer, reason }) });
  if (!done.ok) return done;
  const settled = done.value;
  if (settled.kind !== 'settled') return refuse(toProblem(settled.kind, attempt.value, call.value));
  const { world_slug: world, left_in_doubt } = settled;
  const { attempt_id, source_invocation_id, command_key } = shown.value;
  const performed = answer !== undefined;
  return succeed({ world, attempt_id, source_invocation_id, command_key, performed, left_in_doubt });
}

type Settlement = Pick<SettleCall, 'answer' | 'settled_by' | 'reason'>;

/**
 * Settles a call in doubt: secrets of the answer are replaced before it is checked and stored.
 * @returns a refusal, with places in the answer, where it does not fit
 */
export async function settle(
  engine: Engine,
  call: InvocationRecord,
  { answer, settled_by, reason }: Settlement,
): Promise<Outcome<Settled>> {
  const { attempt_id, source_invocation_id } = call;
  const said = await withoutSecrets(engine, call, { answer: answer ?? null, reason: reason ?? null });
  const misfits = answer === undefined ? [] : await findMisfits(engine, call, said.answer);
  if (misfits.length > 0) return refuse(...misfits);
  const settled = await engine.store.attempts.settle({
    attempt_id,
    source_invocation_id,
    settled_at: engine.runtime.clock.now(),
    settled_by,
    holder: engine.runtime.holder,
    ...present({ answer: answer === undefined ? undefined : said.answer, reason: said.reason ?? undefined }),
  });
  if (settled.kind === 'settled' && settled.left_in_doubt === 0) await ringForWorld(engine, settled.world_slug);
  return succeed(settled);
}

interface Said {
  readonly [member: string]: Json;
  readonly answer: Json;
  readonly reason: string | null;
}

/** Replaces the secrets of a call's source in an answer and a reason: they are stored without them. */
export async function withoutSecrets(engine: Engine, call: InvocationRecord, said: Said): Promise<Said> {
  const source = await engine.store.components.find('response_source', call.source_hash);
  if (source === undefined) throw new Error(`the source ${call.source_hash} is not stored`);
  const definition = source.content['interface'] as JsonObject & { readonly name: string };
  const of = { source: { plugin: definition.name, interface: definition }, correlation_id: call.source_invocation_id };
  return engine.replaceSecrets(of, said) as Said;
}

/** A turn that waited for the settlement is due now. Without a doorbell, workers poll. */
async function ringForWorld(engine: Engine, world_slug: string): Promise<void> {
  const doorbell = engine.openDoorbell();
  if (!doorbell.ok) return;
  doorbell.value.ring(world_slug);
  await doorbell.value.close();
}

/** The named call; else the first in doubt, which is the one that failed the attempt. */
function chooseCall(attempt: AttemptRecord, wanted: string | undefined): Outcome<InvocationSummary> {
  const unknown = attempt.invocations.filter(
    ({ outcome_unknown, adopted_from }) => outcome_unknown && adopted_from === null,
  );
  const named = unknown.find(
    ({ source_invocation_id }) => source_invocation_id === (wanted ?? attempt.failed_source_invocation_id),
  );
  const next = wanted === undefined && named?.settled_as !== null ? unknown.find(isInDoubt) : undefined;
  const chosen = next ?? named ?? (wanted === undefined ? unknown[0] : undefined);
  if (chosen !== undefined) return succeed(chosen);
  const { attempt_id } = attempt;
  return refuse(problem('CALL_NOT_IN_DOUBT', wanted === undefined ? { attempt_id } : { attempt_id, call: wanted }));
}

/** Whether it is unknown if a call had its side effect, and it may not be repeated. */
export function isInDoubt({ outcome_unknown, settled_as }: InvocationSummary): boolean {
  return outcome_unknown && settled_as === null;
}

/** The reasons why an answer does not fit the schema of its source, each with its place. */
export async function findMisfits(
  engine: Engine,
  call: Pick<InvocationRecord, 'output_schema_hash'>,
  answer: Json,
): Promise<readonly Problem[]> {
  if (call.output_schema_hash === null) return [];
  const schema = await engine.store.components.find('json_schema', call.output_schema_hash);
  if (schema === undefined) throw new Error(`the schema ${call.output_schema_hash} is not stored`);
  const validate = engine.authoring.compileSchema(schema.hash, schema.content);
  return validate.ok ? validate.value(answer).filter(({ severity }) => severity !== 'note') : validate.problems;
}

function toProblem(
  kind: Exclude<Settled['kind'], 'settled'>,
  { attempt_id, world_slug, status }: AttemptRecord,
  { source_invocation_id }: InvocationSummary,
): Problem {
  switch (kind) {
    case 'not_in_doubt':
      return problem('CALL_NOT_IN_DOUBT', { attempt_id });
    case 'already_settled':
      return problem('CALL_ALREADY_SETTLED', { source_invocation_id, world_slug });
    case 'not_ended':
      return problem('ATTEMPT_NOT_ENDED', { attempt_id, status, world_slug });
    case 'too_late':
      return problem('SETTLED_TOO_LATE', { attempt_id, world_slug });
  }
}
