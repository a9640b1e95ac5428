import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Invoke } from '../../../engine/core/protocol/command.js';
import type { InvocationReport, TurnReport } from '../../../engine/operations/running/run-turns.js';
import type { Progress } from '../../../engine/runtime/progress.js';
import { paint } from '../../../engine/surfaces/cli/render/paint.js';
import { endingLines } from '../../../engine/surfaces/cli/render/run.js';
import { type Story, narrate, STORY_BEGINNING } from '../../../engine/surfaces/cli/render/story.js';

interface Made {
  readonly id: string;
  readonly kind: Invoke['invocation_kind'];
  readonly failure_class: 'unavailable' | 'transport' | 'call_rejected';
  readonly message: string;
  readonly has_retry?: true;
  readonly subject?: string;
}

function finished({ id, kind, failure_class, message, has_retry, subject = 'bob' }: Made): Progress {
  const limits = { max_runtime_ms: 1000, max_request_bytes: 1000, max_result_bytes: 1000 };
  const source = { hash: 'a'.repeat(64), label: 'some_source', plugin: 'http_json', interface: {} };
  const retry =
    has_retry === undefined
      ? {}
      : { retry: { max: 1, on: new Set(['transport' as const]), backoff_ms: 1, backoff_max_ms: 1 } };
  const call = { source, effect: 'read_only', repeatable: false, redaction: 'all', limits, ...retry } as const;
  return {
    kind: 'call_finished',
    source_invocation_id: id,
    command: {
      kind: 'invoke',
      key: `${subject}/${id}`,
      invocation_kind: kind,
      subject_id: subject,
      node_id: 'act',
      call,
      request: {},
      request_hash: '',
      workflow_hash: '',
      deadline_ms: 1000,
    },
    outcome: {
      status: 'failed',
      key: `${subject}/${id}`,
      ended_at: 0,
      duration_ms: 12,
      validation_status: 'not_checked',
      failure_class,
      failure_message: message,
      refused: false,
    },
  };
}

/** The output for a turn whose calls fail, of which the first ends it. */
function show(...calls: readonly [Made, ...Made[]]) {
  const [{ id, failure_class, message }] = calls;
  const ended: Progress = {
    kind: 'attempt_failed',
    attempt_id: 'attempt',
    attempted_turn: 1,
    failure: { kind: 'fail', failure_class, message, subject_id: 'bob' },
    source_invocation_id: id,
  };
  const began = { attempt_id: 'attempt', attempted_turn: 1, simulation_time: '2025-10-04T12:10:00Z' };
  let story: Story = { ...STORY_BEGINNING, rerun: { run: ['run', 'park'], without_model: ['run', 'park'] } };
  const events: readonly Progress[] = [{ kind: 'attempt_began', ...began }, ...calls.map(finished), ended];
  const narrated = events.flatMap((event) => {
    const next = narrate(story, event);
    story = next.story;
    return next.lines;
  });
  const turn: TurnReport = {
    ...began,
    adopts: null,
    status: 'failed',
    failure_class,
    failure_message: message,
    ...(failure_class === 'transport' ? { is_transient: true } : {}),
    failed_source_invocation_id: id,
    patches: [],
    tool_calls: [],
    invocations: calls.map(toReport),
  };
  const ending = endingLines({ world: 'park', turns: [turn] }, story);
  const canvas = { width: 10_000, has_colours: false, program: 'chukwa' };
  return { narrated: paint(narrated, canvas), ending: paint(ending, canvas) };
}

function toReport({ id, kind, failure_class }: Made): InvocationReport {
  return {
    source_invocation_id: id,
    invocation_kind: kind,
    failure_class,
    status: 'failed',
    llm_call_id: kind === 'llm_generation' ? `llm-${id}` : null,
    adopted_from: null,
  } as unknown as InvocationReport;
}

const TOOL: Made = { id: 'tool', kind: 'model_elected_tool', failure_class: 'unavailable', message: 'No toy.' };
const MODEL: Made = { id: 'model', kind: 'llm_generation', failure_class: 'unavailable', message: 'No model.' };

test('the message of a failure is shown once where the line of its call shows all of it', () => {
  const message = 'x'.repeat(400);
  assert.equal(show({ ...TOOL, message }).narrated.split(message).length, 2);
});

test('the message of a failure is shown whole where the line of its call cuts it', () => {
  const message = `${'x'.repeat(400)} and the end`;
  assert.equal(show({ ...TOOL, message }).narrated.split(message).length, 2);
});

test('the message of the call that ended the turn is shown once, also where another failed after it', () => {
  assert.equal(show(TOOL, MODEL).narrated.split('No toy.').length, 2);
});

test('to do without the model is suggested where its call ended the turn, and only there', () => {
  assert.match(show(MODEL, TOOL).ending, /Without that model:\n.*--llm scripted/);
  assert.match(show({ ...MODEL, failure_class: 'call_rejected' }).ending, /Without that model:/);
  assert.doesNotMatch(show(TOOL, MODEL).ending, /Without that model/);
});

test('the message of the call that ended the turn is shown again where lines of another subject are between', () => {
  assert.equal(show(TOOL, { ...MODEL, subject: 'ann' }).narrated.split('No toy.').length, 3);
});

test('a source whose call ended the turn has its own retries, whatever else failed', () => {
  const ended: Made = { ...TOOL, failure_class: 'transport', has_retry: true };
  assert.doesNotMatch(show(ended, MODEL).ending, /"retry"/);
  assert.match(show({ ...MODEL, failure_class: 'transport' }, ended).ending, /"retry"/);
});
