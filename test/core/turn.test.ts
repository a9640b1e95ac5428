import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../engine/contract/json.js';
import type { Program } from '../../engine/core/protocol/program.js';
import { type SmallPark, chatSource, smallPark, smallWorld } from '../support/park-documents.js';
import {
  answered,
  finalPatch,
  inTurn,
  modelSays,
  playTurn,
  setState,
  textOf,
  toolCall,
} from '../support/turn-player.js';

const VENDING = { tools: ['buy_candy', 'drink'] } as const;

/** Plays a turn in which models say these outputs one after the other, and compares what happened. */
function check(
  sentence: string,
  situation: SmallPark & { readonly says: readonly Json[] },
  story: readonly string[],
): void {
  test(sentence, () => {
    const { says, ...park } = situation;
    assert.deepEqual(playTurn(smallPark(park), smallWorld(), inTurn(says)).story, story);
  });
}

check('a final patch commits the turn', { says: [finalPatch()] }, ['ask bob/act/round-1/try-1', 'commit bob']);

check('a tool that nobody calls leaves no record', { ...VENDING, says: [finalPatch()] }, [
  'ask bob/act/round-1/try-1',
  'commit bob',
]);

check(
  'an elected tool runs, and the next round sees its result',
  { ...VENDING, says: [toolCall('buy_candy'), finalPatch()] },
  ['ask bob/act/round-1/try-1', 'ask bob/act/round-1/try-1/tool', 'ask bob/act/round-2/try-1', 'commit bob'],
);

check(
  'tools may run in several rounds up to max_tool_calls',
  { ...VENDING, says: [toolCall('buy_candy'), toolCall('drink'), finalPatch()] },
  [
    'ask bob/act/round-1/try-1',
    'ask bob/act/round-1/try-1/tool',
    'ask bob/act/round-2/try-1',
    'ask bob/act/round-2/try-1/tool',
    'ask bob/act/round-3/try-1',
    'commit bob',
  ],
);

check(
  'a tool call after the last lap ends the attempt',
  { ...VENDING, max_tool_calls: 1, says: [toolCall('buy_candy'), toolCall('drink')] },
  [
    'ask bob/act/round-1/try-1',
    'ask bob/act/round-1/try-1/tool',
    'ask bob/act/round-2/try-1',
    'fail max_tool_calls_exhausted',
  ],
);

check(
  'each subject has its own patch in the same commit',
  { subjects: ['bob', 'ant'], says: [finalPatch([setState('bob', 'fed')]), finalPatch([setState('crumb', 'gone')])] },
  ['ask bob/act/round-1/try-1', 'ask ant/act/round-1/try-1', 'commit bob ant'],
);

