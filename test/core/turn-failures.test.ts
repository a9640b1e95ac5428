import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { placeholderUnresolved, templateUnresolved } from '../../engine/core/nodes/node-failure.js';
import { advance } from '../../engine/core/turn/advance.js';
import type { TurnEvent } from '../../engine/core/protocol/event.js';
import { type InvocationFailureClass, isTransient } from '../../engine/core/protocol/failure.js';
import { UNBEGUN } from '../../engine/core/turn/state.js';
import { smallPark, smallWorld } from '../support/park-documents.js';
import { answered, finalPatch, modelSays, toolCall } from '../support/turn-player.js';

const BEGAN: TurnEvent = { kind: 'turn_began', world: smallWorld(), simulation_time: '2026-05-01T09:01:00.000Z' };
const STOPPED: TurnEvent = { kind: 'stopped', reason: 'enough' };

describe('a turn that is stopped', () => {
  const program = smallPark({ tools: ['buy_candy'], subjects: ['bob', 'ant'] });

  /** The failure of a turn that was stopped after so many answers, the call in flight answered afterwards. */
  function stopAfter(...says: readonly (ReturnType<typeof finalPatch> | 'tool')[]) {
    let step = advance(program, UNBEGUN, BEGAN);
    for (const said of says) {
      const [command] = step.commands;
      assert.ok(command?.kind === 'invoke');
      step = advance(program, step.state, said === 'tool' ? answered(command, {}) : modelSays(command, said));
    }
    const [asked] = step.commands;
    assert.ok(asked?.kind === 'invoke');
    const stopping = advance(program, step.state, STOPPED);
    const { commands } = advance(program, stopping.state, answered(asked, {}));
    const [failure] = commands;
    assert.ok(failure?.kind === 'fail');
    const { failure_class, subject_id, node_id, call_key } = failure;
    return [failure_class, subject_id, node_id, call_key];
  }

  test('names the subject and the node that ran, and the call in flight', () => {
    assert.deepEqual(stopAfter(), ['stopped', 'bob', 'act', 'bob/act/round-1/try-1']);
  });

  test('names the tool that a model had called', () => {
    assert.deepEqual(stopAfter(toolCall('buy_candy')), ['stopped', 'bob', 'act', 'bob/act/round-1/try-1/tool']);
  });

  test('names the second subject when the first has finished', () => {
    assert.deepEqual(stopAfter(finalPatch()), ['stopped', 'ant', 'act', 'ant/act/round-1/try-1']);
  });

  test('before it has begun names no subject', () => {
    const { commands } = advance(program, UNBEGUN, STOPPED);
    assert.deepEqual(commands, [{ kind: 'fail', failure_class: 'stopped', message: 'enough' }]);
  });
});

describe('a failure is transient', () => {
  const FAILURES: readonly (readonly [InvocationFailureClass, number | undefined, boolean])[] = [
    ['transport', undefined, true],
    ['timeout', undefined, true],
    ['unavailable', undefined, true],
    ['http_status', 408, true],
    ['http_status', 425, true],
    ['http_status', 429, true],
    ['http_status', 500, true],
    ['http_status', 599, true],
    ['http_status', 400, false],
    ['http_status', 404, false],
    ['http_status', 302, false],
    ['http_status', undefined, false],
    ['tool_error', 503, false],
    ['call_rejected', 429, false],
    ['non_json', undefined, false],
    ['schema_invalid', undefined, false],
    ['model_refusal', 429, false],
    ['stopped', undefined, false],
    ['interrupted', undefined, false],
  ];
  for (const [failure_class, http_status, expected] of FAILURES)
    test(`${expected ? 'where' : 'not where'} the class is ${failure_class}${http_status === undefined ? '' : ` with status ${http_status}`}`, () => {
      const status = http_status === undefined ? {} : { http_status };
      assert.equal(isTransient({ failure_class, ...status }), expected);
    });

  test('and the attempt that ends with it says so, and how long the service asked to be left alone', () => {
    const program = smallPark({ subjects: ['bob'] });
    const { state, commands } = advance(program, UNBEGUN, BEGAN);
    const [asked] = commands;
    assert.ok(asked?.kind === 'invoke');
    const failed = {
      kind: 'call_failed',
      key: asked.key,
      failure_class: 'http_status',
      message: 'busy',
      http_status: 503,
      retry_after_ms: 7000,
    } as const;
    const [failure] = advance(program, state, failed).commands;
    assert.ok(failure?.kind === 'fail');
    assert.deepEqual([failure.is_transient, failure.retry_after_ms], [true, 7000]);
    const [other] = advance(program, state, { ...failed, http_status: 400 }).commands;
    assert.ok(other?.kind === 'fail');
    assert.equal(other.is_transient, undefined);
  });
});

const CONTEXT = {
  ambient: { air: { co2: 400 } },
  nodes: { plan: { output: { intent: 'eat', mood: { now: 'calm' }, likes: ['tea'] } } },
};

const PROMPTS: readonly (readonly [name: string, said: RegExp])[] = [
  ['nodes.plan.output.intnt', /at nodes\.plan\.output stands: intent, mood, likes$/],
  ['nodes.plan.output.mood.then', /at nodes\.plan\.output\.mood stands: now$/],
  ['nodes.plan.output.intent.deep', /at nodes\.plan\.output\.intent stands: a string$/],
  ['ambient.air.co', /at ambient\.air stands: co2$/],
  ['nodes.plan.output.likes.4', /at nodes\.plan\.output\.likes stands: a list of 1$/],
];

for (const [name, said] of PROMPTS) {
  test(`a prompt that reads {{${name}}} is reported with the existing names, and without a default`, () => {
    const { message } = placeholderUnresolved('the prompt of node act', name, CONTEXT);
    assert.match(message, said);
    assert.ok(message.startsWith(`the prompt of node act reads {{${name}}}, and nothing stands there`));
    assert.doesNotMatch(message, /default/);
  });
}

test('a request that reads a missing value is reported with the existing names, and with a default', () => {
  const { message } = templateUnresolved('node buy', '/nodes/plan/output/intnt', CONTEXT);
  assert.match(message, /at \/nodes\/plan\/output stands: intent, mood, likes\. Write a default/);
  assert.match(templateUnresolved('node buy', '/wrld', CONTEXT).message, /at the top stands: ambient, nodes\./);
});

test('of many members ten are listed', () => {
  const output = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`member_${index}`, 0]));
  const { message } = placeholderUnresolved('it', 'nodes.plan.output.x', { nodes: { plan: { output } } });
  assert.match(message, /member_9, and 2 more$/);
});
