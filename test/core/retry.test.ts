import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import { advance } from '../../engine/core/turn/advance.js';
import type { Invoke, TurnCommand } from '../../engine/core/protocol/command.js';
import type { CallEvent, CallFailed } from '../../engine/core/protocol/event.js';
import { mayRepeat } from '../../engine/core/protocol/failure.js';
import { type Recorded, refold } from '../../engine/core/turn/refold.js';
import { type TurnState, UNBEGUN } from '../../engine/core/turn/state.js';
import type { Program } from '../../engine/core/protocol/program.js';
import { compileSmallPark, SMALL_PARK_BEGAN, smallPark } from '../support/park-documents.js';
import { answered, finalPatch, modelSays, setState, toolCall } from '../support/turn-player.js';

const RUNS = { numRuns: 300, seed: 20_261_122 };
const CLASSES = ['timeout', 'transport', 'http_408', 'http_425', 'http_429', 'http_5xx', 'unavailable'] as const;
const READING: JsonObject = {
  id: 'weather',
  run: 'once_per_turn',
  scope: 'world',
  visible_to: 'all_subjects',
  request_template: {},
  inject_as: '/ambient/weather',
};

/** How a call can fail, by the class under which a `retry` lists it; the last three are never listed. */
const FAILURES: Readonly<Record<string, Pick<CallFailed, 'failure_class' | 'http_status'>>> = {
  timeout: { failure_class: 'timeout' },
  transport: { failure_class: 'transport' },
  http_408: { failure_class: 'http_status', http_status: 408 },
  http_425: { failure_class: 'http_status', http_status: 425 },
  http_429: { failure_class: 'http_status', http_status: 429 },
  http_5xx: { failure_class: 'http_status', http_status: 503 },
  unavailable: { failure_class: 'unavailable' },
  http_404: { failure_class: 'http_status', http_status: 404 },
  non_json: { failure_class: 'non_json' },
  tool_error: { failure_class: 'tool_error' },
};

/** Those that say that the call was not performed. */
const NOT_PERFORMED: readonly string[] = ['http_429', 'http_5xx', 'unavailable', 'http_404', 'tool_error'];

type Effect = 'read_only' | 'state_change' | 'repeatable';

const policyArbitrary = fc.record({
  max: fc.integer({ min: 1, max: 3 }),
  on: fc.uniqueArray(fc.constantFrom(...CLASSES), { minLength: 1 }),
});

const scriptArbitrary = fc.record({
  policy: policyArbitrary,
  ambient: fc.constantFrom<Effect>('read_only', 'state_change', 'repeatable'),
  tool: fc.constantFrom<Effect>('read_only', 'state_change', 'repeatable'),
  /** The ends of performances, one after the other, whichever call they are of; then all are answered. */
  performances: fc.array(fc.oneof(fc.constant('answer'), fc.constantFrom(...Object.keys(FAILURES))), { maxLength: 16 }),
});

type Script = typeof scriptArbitrary extends fc.Arbitrary<infer Value> ? Value : never;

function compile({ policy, ambient, tool }: Pick<Script, 'policy' | 'ambient' | 'tool'>): Program {
  return smallPark({
    tools: ['buy_candy'],
    allow: ['buy_candy', 'weather'],
    ambients: [{ ...READING, ...toBinding(ambient) }],
    constraints: { token_budget: 20_000, timeout_seconds: 3_600 },
    retry: policy,
    change: (workflow) => withTool(workflow, toBinding(tool)),
  });
}

function toBinding(effect: Effect): JsonObject {
  return effect === 'repeatable' ? { effect: 'external_side_effect', repeatable: true } : { effect };
}

function withTool(workflow: JsonObject, binding: JsonObject): JsonObject {
  const [node] = workflow['nodes'] as readonly JsonObject[];
  assert.ok(node);
  const tools = (node['available_tools'] as readonly JsonObject[]).map((tool) => ({ ...tool, ...binding }));
  return { ...workflow, nodes: [{ ...node, available_tools: tools }] };
}

interface Performance {
  readonly command: Invoke;
  /** As which it fails; undefined where it is answered. */
  readonly failed_as?: string;
}

interface Played {
  readonly performances: readonly Performance[];
  readonly records: readonly Recorded[];
  readonly end: TurnCommand | undefined;
  readonly state: TurnState;
}

function play(
  program: Program,
  script: readonly string[],
  from: { readonly state: TurnState; readonly commands: readonly TurnCommand[] },
  most = Infinity,
): Played {
  const left = [...script];
  const waiting = from.commands.filter((command): command is Invoke => command.kind === 'invoke');
  const performances: Performance[] = [];
  const records: Recorded[] = [];
  let end = from.commands.find(({ kind }) => kind !== 'invoke');
  let { state } = from;
  while (waiting.length > 0 && performances.length < most) {
    const command = waiting.shift() as Invoke;
    const what = left.shift() ?? 'answer';
    const event = what === 'answer' ? answer(command) : fail(command, what);
    performances.push({ command, ...(what === 'answer' ? {} : { failed_as: what }) });
    const { key, request_hash, call } = command;
    records.push({ key, request_hash, effect: call.effect, repeatable: call.repeatable, event });
    const step = advance(program, state, event);
    state = step.state;
    for (const next of step.commands) {
      if (next.kind === 'invoke') waiting.push(next);
      else end = next;
    }
  }
  return { performances, records, end, state };
}