const REJECTIONS: readonly (readonly [what: string, output: Json, detail: string, message: string])[] = [
  [
    'text that is no JSON',
    'Bob buys candy.',
    'non_json',
    'The response is not one JSON object: it begins with "Bob buys candy.", where { should stand.',
  ],
  ['an empty answer', '', 'non_json', 'The response is not one JSON object: it is empty.'],
  [
    'JSON with a NUL character',
    '{"kind":"\\u0000"}',
    'non_json',
    'The response is not one JSON object: it holds text with the character U+0000 (at /kind, character 9).',
  ],
  [
    'JSON that names a member twice',
    '{"kind":"dance","kind":"final_patch"}',
    'non_json',
    'The response is not one JSON object: it names a member of one object twice (at /kind, character 17).',
  ],
  [
    'JSON with a number that no double holds',
    '{"kind":12345678901234567890}',
    'non_json',
    'The response is not one JSON object: it holds a number that no double holds (at /kind, character 9).',
  ],
  [
    'JSON of another shape',
    { kind: 'dance' },
    'schema_invalid',
    'It is not a tool call or a final patch: at /kind: must be "tool_call" or "final_patch"',
  ],
  [
    'a tool that does not exist',
    toolCall('fly'),
    'unknown_tool',
    'There is no tool "fly". The tools are: buy_candy, drink.',
  ],
  [
    'arguments of too many bytes',
    toolCall('buy_candy', { button: 'A'.repeat(9000) }),
    'bad_arguments',
    'The arguments of buy_candy have 9013 bytes, and 8192 are allowed.',
  ],
  [
    'arguments that do not fit',
    toolCall('buy_candy', { button: 'Z' }),
    'bad_arguments',
    'The arguments of buy_candy do not fit: at /button: must be one of: "A", "B", "C"',
  ],
  [
    'a patch of the wrong shape',
    { kind: 'final_patch', patch: { narration: 'x', effects: [{ op: 'set_entity_state' }] } },
    'invalid_patch',
    'The patch does not fit: at /effects/0: the field "entity_id" is missing; at /effects/0: the field "state" is missing',
  ],
  [
    'a state of white space',
    finalPatch([setState('bob', ' \n\t')]),
    'invalid_patch',
    'The patch does not fit: at /effects/0/state: must say something, and is blank.',
  ],
  [
    'a memory of what nobody sees',
    finalPatch([{ op: 'append_entity_memory', entity_id: 'bob', content: '\u200b\u00a0' }]),
    'invalid_patch',
    'The patch does not fit: at /effects/0/content: must say something, and is blank.',
  ],
  [
    'an environment of nothing',
    finalPatch([{ op: 'set_environment_content', environment_label: 'park', content: '' }]),
    'invalid_patch',
    'The patch does not fit: at /effects/0/content: must say something, and is blank.',
  ],
  [
    'a narration of white space',
    { kind: 'final_patch', patch: { narration: '  ', effects: [] } },
    'invalid_patch',
    'The patch does not fit: at /narration: must say something, and is blank.',
  ],
  [
    'an operation that is not allowed',
    finalPatch([{ op: 'create_entity', entity_id: 'cat' }]),
    'disallowed_effect',
    'These effects are not allowed: effects[0].op "create_entity". Allowed are set_entity_state, append_entity_memory, set_environment_content.',
  ],
  [
    'an entity that does not exist',
    finalPatch([setState('cat', 'asleep')]),
    'unknown_entity',
    'effects[0].entity_id "cat" (canonical form "cat") names no entity of this world. Entity ids that exist here:\n- ant (Ant)\n- bob (Bob)\n- crumb (Crumb)\n- vending_machine (Vending machine)',
  ],
  [
    'an entity id that is nearly right',
    finalPatch([setState('Vending Machine', 'empty')]),
    'near_miss_entity',
    'effects[0].entity_id "Vending Machine" must be written exactly as "vending_machine". Entity ids that exist here:\n- vending_machine (Vending machine)\n- ant (Ant)\n- crumb (Crumb)\n- bob (Bob)',
  ],
  [
    'a memory for a prop',
    finalPatch([{ op: 'append_entity_memory', entity_id: 'crumb', content: 'I was eaten.' }]),
    'memory_on_prop',
    'effects[0] appends a memory to "crumb", which is a prop; only agents remember. Agents that exist here:\n- bob (Bob)\n- ant (Ant)',
  ],
  [
    'an environment that does not exist',
    finalPatch([{ op: 'set_environment_content', environment_label: 'beach', content: 'sand' }]),
    'unknown_environment',
    'effects[0].environment_label "beach" names no environment of this world. Environments that exist here:\n- park',
  ],
];

check(
  'arguments that fit the tool and not its source are tried again in the same lane',
  {
    ...VENDING,
    request_schema: { not: { properties: { button: { const: 'C' } } } },
    says: [toolCall('buy_candy', { button: 'C' }), toolCall('buy_candy', { button: 'A' }), finalPatch()],
  },
  [
    'ask bob/act/round-1/try-1',
    'reject bad_arguments',
    'ask bob/act/round-1/try-2',
    'ask bob/act/round-1/try-2/tool',
    'ask bob/act/round-2/try-1',
    'commit bob',
  ],
);

for (const [what, output, detail, message] of REJECTIONS) {
  check(`${what} is tried again in the same lane: ${detail}`, { ...VENDING, says: [output, finalPatch()] }, [
    'ask bob/act/round-1/try-1',
    `reject ${detail}`,
    'ask bob/act/round-1/try-2',
    'commit bob',
  ]);
  test(`the model sees what is wrong with ${what}`, () => {
    const { verdicts } = playTurn(smallPark(VENDING), smallWorld(), inTurn([output, finalPatch()]));
    assert.equal(verdicts[0]?.failure?.message, message);
  });
}

check(
  'a tool that policy does not allow is refused like a mistake',
  { ...VENDING, allow: ['drink'], says: [toolCall('buy_candy'), finalPatch()] },
  ['ask bob/act/round-1/try-1', 'reject policy_denied', 'ask bob/act/round-1/try-2', 'commit bob'],
);

