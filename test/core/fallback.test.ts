import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../../engine/contract/json.js';
import type { Invoke, TurnCommand } from '../../engine/core/protocol/command.js';
import type { CallEvent, CallFailed } from '../../engine/core/protocol/event.js';
import type { Program } from '../../engine/core/protocol/program.js';
import type { Verdict } from '../../engine/core/protocol/verdict.js';
import { adopt, type LeftCall, type LeftTurn } from '../../engine/core/turn/adopt.js';
import { advance } from '../../engine/core/turn/advance.js';
import { refold } from '../../engine/core/turn/refold.js';
import { type TurnState, UNBEGUN } from '../../engine/core/turn/state.js';
import {
  compileSmallPark,
  type Shelf,
  SMALL_PARK_BEGAN,
  type SmallPark,
  smallPark,
} from '../support/park-documents.js';
import { answered, finalPatch, modelSays, setState, toolCall } from '../support/turn-player.js';

const FIRST = 'bob/act/round-1/try-1';
const SECOND = `${FIRST}/fallback`;
const ON = ['timeout', 'transport', 'http_408', 'http_425', 'http_429', 'http_5xx', 'unavailable'] as const;
const HOUR = { token_budget: 100_000, timeout_seconds: 3_600 };

/** The end of a call: a failure, or what a model says; every other source answers with a status. */
type End = string | { readonly says: Json; readonly tokens?: number };

const PATCH: End = { says: finalPatch([setState('bob', 'well')]), tokens: 10 };
const TOOL: End = { says: toolCall('buy_candy'), tokens: 10 };
const REFUSED = 'refused';

function park(more: SmallPark = {}): Program {
  return smallPark({ fallback: { on: ON }, constraints: HOUR, tools: ['buy_candy'], ...more });
}

function toEvent({ key, ...command }: Invoke, end: End): CallEvent {
  if (typeof end !== 'string') {
    if (command.invocation_kind !== 'llm_generation') return answered({ key, ...command }, { status: 'ok' });
    return modelSays({ key, ...command }, end.says, end.tokens ?? 10);
  }
  if (end === REFUSED) return { kind: 'call_refused', key, failure_class: 'unavailable', message: 'no key is set' };
  const status = /^http_(\d)/.exec(end) === null ? undefined : Number(end.slice(5).replace('5xx', '503'));
  const failed = { kind: 'call_failed', key, message: `${end} it was`, duration_ms: 7 } as const;
  return status === undefined
    ? { ...failed, failure_class: end as CallFailed['failure_class'] }
    : { ...failed, failure_class: 'http_status', http_status: status };
}

interface Played {
  readonly asked: readonly Invoke[];
  readonly records: readonly LeftCall[];
  readonly verdicts: readonly Verdict[];
  readonly end: TurnCommand | undefined;
  readonly state: TurnState;
}

type Begun = { readonly state: TurnState; readonly commands: readonly TurnCommand[] };

const begin = (program: Program): Begun => advance(program, UNBEGUN, SMALL_PARK_BEGAN);

/** Plays calls one after the other; where the script is over, every model gives a patch. */
function play(program: Program, script: readonly End[], begun = begin(program), most = Infinity): Played {
  const ends = [...script];
  const asked: Invoke[] = [];
  const records: LeftCall[] = [];
  const verdicts: Verdict[] = [];
  let end: TurnCommand | undefined;
  let { state } = begun;
  let { commands } = begun;
  const waiting: Invoke[] = [];
  for (;;) {
    for (const command of commands) {
      if (command.kind === 'invoke') waiting.push(command);
      else end = command;
    }
    const command = records.length >= most ? undefined : waiting.shift();
    if (command === undefined) return { asked, records, verdicts, end, state };
    asked.push(command);
    const event = toEvent(command, ends.shift() ?? PATCH);
    const step = advance(program, state, event);
    ({ state, commands } = step);
    if (step.verdict !== undefined) verdicts.push(step.verdict);
    const { key, request_hash, call } = command;
    const is_final = step.verdict?.passed_on !== undefined;
    const facts = { key, request_hash, effect: call.effect, repeatable: call.repeatable };
    records.push({
      ...facts,
      source_invocation_id: `${key} ${records.length}`,
      invocation_seq: records.length,
      event: is_final && event.kind === 'call_failed' ? { ...event, is_final } : event,
    });
  }
}

