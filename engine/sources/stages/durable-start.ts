import { setImmediate } from 'node:timers/promises';
import { present } from '../../contract/present.js';
import { type Begun, type Checked, type Halt, halt, whyUnwanted } from '../passage.js';

/**
 * The record of the call is durable before its first byte leaves. Up to here a refusal costs nothing outside; from here on
 * the call is prepared, as far as that takes no byte outside, while the database works.
 */
export async function startDurably(passage: Checked): Promise<Begun | Halt> {
  if (passage.surroundings.signal.aborted)
    return halt(passage, 'stopped', `${whyUnwanted(passage)} before the call was made`);
  const { model, origin } = passage.route;
  // The path of a URL may hold a secret, as that of some services does: it is left out.
  const resolved = present({ model, origin: origin && new URL(origin.url).origin });
  const durable = passage.recorder.started(resolved, passage.ruling);
  // The promise is rejected with the reason for those who wait for it; until then it must not count as unhandled.
  durable.catch(() => {});
  // Preparing the request must not keep the database waiting for the statement.
  await setImmediate();
  return { ...passage, begun: true, durable };
}
