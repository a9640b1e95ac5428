import { present } from '../../contract/present.js';
import { type Outcome, type Problem, succeed } from '../../contract/problem.js';
import { isUuid } from '../../core/content/uuid.js';
import { isUndriven } from '../../core/protocol/work-state.js';
import type { Engine } from '../engine.js';
import { attemptUnknown } from '../browse/records.js';
import { type Acknowledgement, askToStop, withQueued } from '../settling/reports.js';
import { continueAttempt } from './run-worker.js';
import { findSlugProblem } from '../worlds/worlds.js';

/** A name in place of an id is probably that of a world. */
export function noSuchAttempt(id: string): Problem {
  if (isUuid(id) || findSlugProblem(id) !== undefined) return attemptUnknown(id);
  const repair = `Name an attempt that chukwa attempts ${id} lists; chukwa stop ${id} --queued takes back the queued turns of a world.`;
  return { ...attemptUnknown(id), repair };
}

/** Stops an attempt where no driver may be running: a suspended one is resumed here until its end. */
export async function stopToEnd(
  engine: Engine,
  attempt_id: string,
  reason: string | undefined,
): Promise<Outcome<Acknowledgement>> {
  const asked = await askToStop(engine, attempt_id, present({ reason }));
  if (!asked.ok || asked.value.world === undefined || asked.value.reason === 'late') return asked;
  const attempt = await engine.store.records.attempt(attempt_id);
  if (attempt !== undefined && isUndriven(attempt)) return succeed(withoutDriver(asked.value));
  if (attempt?.status !== 'suspended') return asked;
  const end = await continueAttempt(engine, asked.value.world);
  if (end.kind !== 'failed') return asked;
  const { failure_class } = end.failure;
  const message =
    failure_class === 'stopped'
      ? 'The attempt has been stopped.'
      : `The attempt failed before it could be stopped: ${failure_class}. See it: chukwa attempt ${attempt_id}`;
  return succeed(await withQueued(engine, { ...asked.value, message }));
}

function withoutDriver(acknowledgement: Acknowledgement): Acknowledgement {
  return {
    ...acknowledgement,
    message: `${acknowledgement.message} Its driver is gone, so a run is needed: chukwa run ${acknowledgement.world ?? ''}`,
  };
}