check('tries at one answer are bounded', { max_generation_attempts: 2, says: ['no', 'no'] }, [
  'ask bob/act/round-1/try-1',
  'reject non_json',
  'ask bob/act/round-1/try-2',
  'reject non_json',
  'fail generation_attempts_exhausted',
]);

check(
  'after a tool result the count of tries begins again',
  { ...VENDING, max_generation_attempts: 2, says: ['no', toolCall('drink'), 'no', finalPatch()] },
  [
    'ask bob/act/round-1/try-1',
    'reject non_json',
    'ask bob/act/round-1/try-2',
    'ask bob/act/round-1/try-2/tool',
    'ask bob/act/round-2/try-1',
    'reject non_json',
    'ask bob/act/round-2/try-2',
    'commit bob',
  ],
);

check(
  'tokens beyond the budget end the attempt',
  { constraints: { token_budget: 5, timeout_seconds: 60 }, says: [finalPatch()] },
  ['ask bob/act/round-1/try-1', 'reject budget_exhausted', 'fail budget_exhausted'],
);

check(
  'a turn limit bounds the generations',
  { constraints: { token_budget: 500, timeout_seconds: 60, turn_limit: 1 }, says: ['no'] },
  ['ask bob/act/round-1/try-1', 'reject non_json', 'fail budget_exhausted'],
);

