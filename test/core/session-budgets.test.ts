import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import type { Amounts } from '../../engine/core/protocol/amounts.js';
import { estimateCall } from '../../engine/core/budget/estimate.js';
import type { Invoke, TurnCommand } from '../../engine/core/protocol/command.js';
import type { BudgetsBefore, CallEvent, TurnBegan } from '../../engine/core/protocol/event.js';
import type { Program } from '../../engine/core/protocol/program.js';
import { advance } from '../../engine/core/turn/advance.js';
import { nodePlace, NOTHING_BEFORE } from '../../engine/core/turn/budgets.js';
import { adopt } from '../../engine/core/turn/adopt.js';
import { type Recorded, refold } from '../../engine/core/turn/refold.js';
import { UNBEGUN } from '../../engine/core/turn/state.js';
import { compileSmallPark, type SmallPark, smallPark } from '../support/park-documents.js';
import { BEGAN, ENTITIES, PLACES } from './concurrent-scene.js';
import { finalPatch } from '../support/turn-player.js';

const SUBJECTS = ['ada', 'ben', 'cai', 'dot', 'eve'];

const amounts = (change: Partial<Amounts>): Amounts => ({ tokens: 0, money: 0, generations: 0, ms: 0, ...change });

/** A park whose subjects think at the same time, with one budget for all of them. */
function crowd(session: JsonObject, more: SmallPark = {}): Program {
  return smallPark({
    subjects: SUBJECTS,
    entities: ENTITIES,
    environments: PLACES.map((label) => ({ label, content: 'Quiet.' })),
    prompt: 'Act, {{subject.id}}.',
    projection: { scope: 'subject_environment', memory: { recent: 0 } },
    profile: { budgets: { session } },
    change: (workflow) => ({ ...workflow, execution: 'per_subject_concurrent' }),
    ...more,
  });
}

function begin(program: Program, budgets?: BudgetsBefore) {
  const began: TurnBegan = { ...BEGAN, ...(budgets === undefined ? {} : { budgets }) };
  return { began, ...advance(program, UNBEGUN, began) };
}

const callsOf = (commands: readonly TurnCommand[]): readonly Invoke[] =>
  commands.filter((command) => command.kind === 'invoke');

const say = (said: Json): Json => ({ text: JSON.stringify(said), finish_reason: 'stop' });

const answer = ({ key }: Invoke, tokens: number, said: Json = finalPatch()): CallEvent => {
  const usage = { input_tokens: Math.ceil(tokens / 2), output_tokens: Math.floor(tokens / 2) };
  return { kind: 'call_answered', key, value: say(said), usage, duration_ms: 5 };
};

const recordOf = ({ key, request_hash }: Invoke, event?: CallEvent): Recorded => {
  return { key, request_hash, effect: 'read_only', repeatable: false, ...(event === undefined ? {} : { event }) };
};

const limits = (calls: readonly Invoke[]) =>
  calls.map(({ key, max_output_tokens = 0 }) => `${key}: ${max_output_tokens}`).toSorted();

test('calls that would fit wait for those under way, and none is refused', () => {
  const program = crowd({ token_budget: 2_500 }, { constraints: { token_budget: 1_000, timeout_seconds: 60 } });
  let { state, commands } = begin(program);
  assert.ok(callsOf(commands).length < SUBJECTS.length, 'the worst cases of all do not fit together');
  const waiting = [...callsOf(commands)];
  let asked = waiting.length;
  let end: TurnCommand | undefined;
  while (waiting.length > 0) {
    const call = waiting.pop();
    assert.ok(call !== undefined);
    ({ state, commands } = advance(program, state, answer(call, 300)));
    waiting.push(...callsOf(commands));
    asked += callsOf(commands).length;
    end = commands.find(({ kind }) => kind !== 'invoke') ?? end;
  }
  assert.equal(asked, SUBJECTS.length);
  assert.equal(end?.kind, 'commit');
  assert.equal(state.budgets.sessions[0]?.spent.tokens, 1_500);
  assert.equal(state.budgets.sessions[0]?.reserved.size, 0);
});

