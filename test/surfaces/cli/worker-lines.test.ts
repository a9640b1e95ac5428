import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkerEvent } from '../../../engine/operations/running/run-worker.js';
import { paint } from '../../../engine/surfaces/cli/render/paint.js';
import { leftLines, toSentence } from '../../../engine/surfaces/cli/render/worker.js';
import { untilStopped } from '../../../engine/surfaces/cli/interruption.js';
import { printEvent } from '../../../engine/surfaces/cli/session.js';
import { afterEvent, type UnderWay } from '../../../engine/surfaces/cli/worker-task.js';
import { openTestTerminal } from './test-terminal.js';

const TURN = { world_slug: 'park', attempt_id: 'a', attempted_turn: 2 } as const;

test('a worker says whether a turn began, or continues and why', () => {
  const goesOn = { kind: 'turn_continued', ...TURN, answered: 3, interrupted: 0 } as const;
  assert.equal(toSentence({ kind: 'turn_began', ...TURN }), 'park: turn 2 began (attempt a)');
  assert.equal(
    toSentence({ ...goesOn, why: 'tool_result' }),
    'park: turn 2 continues, because it was answered; 3 calls from the record (attempt a)',
  );
  assert.equal(
    toSentence({ ...goesOn, why: 'undriven', answered: 1, interrupted: 2 }),
    'park: turn 2 continues, because its driver is gone or handed it over; 1 call from the record, 2 interrupted (attempt a)',
  );
});

test('a line of a worker names its host and process, for people and for programs', () => {
  const terminal = openTestTerminal();
  const event = { kind: 'turn_began', ...TURN } as const;
  printEvent({ terminal, as_json: false }, toSentence(event), event);
  assert.ok(terminal.out_text().endsWith('Z  here:4711  park: turn 2 began (attempt a)\n'));
  const other = openTestTerminal();
  printEvent({ terminal: other, as_json: true }, toSentence(event), event);
  const { at: _at, ...said } = JSON.parse(other.out_text()) as { readonly at: string };
  assert.deepEqual(said, { hostname: 'here', pid: 4711, ...event });
});

test('attempts under way are those that began or went on and have not ended', () => {
  const ends = { world_slug: 'sea', attempt_id: 'b', attempted_turn: 1 } as const;
  const events: readonly WorkerEvent[] = [
    { kind: 'turn_began', ...TURN },
    { kind: 'turn_continued', ...ends, why: 'undriven', answered: 0, interrupted: 1 },
    { kind: 'turn_deferred', world_slug: 'park', reason: 'held', delay_ms: 1 },
    { kind: 'turn_began', world_slug: 'moor', attempt_id: 'c', attempted_turn: 1 },
    { kind: 'turn_committed', ...ends },
    { kind: 'overtaken', world_slug: 'moor' },
    { kind: 'doorbell_found' },
  ];
  assert.deepEqual([...events.reduce<UnderWay>(afterEvent, new Map())], [['park', 'a']]);
});

test('a worker that is made to leave at once has the last word, and names the attempts under way', () => {
  const said: string[] = [];
  const terminal = openTestTerminal();
  const signals: AbortSignal[] = [];
  void untilStopped(
    terminal,
    (signal) => new Promise(() => signals.push(signal)),
    () => said.push(paint(leftLines(['a']), { width: 120, has_colours: false, program: 'npx chukwa' })),
  );
  terminal.interrupt();
  assert.deepEqual([signals[0]?.aborted, said, terminal.left], [true, [], []]);
  terminal.interrupt();
  assert.match(said.join(''), /^Left at once\. .* in doubt:\n {2}npx chukwa attempt a\n$/);
  assert.deepEqual(terminal.left, [130]);
  assert.match(
    paint(leftLines([]), { width: 120, has_colours: false, program: 'npx chukwa' }),
    /No attempt was under way/,
  );
});