test('a corrective message names the offending id, its canonical form and the roster', () => {
  const { invokes } = playTurn(
    smallPark(),
    smallWorld(),
    inTurn([finalPatch([setState('Vending Machine', 'empty')]), finalPatch()]),
  );
  const second = textOf(invokes[1]!);
  assert.match(second, /assistant: \{"kind":"final_patch"/);
  assert.match(second, /"Vending Machine" must be written exactly as "vending_machine"/);
  assert.match(second, /- vending_machine \(Vending machine\)\n- /);
});

for (const [count, said] of [
  [1, /: at \/effects\/0\/state: must say something/],
  [10, /, \/effects\/9\/state: must say something/],
  [11, /, \/effects\/9\/state and 1 more place: must say something/],
  [12, /, \/effects\/9\/state and 2 more places: must say something/],
] as const)
  test(`a corrective message names ${Math.min(count, 10)} of ${count} blank places`, () => {
    const blank = finalPatch(Array.from({ length: count }, () => setState('bob', ' ')));
    const { invokes } = playTurn(smallPark(), smallWorld(), inTurn([blank, finalPatch()]));
    assert.match(textOf(invokes[1]!), said);
  });

test('a corrective message asks to keep the rest of an answer only where there is one to keep', () => {
  const { invokes } = playTurn(smallPark(), smallWorld(), inTurn(['Sure, I will!', '{"kind":', finalPatch()]));
  const [, anew, kept] = invokes.map((command) => command.generation?.messages.at(-1)?.segments[0]?.text ?? '');
  assert.match(anew ?? '', /it begins with "Sure, I will!".*Answer anew with one JSON object/s);
  assert.doesNotMatch(anew ?? '', /Keep everything else/);
  assert.match(kept ?? '', /ends too soon.*Keep everything else/s);
});

test('the last lap is announced in the prompt and in the schema', () => {
  const { invokes } = playTurn(
    smallPark({ ...VENDING, max_tool_calls: 1 }),
    smallWorld(),
    inTurn([toolCall('drink'), finalPatch()]),
  );
  const [first, , last] = invokes;
  assert.match(JSON.stringify(first?.generation?.offered.schema), /buy_candy/);
  assert.doesNotMatch(JSON.stringify(last?.generation?.offered.schema), /buy_candy|tool_call/);
  assert.match(textOf(last!), /No tool calls are left/);
});

test('a conversation only grows: earlier messages precede later ones unchanged', () => {
  const { invokes } = playTurn(smallPark(VENDING), smallWorld(), inTurn(['no', toolCall('drink'), finalPatch()]));
  const generations = invokes.filter((command) => command.generation !== undefined);
  for (const [index, command] of generations.slice(1).entries()) {
    const before = generations[index]?.generation?.messages ?? [];
    assert.deepEqual(command.generation?.messages.slice(0, before.length), before);
    assert.notEqual(command.generation?.prefix_hash, generations[index]?.generation?.prefix_hash);
  }
});

test('a patch is judged against the live world, and a prompt shows the world as it was frozen before', () => {
  const park = smallPark({ subjects: ['bob', 'ant'] });
  const { invokes, end } = playTurn(
    park,
    smallWorld(),
    inTurn([finalPatch([setState('crumb', 'taken')]), finalPatch([setState('crumb', 'gone')])]),
  );
  assert.match(textOf(invokes[1]!), /taken/, 'the second subject sees earlier patches');
  assert.ok(end?.kind === 'commit');
  assert.deepEqual(
    end.patches.map((patch) => [
      patch.patch_seq,
      patch.applied.effects[0]?.state_before,
      patch.applied.effects[0]?.state_after,
    ]),
    [
      [1, 'on the plate', 'taken'],
      [2, 'taken', 'gone'],
    ],
  );
});

test('a transport failure ends the attempt and is not tried again', () => {
  const { story, end } = playTurn(smallPark(), smallWorld(), (command) => ({
    kind: 'call_failed',
    key: command.key,
    failure_class: 'transport',
    message: 'gone',
  }));
  assert.deepEqual(story, ['ask bob/act/round-1/try-1', 'fail transport']);
  assert.ok(end?.kind === 'fail');
  assert.deepEqual([end.subject_id, end.node_id, end.call_key], ['bob', 'act', 'bob/act/round-1/try-1']);
});

test('a tool that the pipeline refuses is the model’s to correct', () => {
  let refused = false;
  const { story } = playTurn(smallPark(VENDING), smallWorld(), (command) => {
    if (command.tool_name && !refused) {
      refused = true;
      return { kind: 'call_refused', key: command.key, failure_class: 'policy_denied', message: 'not now' };
    }
    return modelSays(command, refused ? finalPatch() : toolCall('drink'));
  });
  assert.deepEqual(story, [
    'ask bob/act/round-1/try-1',
    'ask bob/act/round-1/try-1/tool',
    'ask bob/act/round-1/try-2',
    'commit bob',
  ]);
});

const WEATHER = {
  id: 'weather',
  run: 'once_per_turn',
  scope: 'world',
  visible_to: { environment_label: 'park' },
  request_template: { turn: { $from: '/world/attempted_turn' } },
  inject_as: '/ambient/park/weather',
} as const;
const INBOX = {
  id: 'inbox',
  run: 'before_subject_workflow',
  scope: { entity_id: 'bob' },
  visible_to: { entity_id: 'bob' },
  request_template: {
    cold: { $from: '/ambient/park/weather/temperature', default: null },
    who: { $from: '/subject/id' },
  },
  inject_as: '/ambient/inbox',
} as const;

test('ambient readings come first, are injected where the binding says, and reach only those who may see them', () => {
  const park = smallPark({ subjects: ['bob', 'ant'], ambients: [WEATHER, INBOX] });
  const { story, invokes } = playTurn(park, smallWorld(), (command) =>
    command.invocation_kind === 'llm_generation'
      ? modelSays(command, finalPatch())
      : answered(command, command.ambient_id === 'weather' ? { temperature: 55 } : { messages: ['hello'] }),
  );
  assert.match(story[0] ?? '', /^ask turn\/weather@[0-9a-f]{12}$/);
  assert.deepEqual(story.slice(1), [
    'ask bob/ambient/inbox',
    'ask bob/act/round-1/try-1',
    'ask ant/act/round-1/try-1',
    'commit bob ant',
  ]);
  assert.deepEqual(invokes[0]?.request, { turn: 1 });
  assert.deepEqual(invokes[1]?.request, { cold: 55, who: 'bob' });
  assert.match(textOf(invokes[2]!), /\{"inbox":\{"messages":\["hello"\]\},"park":\{"weather":\{"temperature":55\}\}\}/);
  assert.doesNotMatch(textOf(invokes[3]!), /hello/);
});

test('a failing ambient source ends the attempt before any generation', () => {
  const { story } = playTurn(smallPark({ ambients: [WEATHER] }), smallWorld(), (command) => ({
    kind: 'call_failed',
    key: command.key,
    failure_class: 'non_json',
    message: 'not JSON',
  }));
  assert.deepEqual(story.slice(1), ['fail non_json']);
});

test('a missing template path fails loudly, even where typing did not refuse it', () => {
  const program = smallPark({ ambients: [WEATHER, INBOX] });
  const { end } = playTurn(
    withRequestTemplate(program, { x: { $from: '/ambient/park/weather/wind' } }),
    smallWorld(),
    (command) => answered(command, { temperature: 1 }),
  );
  assert.ok(end?.kind === 'fail');
  assert.equal(end.failure_class, 'template_unresolved');
  assert.match(end.message, /\/ambient\/park\/weather\/wind/);
});

function withRequestTemplate(program: Program, request_template: Json): Program {
  const subjects = program.subjects.map((subject) => ({
    ...subject,
    workflow: {
      ...subject.workflow,
      subject_ambients: subject.workflow.subject_ambients.map((binding) => ({ ...binding, request_template })),
    },
  }));
  return { ...program, subjects };
}

test('a default serves absence and a present null is present', () => {
  const template = {
    a: { $from: '/ambient/park/weather/wind', default: 'calm' },
    b: { $from: '/ambient/park/weather/rain', default: 'none' },
  };
  const { invokes } = playTurn(
    smallPark({ ambients: [WEATHER, { ...INBOX, request_template: template }] }),
    smallWorld(),
    (command) =>
      command.invocation_kind === 'llm_generation'
        ? modelSays(command, finalPatch())
        : answered(command, { rain: null }),
  );
  assert.deepEqual(invokes[1]?.request, { a: 'calm', b: null });
});

test('nodes that need nothing of each other start together, and the others when their inputs are there', () => {
  const park = smallPark({
    prompt: 'Intent: {{nodes.classify.output.intent}}; looked up: {{nodes.look.output}}',
    nodes_before: (shelf) => [
      {
        id: 'classify',
        type: 'llm_json',
        order_type: 'classify',
        llm_source_ref: chatSource(shelf),
        prompt_template: { messages: [{ role: 'user', content: 'Classify.' }] },
        projection: { scope: 'world', memory: { recent: 0 } },
        max_generation_attempts: 2,
        result_schema_ref: shelf.put('json_schema', {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          type: 'object',
          required: ['intent'],
          properties: { intent: { type: 'string' } },
        }),
        constraints: { token_budget: 100, timeout_seconds: 5 },
      },
      {
        id: 'look',
        type: 'source_call',
        source_ref: shelf.put('response_source', { version: 1, label: 'toy', interface: { name: 'http_json' } }),
        request_template: { who: { $from: '/subject/id' } },
        effect: 'read_only',
        redaction: { allow: 'all' },
      },
    ],
  });
  const { story, invokes } = playTurn(park, smallWorld(), (command) => {
    if (command.node_id === 'classify')
      return modelSays(command, command.generation_try === 1 ? { intent: 7 } : { intent: 'eat' });
    return command.node_id === 'look' ? answered(command, { seen: 'candy' }) : modelSays(command, finalPatch());
  });
  assert.deepEqual(story, [
    'ask bob/classify/round-1/try-1',
    'ask bob/look/call',
    'reject schema_invalid',
    'ask bob/classify/round-1/try-2',
    'ask bob/act/round-1/try-1',
    'commit bob',
  ]);
  assert.match(textOf(invokes.at(-1)!), /Intent: eat; looked up: ```json nodes.look.output\n\{"seen":"candy"\}/);
});

test('with prompt delivery the schema is in the conversation', () => {
  const { invokes } = playTurn(smallPark({ schema_delivery: 'prompt' }), smallWorld(), inTurn([finalPatch()]));
  assert.match(textOf(invokes[0]!), /Answer with one JSON object that satisfies this JSON Schema/);
  assert.equal(invokes[0]?.generation?.schema_delivery, 'prompt');
});

test('a model that fences its JSON is understood, and nothing else is repaired', () => {
  const fenced = `\`\`\`json\n${JSON.stringify(finalPatch())}\n\`\`\``;
  assert.deepEqual(playTurn(smallPark(), smallWorld(), inTurn([fenced])).story.at(-1), 'commit bob');
  assert.ok(
    playTurn(smallPark(), smallWorld(), inTurn([`Here: ${JSON.stringify(finalPatch())}`, finalPatch()])).story.includes(
      'reject non_json',
    ),
  );
});

test('a refusal that no model can correct ends the attempt', () => {
  const { story } = playTurn(smallPark(VENDING), smallWorld(), (command) =>
    command.tool_name
      ? { kind: 'call_refused', key: command.key, failure_class: 'unavailable', message: 'CHUKWA_TOY_URL is not set' }
      : modelSays(command, toolCall('drink')),
  );
  assert.equal(story.at(-1), 'fail unavailable');
});
