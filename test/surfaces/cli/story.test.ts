import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../../engine/contract/json.js';
import type { Invoke } from '../../../engine/core/protocol/command.js';
import type { Verdict } from '../../../engine/core/protocol/verdict.js';
import type { CallOutcome } from '../../../engine/ports/sources.js';
import type { Progress } from '../../../engine/runtime/progress.js';
import { paint } from '../../../engine/surfaces/cli/render/paint.js';
import { narrate, STORY_BEGINNING, waitingFor } from '../../../engine/surfaces/cli/render/story.js';

const ATTEMPT = '0192f0c0-0000-7000-8000-000000000001';
const INVOCATION = '0192f0c0-0000-7000-8000-000000000002';

const CALL = {
  source: { hash: 'a'.repeat(64), label: 'some_source', plugin: 'llm_chat', interface: { model: 'small-model' } },
  effect: 'read_only',
  repeatable: false,
  redaction: 'all',
  limits: { max_runtime_ms: 1000, max_request_bytes: 1000, max_result_bytes: 1000 },
} as const;

const COMMAND = {
  kind: 'invoke',
  call: CALL,
  request: {},
  request_hash: '',
  workflow_hash: '',
  deadline_ms: 1000,
} as const;

const AMBIENT: Invoke = { ...COMMAND, key: 'turn/clock', invocation_kind: 'ambient_context', ambient_id: 'clock' };
const GENERATION: Invoke = {
  ...COMMAND,
  key: 'bob/act/round-1/try-1',
  invocation_kind: 'llm_generation',
  subject_id: 'bob',
  node_id: 'act',
  generation_try: 1,
  round: 1,
};
const TOOL: Invoke = {
  ...COMMAND,
  key: 'bob/act/round-1/try-1/tool',
  invocation_kind: 'model_elected_tool',
  subject_id: 'bob',
  tool_name: 'buy',
  request: { button: 'C' },
};
const NODE_CALL: Invoke = {
  ...COMMAND,
  key: 'bob/look/call',
  invocation_kind: 'node_call',
  subject_id: 'bob',
  node_id: 'look',
};

const answered = (view: Json): CallOutcome => ({
  status: 'succeeded',
  key: '',
  ended_at: 0,
  duration_ms: 12,
  validation_status: 'valid',
  answer: view,
  view,
  usage: { input_tokens: 30, output_tokens: 4 },
});
const broken: CallOutcome = {
  status: 'failed',
  key: '',
  ended_at: 0,
  duration_ms: 12,
  validation_status: 'not_checked',
  http_status: 503,
  failure_class: 'http_status',
  failure_message: 'The service answered with status 503.',
  refused: false,
};

function finished(command: Invoke, outcome: CallOutcome, verdict?: Omit<Verdict, 'key'>): Progress {
  return {
    kind: 'call_finished',
    source_invocation_id: INVOCATION,
    command,
    outcome,
    ...(verdict ? { verdict: { key: command.key, ...verdict } } : {}),
  };
}

const BEGAN: Progress = {
  kind: 'attempt_began',
  attempt_id: ATTEMPT,
  attempted_turn: 2,
  simulation_time: '2025-10-04T12:10:00.000Z',
};

const COMMITTED: Progress = { kind: 'turn_committed', attempt_id: ATTEMPT, attempted_turn: 2, patches: [] };

function narrateAll(...events: readonly Progress[]) {
  let story = STORY_BEGINNING;
  let lines: ReturnType<typeof narrate>['lines'] = [];
  for (const event of events) ({ story, lines } = narrate(story, event));
  return { story, text: paint(lines, { width: 100, has_colours: false, program: 'npx chukwa' }) };
}

const PATCH = {
  narration: 'Bob waits.\nNothing comes.',
  effects: [
    { op: 'set_entity_state', entity_id: 'bob', state: 'waiting' },
    { op: 'append_entity_memory', entity_id: 'bob', content: 'I waited.' },
    { op: 'set_environment_content', environment_label: 'park', content: 'A park.' },
  ],
};

