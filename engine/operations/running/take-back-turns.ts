import { type Outcome, succeed } from '../../contract/problem.js';
import { present } from '../../contract/present.js';
import type { Engine } from '../engine.js';
import type { ActionSurface } from '../../ports/operator-actions.js';
import type { Acknowledgement } from '../settling/reports.js';
import { unknownWorld } from '../worlds/worlds.js';

const TAKEN_BACK = 'it was cancelled on request';

/**
 * Removes a world's queued turns that have no attempt yet. Idempotent.
 * @returns names the open attempt, which continues
 */
export async function takeBackTurns(
  engine: Engine,
  world: string,
  surface: ActionSurface = 'command_line',
): Promise<Outcome<Acknowledgement>> {
  const taken_back = await engine.store.inbox.takeBack(world, TAKEN_BACK);
  if (taken_back === undefined) return unknownWorld(engine, world);
  const attempts = await engine.store.records.attempts(world);
  const open = attempts.find(({ status }) => status === 'running' || status === 'suspended');
  const done =
    taken_back === 0
      ? ({ accepted: false, reason: 'late', message: `${world} has no queued turn that has not begun.` } as const)
      : { accepted: true, message: `Took back ${taken_back === 1 ? '1 turn' : `${taken_back} turns`} of ${world}.` };
  const way = surface === 'browser' ? '“Stop it” on the page of its attempt' : `chukwa stop ${open?.attempt_id}`;
  const more = open === undefined ? '' : ` One has begun and continues; to stop it: ${way}`;
  return succeed({ ...done, message: `${done.message}${more}`, world, ...present({ attempt_id: open?.attempt_id }) });
}