/** The model calls its tool in the first round, and ends in the second. */
function answer(command: Invoke): CallEvent {
  if (command.invocation_kind !== 'llm_generation') return answered(command, { status: 'ok' });
  const output: Json = command.round === 1 ? toolCall('buy_candy') : finalPatch([setState('bob', 'well')]);
  return modelSays(command, output);
}

function fail({ key, call }: Invoke, what: string): CallFailed {
  const failure = FAILURES[what];
  assert.ok(failure);
  const is_unknown = !mayRepeat(call) && !NOT_PERFORMED.includes(what);
  const doubt = is_unknown ? ({ outcome_unknown: true } as const) : {};
  return { kind: 'call_failed', key, message: what, duration_ms: 7, ...failure, ...doubt };
}

const begin = (program: Program) => advance(program, UNBEGUN, SMALL_PARK_BEGAN);

/** Whether another performance may follow one that failed so. */
function mayFollow({ policy, ambient, tool }: Script, { command, failed_as }: Performance): boolean {
  if (failed_as === undefined || !(policy.on as readonly string[]).includes(failed_as)) return false;
  const effect: Readonly<Record<Invoke['invocation_kind'], string>> = {
    llm_generation: 'read_only',
    quality_gate: 'read_only',
    ambient_context: ambient,
    model_elected_tool: tool,
    node_call: tool,
  };
  return effect[command.invocation_kind] !== 'state_change' || NOT_PERFORMED.includes(failed_as);
}

function groupByKey(performances: readonly Performance[]): ReadonlyMap<string, readonly Performance[]> {
  const groups = new Map<string, readonly Performance[]>();
  for (const performance of performances) {
    const { key } = performance.command;
    groups.set(key, [...(groups.get(key) ?? []), performance]);
  }
  return groups;
}

describe('a retry', () => {
  test('a retry follows listed failures only, at most max times, and never a side effect that may have been performed', () => {
    fc.assert(
      fc.property(scriptArbitrary, (script) => {
        const program = compile(script);
        const { performances, end } = play(program, script.performances, begin(program));
        const byKey = groupByKey(performances);
        for (const made of byKey.values()) {
          assert.ok(made.length <= 1 + script.policy.max, 'a call is made again more often than max');
          for (const [index, performance] of made.entries()) {
            assert.equal(performance.command.retry?.number ?? 0, index);
            const isLast = index === made.length - 1;
            if (!isLast) assert.ok(mayFollow(script, performance), `${performance.failed_as} was followed by a retry`);
            else if (performance.failed_as !== undefined)
              assert.ok(
                !mayFollow(script, performance) || made.length === 1 + script.policy.max,
                'a retry that may be made was not',
              );
          }
        }
        const failed = [...byKey.values()].filter((made) => made.at(-1)?.failed_as !== undefined);
        assert.equal(end?.kind, failed.length === 0 ? 'commit' : 'fail');
      }),
      RUNS,
    );
  });

  test('a retry is repeated by a fold over the record: a turn that is cut anywhere comes to the same end without another retry', () => {
    fc.assert(
      fc.property(scriptArbitrary, fc.nat({ max: 16 }), (script, most) => {
        const program = compile(script);
        const whole = play(program, script.performances, begin(program));
        const cut = play(program, script.performances, begin(program), most);
        const folded = refold(program, SMALL_PARK_BEGAN, cut.records);
        const rest = play(program, script.performances.slice(cut.performances.length), folded);
        assert.deepEqual(rest.end, whole.end);
        assert.deepEqual(rest.state, whole.state);
        const made = [...cut.performances, ...rest.performances];
        assert.equal(made.length, whole.performances.length);
      }),
      RUNS,
    );
  });
});

const POLICY = { max: 3, on: ['http_429', 'http_5xx', 'transport'], backoff_ms: 100, backoff_max_ms: 1_000 };

/** The result when the first generation of a small park fails so. */
function afterFailures(failures: readonly Partial<CallFailed>[], park: Parameters<typeof smallPark>[0] = {}) {
  const program = smallPark({ retry: POLICY, ...park });
  let step: ReturnType<typeof advance> = begin(program);
  for (const failure of failures) {
    const [asked] = step.commands;
    assert.ok(asked?.kind === 'invoke');
    step = advance(program, step.state, { ...fail(asked, 'http_5xx'), ...failure });
  }
  const [command] = step.commands;
  return { program, step, command };
}