const keysOf = ({ asked }: Played) => asked.map(({ key }) => key);
const sourcesOf = ({ asked }: Played) => asked.map(({ call }) => call.source.label);

describe('a fallback', () => {
  for (const failed_as of ON)
    test(`a fallback is asked once after the first source has failed with ${failed_as}, where that is listed`, () => {
      const played = play(park({ fallback: { on: [failed_as] } }), [failed_as, PATCH]);
      assert.deepEqual(keysOf(played), [FIRST, SECOND]);
      assert.deepEqual(sourcesOf(played), ['model', 'other']);
      assert.deepEqual(played.verdicts[0], { key: FIRST, passed_on: 'asked_fallback', artifacts: [] });
      assert.equal(played.end?.kind, 'commit');
    });

  test('a fallback is not asked after a failure that is not listed, a refusal of the pipeline, or where there is none', () => {
    const cases: readonly (readonly [SmallPark['fallback'], End, string])[] = [
      [{ on: ['timeout'] }, 'transport', 'transport'],
      [{ on: ['http_429'] }, 'http_5xx', 'http_status'],
      [{ on: ON }, 'http_404', 'http_status'],
      [{ on: ON }, 'model_refusal', 'model_refusal'],
      [{ on: ON }, REFUSED, 'unavailable'],
    ];
    for (const [fallback, end, failure_class] of cases) {
      const played = play(park({ ...(fallback && { fallback }) }), [end]);
      assert.deepEqual(keysOf(played), [FIRST]);
      assert.ok(played.end?.kind === 'fail');
      assert.equal(played.end.failure_class, failure_class);
    }
    const without = play(smallPark(), ['timeout']);
    assert.deepEqual([keysOf(without), without.end?.kind], [[FIRST], 'fail']);
  });

  test('a fallback that fails ends the attempt with its own class, names both, and no third source is asked', () => {
    const { end, asked } = play(park(), ['timeout', 'http_5xx']);
    assert.equal(asked.length, 2);
    assert.ok(end?.kind === 'fail');
    const { failure_class, call_key, is_transient, message } = end;
    assert.deepEqual([failure_class, call_key, is_transient], ['http_status', SECOND, true]);
    assert.equal(message, 'the fallback other: http_5xx it was (model had failed before: timeout: timeout it was)');
  });

  test('a fallback is asked with the same messages, and its rejected answer goes back to the first source', () => {
    const played = play(park(), ['timeout', { says: 'nonsense' }, PATCH]);
    assert.deepEqual(keysOf(played), [FIRST, SECOND, 'bob/act/round-1/try-2']);
    assert.deepEqual(sourcesOf(played), ['model', 'other', 'model']);
    const [first, second, third] = played.asked.map(({ generation }) => generation?.messages ?? []);
    assert.deepEqual(first, second);
    assert.deepEqual(third?.slice(0, first?.length), first);
  });

  test('a fallback may elect a tool, and the next round asks the first source again', () => {
    const played = play(park(), ['timeout', TOOL, { says: {} }, 'timeout', PATCH]);
    const last = 'bob/act/round-2/try-1';
    assert.deepEqual(keysOf(played), [FIRST, SECOND, `${SECOND}/tool`, last, `${last}/fallback`]);
    assert.equal(played.asked[2]?.parent_key, SECOND);
  });

  test('a fallback is asked after the retries of the first source, and has its own', () => {
    const retry = { max: 1, on: ['timeout'], backoff_ms: 1 };
    const played = play(park({ retry, fallback: { on: ON, source: { retry } } }), ['timeout', 'timeout', 'timeout']);
    assert.deepEqual(keysOf(played), [FIRST, FIRST, SECOND, SECOND]);
    assert.equal(played.end?.kind, 'commit');
    const [, again, fallback] = played.asked;
    const spent_ms = (again?.retry?.spent_ms ?? 0) + 7;
    assert.equal(fallback?.node_time_left_ms, 3_600_000 - spent_ms);
  });

  test('a fallback counts in the token budget of its node, and is no further generation of its turn limit', () => {
    const budget = play(park({ constraints: { ...HOUR, token_budget: 15 } }), [TOOL, { says: {} }, 'timeout', PATCH]);
    assert.ok(budget.end?.kind === 'fail');
    assert.match(budget.end.message, /20 tokens of its token_budget of 15/);
    assert.equal(play(park({ constraints: { ...HOUR, turn_limit: 1 } }), ['timeout']).end?.kind, 'commit');
  });

  test('a fallback is not asked where the time of its node is over, and the failure says so', () => {
    const constraints = { ...HOUR, timeout_seconds: 0.007 };
    const { end, asked } = play(park({ constraints, fallback: { on: ['transport'] } }), ['transport']);
    assert.equal(asked.length, 1);
    assert.ok(end?.kind === 'fail');
    assert.equal(end.failure_class, 'transport');
    assert.match(end.message, /the time of node act was over before the fallback other could be asked/);
  });

  test('a fallback of a later run of its subject has the mark of that run, and a refold finds it', () => {
    const change: SmallPark['change'] = (workflow) => ({ ...workflow, execution: 'per_subject_concurrent' });
    const program = park({ subjects: ['bob', 'ant'], change });
    // Bob's fallback changes what Ant has seen while Ant waits for its own: Ant begins again, and fails again.
    const played = play(program, ['timeout', 'timeout', PATCH, PATCH, 'timeout']);
    assert.equal(played.end?.kind, 'commit');
    assert.ok(keysOf(played).includes('ant/act/round-1/try-1/fallback@2'), keysOf(played).join(' '));
    assert.deepEqual(refold(program, SMALL_PARK_BEGAN, played.records).commands, [played.end]);
  });

  test('a fallback is asked again by a fold over the record: a turn that is cut anywhere comes to the same end', () => {
    const endArbitrary = fc.oneof(
      fc.constantFrom<End>(PATCH, TOOL, { says: 'nonsense' }),
      fc.constantFrom<End>(...ON, 'http_404'),
    );
    const retry = { max: 1, on: ['timeout', 'http_429'], backoff_ms: 1 };
    const program = park({ retry, fallback: { on: ['timeout', 'transport', 'http_429'], source: { retry } } });
    fc.assert(
      fc.property(fc.array(endArbitrary, { maxLength: 10 }), fc.nat({ max: 10 }), (script, most) => {
        const whole = play(program, script);
        const cut = play(program, script, begin(program), most);
        const folded = refold(program, SMALL_PARK_BEGAN, cut.records);
        const rest = play(program, script.slice(cut.records.length), folded);
        assert.deepEqual(rest.end, whole.end);
        assert.deepEqual(rest.state, whole.state);
        assert.equal(cut.records.length + rest.records.length, whole.records.length);
      }),
      { numRuns: 300, seed: 20_261_127 },
    );
  });
});

