import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { setImmediate as pause } from 'node:timers/promises';
import type { EffectClass } from '../../engine/generated/workflow.js';
import { advance } from '../../engine/core/turn/advance.js';
import type { CallOutcome } from '../../engine/ports/sources.js';
import { type Attempt, type Call, handleOutcome, moveTo, openAttempt } from '../../engine/runtime/attempt.js';
import { openArrivals } from '../../engine/runtime/arrivals.js';
import { openJournal, writeAlone } from '../../engine/runtime/journal.js';
import type { RuntimeParts } from '../../engine/runtime/runtime-parts.js';
import { parkWithReadings, SMALL_PARK_BEGAN, smallPark } from '../support/park-documents.js';

/**
 * Whether the end of a turn's first call is written before anything else happens, while no time passes.
 * @param readings the ambient sources that are asked first, at once
 */
async function isWrittenAtOnce(readings: readonly string[], effect: EffectClass): Promise<boolean> {
  const written: string[] = [];
  const writes = {
    writeCalls: async ({ finished }: { readonly finished: readonly { readonly outcome: CallOutcome }[] }) =>
      void written.push(...finished.map(({ outcome }) => outcome.key)),
  };
  const attempt = openAttempt({
    program: smallPark(parkWithReadings(readings)),
    arrivals: openArrivals(),
    journal: openJournal(writes),
    onProgress: () => {},
  } as unknown as Attempt);
  const commands = moveTo(attempt, advance(attempt.program, attempt.state, SMALL_PARK_BEGAN));
  for (const command of commands) {
    assert.ok(command.kind === 'invoke');
    const made = { ...command, call: { ...command.call, effect } };
    const start = { source_invocation_id: command.key, command: made };
    attempt.calls.set(command.key, { start, abort: new AbortController(), stage: 'made' } as unknown as Call);
  }
  const [key = ''] = attempt.calls.keys();
  const outcome = { key, status: 'succeeded', view: { status: 'ok' }, started_at: 0, ended_at: 1 };
  handleOutcome({} as RuntimeParts, attempt, outcome as unknown as CallOutcome);
  for (let turn = 0; turn < 5; turn += 1) await pause();
  const isWritten = written.includes(key);
  await writeAlone(attempt.journal, async () => {});
  assert.deepEqual(written, [key]);
  return isWritten;
}

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
afterEach(() => mock.timers.reset());

test('the end of a reading from which nothing follows waits for other writes', async () =>
  assert.equal(await isWrittenAtOnce(['weather', 'news'], 'read_only'), false));

test('the end of a reading from which calls follow waits for nothing', async () =>
  assert.equal(await isWrittenAtOnce(['weather'], 'read_only'), true));

test('the end of a side effect waits for nothing, though nothing follows from it', async () => {
  assert.equal(await isWrittenAtOnce(['weather', 'news'], 'state_change'), true);
  assert.equal(await isWrittenAtOnce(['weather', 'news'], 'external_side_effect'), true);
});