const NARRATED: readonly (readonly [name: string, event: Progress, text: string])[] = [
  [
    'a reading is shown in its own words',
    finished(AMBIENT, answered({ hour: 12 })),
    '\n  once for everybody\n    clock             hour 12  12 ms\n',
  ],
  [
    'an elected tool shows its arguments and its answer',
    finished(TOOL, answered({ status: 'dispensed', remaining: 0 })),
    '\n  bob\n      buy {button: C} -> status dispensed · remaining 0  12 ms\n',
  ],
  [
    'a call of a node names its source',
    finished(NODE_CALL, answered({ seen: [] })),
    '\n  bob\n    look asks some_source -> seen nothing  12 ms\n',
  ],
  [
    'a generation that wants a tool says which',
    finished(GENERATION, answered({}), {
      model_output_kind: 'tool_call',
      artifacts: [{ kind: 'parsed_output', value: { kind: 'tool_call', tool_call: { name: 'buy', arguments: {} } } }],
    }),
    '\n  bob\n    act try 1  30 + 4 tokens · 12 ms  asks for buy\n',
  ],
  [
    'a final patch is shown as prose, with its effects beneath',
    finished(GENERATION, answered({}), {
      model_output_kind: 'final_patch',
      artifacts: [{ kind: 'accepted_patch', value: PATCH }],
    }),
    [
      '\n  bob\n    act try 1  30 + 4 tokens · 12 ms',
      '      Bob waits.\n      Nothing comes.',
      '      bob: state -> "waiting"\n      bob: memory + "I waited."\n      park: content -> "A park."\n',
    ].join('\n'),
  ],
  [
    'what a patch sets to what it was is no change',
    {
      ...finished(GENERATION, answered({}), {
        model_output_kind: 'final_patch',
        artifacts: [{ kind: 'accepted_patch', value: PATCH }],
      }),
      effects: [
        { effect_index: 0, op: 'set_entity_state', entity_id: 'bob', state_before: 'waiting', state_after: 'waiting' },
        { effect_index: 1, op: 'append_entity_memory', entity_id: 'bob', state_after: 'I waited.' },
        { effect_index: 2, op: 'set_environment_content', state_before: 'A wood.', state_after: 'A park.' },
      ],
    } as Progress,
    [
      '\n  bob\n    act try 1  30 + 4 tokens · 12 ms',
      '      Bob waits.\n      Nothing comes.',
      '      bob: memory + "I waited."\n      park: content -> "A park."\n',
    ].join('\n'),
  ],
  [
    'a retry is shown below the heading of its subject, in the words of its call',
    {
      kind: 'retry_waits',
      command: GENERATION,
      retry: { number: 1, after: 'http_429', least_ms: 1000, most_ms: 2000, spent_ms: 0 },
      wait_ms: 1500,
    },
    '\n  bob\n    act try 1  is tried again in 1.5 s, retry 1 of 1, after http_429\n',
  ],
  [
    'a patch without effects says that nothing changes',
    finished(GENERATION, answered({}), {
      model_output_kind: 'final_patch',
      artifacts: [{ kind: 'accepted_patch', value: { narration: 'Bob waits.', effects: [] } }],
    }),
    '\n  bob\n    act try 1  30 + 4 tokens · 12 ms\n      Bob waits.\n      nothing changes\n',
  ],
  [
    'an answer for later nodes is shown',
    finished(GENERATION, answered({}), {
      model_output_kind: 'json_answer',
      artifacts: [{ kind: 'parsed_output', value: { intent: 'eat' } }],
    }),
    '\n  bob\n    act try 1  30 + 4 tokens · 12 ms\n      answers intent eat\n',
  ],
  [
    'a rejected try gives its reason in a line, without the roster that the model was told',
    finished(GENERATION, answered({}), {
      model_output_kind: 'invalid',
      failure: {
        failure_class: 'model_content',
        detail: 'unknown_entity',
        message: '"beetle" is nobody. Entities here:\n- bob',
      },
      artifacts: [],
    }),
    '\n  bob\n    act try 1  30 + 4 tokens · 12 ms\n      rejected, unknown_entity: "beetle" is nobody.\n',
  ],
  [
    'a budget that is used up ends the attempt, and rejects nothing',
    finished(GENERATION, answered({}), {
      model_output_kind: 'invalid',
      failure: { failure_class: 'budget_exhausted', message: 'node act has used 90 tokens.' },
      artifacts: [],
    }),
    '\n  bob\n    act try 1  30 + 4 tokens · 12 ms\n      ended: budget_exhausted: node act has used 90 tokens.\n',
  ],
  [
    'a call that failed says why',
    finished(AMBIENT, broken),
    '\n  once for everybody\n    clock             failed, http_status: The service answered with status 503.  12 ms\n',
  ],
  [
    'a generation that failed says why',
    finished(GENERATION, { ...broken, failure_class: 'timeout', failure_message: 'It took too long.' }),
    '\n  bob\n    act try 1  12 ms  failed, timeout (status 503): It took too long.\n',
  ],
  [
    'a refusal is no failure of the source',
    finished(TOOL, { ...broken, refused: true, failure_class: 'policy_denied', failure_message: 'Not allowed.' }),
    '\n  bob\n      buy {button: C} -> refused, policy_denied (status 503): Not allowed.  12 ms\n',
  ],
];