describe('a new attempt after one with a fallback', () => {
  const program = park();
  const adopted = (records: LeftTurn['records'], call_key: string) => {
    const failure = { failure_class: 'transport', is_transient: true, call_key } as const;
    const left = { scenario_hash: program.scenario_hash, failure, records };
    const adoption = adopt(program, SMALL_PARK_BEGAN, left);
    assert.equal(adoption.kind, 'adopts');
    return adoption.kind === 'adopts' ? adoption.source_invocation_ids : [];
  };

  test('a new attempt adopts the failure of the first source with the answer of its fallback', () => {
    const { records } = play(program, ['timeout', TOOL, { says: {} }, 'timeout', 'transport']);
    const ids = records.map(({ source_invocation_id }) => source_invocation_id);
    assert.deepEqual(adopted(records, 'bob/act/round-2/try-1/fallback'), ids.slice(0, 3));
  });

  test('a new attempt asks the first source again where its fallback has failed too', () => {
    const { records } = play(program, ['timeout', 'transport']);
    assert.deepEqual(adopted(records, SECOND), []);
  });
});

describe('the check of a fallback', () => {
  const codesOf = (more: SmallPark) => {
    const compiled = compileSmallPark({ constraints: HOUR, ...more });
    return (compiled.ok ? compiled.notes : compiled.problems).map(({ code, pointer }) => `${code} ${pointer}`);
  };

  test('the check of a fallback finds one that cannot take part in the conversation, or is never asked', () => {
    assert.deepEqual(codesOf({ fallback: { on: ON } }), []);
    const chat = { name: 'llm_chat', model: 'm', schema_delivery: 'prompt', tool_calling: 'json_control' };
    const place = '/nodes/0/fallback';
    const cases: readonly (readonly [SmallPark, string])[] = [
      [
        {
          fallback: { on: ON, source: { label: 'model', interface: { ...chat, schema_delivery: 'response_format' } } },
        },
        `FALLBACK_IS_THE_SAME ${place}/llm_source_ref`,
      ],
      [{ fallback: { on: ON, source: { interface: chat } } }, `FALLBACK_DELIVERS_OTHERWISE ${place}/llm_source_ref`],
      [
        { fallback: { on: ['http_429', 'timeout'] }, constraints: { ...HOUR, timeout_seconds: 120 } },
        `FALLBACK_HAS_NO_TIME ${place}/on/1`,
      ],
      [
        { fallback: { on: ON, source: { interface: { name: 'http_json' } } } },
        `SOURCE_SPEAKS_OTHERWISE ${place}/llm_source_ref`,
      ],
      [
        {
          tools: ['buy_candy'],
          schema_delivery: 'prompt',
          fallback: { on: ON, source: { interface: { ...chat, tool_calling: 'native' } } },
        },
        `FALLBACK_CALLS_OTHERWISE ${place}/llm_source_ref`,
      ],
    ];
    for (const [more, finding] of cases) assert.deepEqual(codesOf(more), [finding]);
    const mixed = {
      schema_delivery: 'prompt',
      fallback: { on: ON, source: { interface: { ...chat, schema_delivery: 'json_object' } } },
    };
    assert.deepEqual(codesOf(mixed), []);
  });

  test('how models would call tools says nothing against the fallback of a node that offers none', () => {
    const native = { name: 'llm_chat', model: 'm', schema_delivery: 'prompt', tool_calling: 'native' };
    const other = { schema_delivery: 'prompt', fallback: { on: ON, source: { interface: native } } };
    assert.deepEqual(codesOf({ ...other, tools: [] }), []);
    const plan = ({ put }: Shelf) => [
      {
        id: 'plan',
        type: 'llm_json',
        llm_source_ref: put('response_source', {
          version: 1,
          label: 'model',
          interface: { ...native, tool_calling: 'json_control' },
        }),
        fallback: { on: ON, llm_source_ref: put('response_source', { version: 1, label: 'small', interface: native }) },
        prompt_template: { messages: [{ role: 'user', content: 'Plan.' }] },
        projection: { scope: 'world', memory: { recent: 0 } },
        output_schema_ref: put('json_schema', { type: 'object' }),
        max_generation_attempts: 1,
        constraints: HOUR,
      },
    ];
    assert.deepEqual(codesOf({ nodes_before: plan }), ['OUTPUT_UNUSED /nodes/0']);
  });
});