test('in any order of answers, failures and kills a turn ends, reserves nothing then, and its record folds to the same limits', () => {
  const move = fc.record({
    pick: fc.nat({ max: 9 }),
    tokens: fc.integer({ min: 2, max: 900 }),
    fails: fc.nat({ max: 9 }),
  });
  fc.assert(
    fc.property(
      fc.integer({ min: 200, max: 6_000 }),
      fc.array(move, { minLength: 12, maxLength: 40 }),
      (token_budget, moves) => {
        const program = crowd(
          { token_budget },
          {
            constraints: { token_budget: 1_000, timeout_seconds: 60 },
            retry: { max: 1, on: ['timeout'] },
          },
        );
        let { began, state, commands } = begin(program);
        const records: Recorded[] = [];
        let waiting: Invoke[] = [...callsOf(commands)];
        let end = commands.find(({ kind }) => kind === 'commit' || kind === 'fail');
        let largest = 1_000;
        for (let step = 0; end === undefined; step += 1) {
          const { pick, tokens, fails } = moves[step % moves.length] ?? { pick: 0, tokens: 2, fails: 9 };
          const call = waiting[pick % waiting.length];
          assert.ok(call !== undefined, 'a turn that has not ended waits for something');
          const event: CallEvent =
            fails === 0
              ? { kind: 'call_failed', key: call.key, failure_class: 'timeout', message: 'Too late.', duration_ms: 5 }
              : answer(call, tokens);
          // A driver that takes over at this moment would make the same calls, with the same limits.
          // Once it has failed, it wants no further answers.
          if (state.failure === undefined) {
            const resumed = refold(program, began, [...records, ...waiting.map((one) => recordOf(one))]);
            assert.deepEqual(limits(callsOf(resumed.commands)), limits(waiting));
          }
          largest = Math.max(largest, tokens);
          records.push(recordOf(call, event));
          ({ state, commands } = advance(program, state, event));
          waiting = [...waiting.filter((one) => one !== call), ...callsOf(commands)];
          end = commands.find(({ kind }) => kind === 'commit' || kind === 'fail');
        }
        const [budget] = state.budgets.sessions;
        assert.ok(budget !== undefined && budget.reserved.size === waiting.length);
        assert.ok(budget.spent.tokens - token_budget <= largest);
      },
    ),
    { numRuns: 80, seed: 20_261_127 },
  );
});

test('what earlier attempts have spent is spent, and what is adopted costs nothing anew', () => {
  const program = crowd({ turn_limit: SUBJECTS.length });
  const first = begin(program);
  const calls = callsOf(first.commands);
  const spent = new Map(SUBJECTS.map((subject) => [subject, amounts({ generations: 1 })]));
  const refused = begin(program, { ...NOTHING_BEFORE, spent });
  const [end] = refused.commands;
  assert.ok(end?.kind === 'fail' && end.failure_class === 'budget_exhausted');
  assert.match(
    end.message,
    /^the session budget of profile profile is used up: 0 generations of 5 generations are left/,
  );
  const left = calls.map((call, index) => ({
    ...recordOf(call, { ...answer(call, 10), usage: 'paid_before' } as CallEvent),
    source_invocation_id: call.key,
    invocation_seq: index + 1,
  }));
  const failure = { failure_class: 'interrupted' } as const;
  const adoption = adopt(program, first.began, { scenario_hash: program.scenario_hash, failure, records: left });
  assert.deepEqual(adoption, { kind: 'adopts', source_invocation_ids: calls.map(({ key }) => key) });
  assert.equal(calls.length, SUBJECTS.length);
  const adopted = new Set(calls.map(({ key, request_hash }) => `${key} ${request_hash}`));
  const began: TurnBegan = { ...BEGAN, budgets: { ...NOTHING_BEFORE, spent, adopted } };
  const resumed = refold(
    program,
    began,
    left.map((call) => ({ ...call, is_adopted: true })),
  );
  assert.deepEqual(
    resumed.commands.map(({ kind }) => kind),
    ['commit'],
  );
});