describe('the wait before a retry', () => {
  const waits = (count: number) => {
    const { command } = afterFailures(Array.from({ length: count }, () => ({})));
    assert.ok(command?.kind === 'invoke');
    return [command.retry?.least_ms, command.retry?.most_ms];
  };

  test('the wait before a retry doubles with each retry, and is between the half and the whole of that', () => {
    assert.deepEqual(waits(1), [50, 100]);
    assert.deepEqual(waits(2), [100, 200]);
    assert.deepEqual(waits(3), [200, 400]);
  });

  test('the wait before a retry is never shorter than Retry-After', () => {
    const { command } = afterFailures([{ retry_after_ms: 700 }]);
    assert.ok(command?.kind === 'invoke');
    assert.deepEqual([command.retry?.least_ms, command.retry?.most_ms], [700, 750]);
  });

  test('the wait before a retry is none where Retry-After asks for more than the longest wait: the attempt fails and says so', () => {
    const { command } = afterFailures([{ retry_after_ms: 3_600_000 }]);
    assert.ok(command?.kind === 'fail');
    assert.match(command.message, /asks for 3600 s without a request.*waits 1 s at most/);
    assert.deepEqual([command.is_transient, command.retry_after_ms], [true, 3_600_000]);
  });

  test('the wait before a retry is half a second at first, and 30 s at most, where the source does not say', () => {
    const retry = { max: POLICY.max, on: POLICY.on };
    const waitAfter = (failure: Partial<CallFailed>) => {
      const { command } = afterFailures([failure], { retry });
      return command?.kind === 'invoke' ? [command.retry?.least_ms, command.retry?.most_ms] : [];
    };
    assert.deepEqual(waitAfter({}), [250, 500]);
    assert.deepEqual(waitAfter({ retry_after_ms: 30_000 }), [30_000, 30_000]);
    assert.deepEqual(waitAfter({ retry_after_ms: 30_001 }), []);
  });

  test('the wait before a retry is for a service that fails with any status from 500 to 599', () => {
    const isRetried = (http_status: number) => afterFailures([{ http_status }]).command?.kind === 'invoke';
    assert.deepEqual([499, 500, 599, 600].map(isRetried), [false, true, true, false]);
  });

  test('the wait before a retry counts as time of the node: where that would be over, there is no retry', () => {
    const constraints = { token_budget: 1_000, timeout_seconds: 1 };
    const { command } = afterFailures([{ duration_ms: 850 }], { constraints });
    assert.ok(command?.kind === 'invoke');
    assert.equal(command.deadline_ms, 50);
    const { command: end } = afterFailures([{ duration_ms: 900 }], { constraints });
    assert.ok(end?.kind === 'fail');
    assert.match(end.message, /the time of node act would be over/);
  });

  test('the wait before a retry counts as time of the node for the generations after it, too', () => {
    const constraints = { token_budget: 1_000, timeout_seconds: 1 };
    const { program, step, command } = afterFailures([{ duration_ms: 400 }], { constraints });
    assert.ok(command?.kind === 'invoke');
    const [next] = advance(program, step.state, modelSays(command, 'nonsense')).commands;
    assert.ok(next?.kind === 'invoke');
    assert.equal(next.deadline_ms, 1_000 - 400 - 100 - 1);
  });
});

describe('a failed call that is made again', () => {
  test('keeps its key, its request and its generation try', () => {
    const { program, command } = afterFailures([{}]);
    const [first] = begin(program).commands;
    assert.ok(command?.kind === 'invoke' && first?.kind === 'invoke');
    const { retry, deadline_ms, ...again } = command;
    const { deadline_ms: _first_deadline, ...once } = first;
    assert.equal(retry?.number, 1);
    assert.ok(deadline_ms > 0);
    assert.deepEqual(again, once);
  });

  test('fails its attempt after the last retry, and the failure says how often it was made again', () => {
    const { command } = afterFailures([{}, {}, {}, {}]);
    assert.ok(command?.kind === 'fail');
    assert.match(command.message, /made again 3 of 3 times/);
    assert.equal(command.is_transient, true);
  });

  test('is not made again once its service has accepted it to answer later', () => {
    const { program, step, command } = afterFailures([{}]);
    assert.ok(command?.kind === 'invoke');
    const pended = advance(program, step.state, { kind: 'call_pended', key: command.key, deadline: 50 });
    const failed = { ...fail(command, 'timeout'), was_pending: true } as const;
    for (const { state } of [step, pended]) assert.equal(advance(program, state, failed).commands[0]?.kind, 'fail');
  });

  test('ends at once where the attempt has failed: a stopped turn makes no call again', () => {
    const { program, step, command } = afterFailures([{}]);
    assert.ok(command?.kind === 'invoke');
    const stopped = advance(program, step.state, { kind: 'stopped', reason: 'enough' });
    const [end] = advance(program, stopped.state, fail(command, 'transport')).commands;
    assert.ok(end?.kind === 'fail');
    assert.equal(end.failure_class, 'stopped');
  });
});

test('a source whose first wait before a retry is longer than its longest is a finding', () => {
  const compiled = compileSmallPark({ retry: { ...POLICY, backoff_ms: 1_001 } });
  assert.deepEqual(compiled.ok ? [] : compiled.problems.map(({ code, pointer }) => `${code} ${pointer}`), [
    'RETRY_BACKOFF_TOO_LONG /retry/backoff_ms',
  ]);
});