/** A call of a subject in the order of subjects, with an answer that names it. */
const look = (subject_id: string, rank: number, is_ahead?: true): Progress => ({
  ...finished(
    { ...NODE_CALL, key: `${subject_id}/look/call`, subject_id, rank },
    { ...answered(subject_id), key: `${subject_id}/look/call` },
  ),
  ...(is_ahead ? { is_ahead } : {}),
});

test('concurrent subjects are shown in their order, once no earlier subject can supersede their calls', () => {
  const later = [look('cleo', 2, true), look('bob', 1, true)];
  assert.equal(narrateAll(BEGAN, ...later).text, '');
  const { text } = narrateAll(BEGAN, ...later, look('ann', 0), look('bob', 1));
  assert.deepEqual(text.match(/-> \w+/g), ['-> bob', '-> bob']);
  const committed = narrateAll(BEGAN, ...later, look('ann', 0), COMMITTED);
  assert.deepEqual(committed.text.match(/-> \w+|turn 2 committed/g), ['-> bob', '-> cleo', 'turn 2 committed']);
});

test('a superseded call is not shown, and is counted when the turn is committed', () => {
  const superseded: Progress = { kind: 'calls_superseded', subject_id: 'bob', keys: ['bob/look/call'] };
  const { text } = narrateAll(BEGAN, look('bob', 1, true), superseded, look('ann', 0), COMMITTED);
  assert.doesNotMatch(text, /-> bob/);
  assert.match(text, /2 calls, 68 tokens, of these 1 call superseded with 34 tokens/);
});

for (const [name, event, text] of NARRATED) {
  test(name, () => {
    assert.equal(narrateAll(BEGAN, event).text, text);
  });
}

test('a turn begins with its number and its simulated time', () => {
  assert.match(narrateAll(BEGAN).text, /^\n── turn 2 ── 2025-10-04 12:10 UTC ─+\n$/);
});

test('an attempt that a dead process left behind is mentioned', () => {
  const text = narrateAll({ ...BEGAN, continued: { answered: 3, interrupted: 1 } }).text;
  assert.match(
    text,
    /Resuming attempt \S+: 3 calls are answered from the record,\s+and\s+1\s+call\s+was\s+interrupted/,
  );
});

test('a subject is named once, above all that is its own', () => {
  const tool = finished(TOOL, answered({ status: 'empty' }));
  assert.equal(narrateAll(BEGAN, tool, tool).text, '      buy {button: C} -> status empty  12 ms\n');
});

test('of tokens that no endpoint has counted a committed turn says nothing', () => {
  const { usage: _usage, ...uncounted } = answered({}) as Extract<CallOutcome, { status: 'succeeded' }>;
  const narrated = narrateAll(BEGAN, finished(GENERATION, uncounted), COMMITTED);
  assert.equal(narrated.text, '\n  turn 2 committed: 0 patches, 1 call\n');
});

test('a committed turn counts patches, calls and tokens', () => {
  const narrated = narrateAll(BEGAN, finished(AMBIENT, answered({})), finished(GENERATION, answered({})), COMMITTED);
  assert.equal(narrated.text, '\n  turn 2 committed: 0 patches, 2 calls, 68 tokens\n');
  const [turn] = narrated.story.turns;
  assert.deepEqual([turn?.attempt_id, turn?.attempted_turn, turn?.calls, turn?.tokens], [ATTEMPT, 2, 2, 68]);
});

/** That the working world has taken a patch of a subject. */
const accepted = (subject_id: string, call_key: string, rank: number, narration = 'Ada sings.'): Progress => ({
  kind: 'patch_accepted',
  rank,
  patch: {
    patch_seq: rank + 1,
    subject_id,
    node_id: 'act',
    workflow_hash: '',
    call_key,
    applied: { patch: { narration, effects: [] }, effects: [], touched_entities: [] },
    origins: [],
  },
});

const RECALLED = '\n  ada\n    act  from the record\n      Ada sings.\n      nothing changes\n';

test('a patch is shown once: with its call, or where the record answers for it', () => {
  const said = finished(GENERATION, answered({}), {
    model_output_kind: 'final_patch',
    artifacts: [{ kind: 'accepted_patch', value: PATCH }],
  });
  const of_ada = accepted('ada', 'ada/act/round-1/try-1', 0);
  const of_bob = accepted('bob', GENERATION.key, 1);
  assert.equal(narrateAll(BEGAN, of_ada).text, RECALLED);
  assert.match(narrateAll(BEGAN, of_ada, said).text, /^\n {2}bob\n/);
  assert.equal(narrateAll(BEGAN, of_ada, said, of_bob).text, '');
  assert.equal(narrateAll(BEGAN, of_ada, said, of_bob, BEGAN, of_ada).text, '');
  assert.equal(narrateAll(BEGAN, of_ada, { ...BEGAN, attempt_id: INVOCATION }, of_ada).text, RECALLED);
});