test('a call takes no longer than what is left of the time of its session', () => {
  const program = crowd({ timeout_seconds: 2 }, { subjects: ['ada'] });
  const before = { ...NOTHING_BEFORE, spent: new Map([['ada', amounts({ ms: 1_400 })]]) };
  const [call] = callsOf(begin(program, before).commands);
  assert.equal(call?.deadline_ms, 600);
  const over = { ...NOTHING_BEFORE, spent: new Map([['ada', amounts({ ms: 2_000 })]]) };
  assert.match(
    JSON.stringify(begin(program, over).commands),
    /0 seconds of 2 seconds are left.*raise budgets\.session\.timeout_seconds/,
  );
});

test('an answer is expected to be as long as most earlier ones of its node, else as its source permits', () => {
  const [call] = callsOf(begin(crowd({ token_budget: 100_000 })).commands);
  assert.ok(call !== undefined);
  const expected = (outputs: readonly number[], output_limit?: number): number => {
    const source = { ...call.call.source, ...(output_limit === undefined ? {} : { output_limit }) };
    const { least } = estimateCall(
      { ...call, call: { ...call.call, source } },
      { outputs, unspent: { tokens: 100_000 }, price: undefined },
    );
    const { least: prompt } = estimateCall(call, { outputs: [0], unspent: {}, price: undefined });
    return least.tokens - prompt.tokens;
  };
  assert.equal(expected([...Array.from({ length: 19 }, () => 40), 900]), 40);
  assert.equal(expected([40, 900]), 900);
  assert.equal(expected([], 500), 500);
  assert.equal(expected([700], 500), 500);
  assert.equal(expected([]), 1_024, 'not the whole budget of its node');
});

test('a verdict of a gate counts against the session, and is expected to be as long as earlier verdicts', () => {
  const change = (workflow: JsonObject): JsonObject => ({
    ...workflow,
    nodes: (workflow['nodes'] as readonly JsonObject[]).map(withGate),
  });
  const program = crowd({ token_budget: 3_000 }, { subjects: ['ada'], change });
  const [own] = callsOf(begin(program).commands);
  assert.ok(own !== undefined);
  const before = (verdict: number): BudgetsBefore => ({
    ...NOTHING_BEFORE,
    outputs: new Map([
      [nodePlace(own), [2_000]],
      [nodePlace({ ...own, invocation_kind: 'quality_gate' }), [verdict]],
    ]),
  });
  const first = begin(program, before(20));
  const asked = advance(program, first.state, answer(own, 2_500));
  const [gate] = callsOf(asked.commands);
  assert.equal(gate?.invocation_kind, 'quality_gate', JSON.stringify(asked.commands));
  const passed = advance(program, asked.state, answer(gate, 100, { decision: 'pass', reason: 'It is true.' }));
  assert.equal(passed.state.budgets.sessions[0]?.spent.tokens, 2_600);
  const longer = advance(program, begin(program, before(600)).state, answer(own, 2_500));
  assert.match(
    JSON.stringify(longer.commands),
    /500 tokens of 3000 tokens are left, and the next call of ada in node act/,
  );
});

/** Its gate asks the same source. */
function withGate(node: JsonObject): JsonObject {
  const prompt_template = { messages: [{ role: 'user', content: 'Judge: {{gate.answer}}' }] };
  return { ...node, gate: { llm_source_ref: node['llm_source_ref'] ?? null, prompt_template } };
}

test('a node that may use more than its session is noted, with its place', () => {
  const compiled = compileSmallPark({
    profile: { budgets: { session: { token_budget: 500, turn_limit: 3, timeout_seconds: 60 } } },
    constraints: { token_budget: 501, turn_limit: 3, timeout_seconds: 61 },
  });
  assert.ok(compiled.ok);
  assert.deepEqual(
    compiled.notes.map(({ code, pointer, document }) => `${code} ${document.kind} ${pointer}`),
    [
      'NODE_BUDGET_ABOVE_SESSION cognition_profile /budgets/session/token_budget',
      'NODE_BUDGET_ABOVE_SESSION cognition_profile /budgets/session/timeout_seconds',
    ],
  );
});
