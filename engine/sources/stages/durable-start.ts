import { type Begun, type Checked, type Halt, halt, type Stage } from '../passage.js';

/** The record of the call is durable before its first byte leaves. Up to here a refusal costs nothing outside. */
export const startDurably: Stage<Checked, Begun> = { name: 'durable start', pass: start };

async function start(passage: Checked): Promise<Begun | Halt> {
  if (passage.surroundings.signal.aborted)
    return halt(passage, 'stopped', 'the turn was stopped before the call was made');
  await passage.recorder.started();
  return { ...passage, begun: true };
}