test('a patch of the record stands between the subjects before and behind it', () => {
  const played = [BEGAN, look('cleo', 2, true), look('ann', 0)];
  const { text } = narrateAll(...played, accepted('bob', 'bob/act/round-1/try-1', 1), COMMITTED);
  assert.match(text, /-> cleo/);
  assert.equal(narrateAll(...played, accepted('bob', 'bob/act/round-1/try-1', 1)).text, RECALLED.replace('ada', 'bob'));
  const behind = narrateAll(BEGAN, look('bob', 1, true), look('ann', 0), accepted('cleo', 'cleo/act/round-1/try-1', 2));
  assert.match(behind.text, /-> bob[^]*cleo\n {4}act {2}from the record/);
});

test('what a subject remembers is shown below its patch, before the next subject', () => {
  const remembered = narrateAll(BEGAN, look('ann', 0), accepted('ann', 'ann/note/call', 0, ''));
  assert.equal(remembered.text, '    act  is remembered\n      nothing changes\n');
});

test('a failed turn says what failed where, and that the world stays', () => {
  const { text } = narrateAll(BEGAN, finished(AMBIENT, broken), {
    kind: 'attempt_failed',
    attempt_id: ATTEMPT,
    attempted_turn: 2,
    failure: {
      kind: 'fail',
      failure_class: 'http_status',
      message: 'It is closed.',
      subject_id: 'bob',
      node_id: 'act',
      call_key: AMBIENT.key,
    },
    source_invocation_id: INVOCATION,
  });
  assert.match(text, /turn 2 failed, http_status\n {4}It is closed\./);
  assert.match(text, /subject +bob\n +node +act\n +call +turn\/clock\n/);
  assert.match(text, /The world stays at turn 1/);
});

test('a turn that failed over a side effect in doubt says how to settle it', () => {
  const failure = { kind: 'fail', failure_class: 'timeout', message: 'Nobody knows.', is_in_doubt: true } as const;
  const ended = { kind: 'attempt_failed', attempt_id: ATTEMPT, attempted_turn: 2, failure } as const;
  assert.match(
    narrateAll(BEGAN, { ...ended, source_invocation_id: INVOCATION }).text,
    new RegExp(
      `attempt settle ${ATTEMPT} --result FILE +it did\n +npx chukwa attempt settle ${ATTEMPT} --not-performed +it did not`,
    ),
  );
  assert.doesNotMatch(narrateAll(BEGAN, ended).text, /settle/);
});

test('a turn that adopts calls says how many, and of which attempt', () => {
  const adopts = { attempt_id: INVOCATION, calls: 2 };
  const simulation_time = '2025-10-04T12:10:00Z';
  const began = { kind: 'attempt_began', attempt_id: ATTEMPT, attempted_turn: 2, simulation_time } as const;
  const { text } = narrateAll({ ...began, adopts });
  assert.match(
    text.replaceAll(/\s+/g, ' '),
    new RegExp(`2 calls are adopted from attempt ${INVOCATION}, and not made`),
  );
  assert.doesNotMatch(narrateAll(began).text, /adopted/);
});

const STARTED: Progress = { kind: 'call_started', source_invocation_id: INVOCATION, command: GENERATION };

test('a generation names the model that its record names, and not the one that its source is written with', () => {
  const shown = (started: Progress) => narrateAll(BEGAN, started, finished(GENERATION, answered({}))).text;
  assert.match(shown({ ...STARTED, model: 'chosen-model' }), /act try 1 {2}chosen-model · 30 \+ 4 tokens/);
  assert.match(shown(STARTED), /act try 1 {2}30 \+ 4 tokens/);
});

test('no line names a model where a person or a script answers in its place', () => {
  const { story } = narrate({ ...STORY_BEGINNING, has_stand_in: true }, { ...STARTED, model: 'small-model' });
  assert.equal(waitingFor(story), 'bob act try 1');
});

test('the awaited call is known while it is under way, and no longer', () => {
  const started: Progress = { ...STARTED, model: 'small-model' };
  assert.equal(waitingFor(narrateAll(BEGAN, started).story), 'bob act try 1, small-model');
  assert.equal(waitingFor(narrateAll(BEGAN, started, finished(GENERATION, answered({}))).story), undefined);
});
