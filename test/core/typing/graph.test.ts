import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '../../../engine/contract/json.js';
import { contentHash } from '../../../engine/core/content/canonical.js';
import { chatSource, compileSmallPark, type Shelf, type SmallPark } from '../../support/park-documents.js';

const text = { type: 'string' };
const weather: JsonObject = {
  type: 'object',
  required: ['temperature'],
  properties: { temperature: { type: 'integer' }, wind: text, station: { type: 'object', properties: { id: text } } },
};
const choice: JsonObject = {
  type: 'object',
  additionalProperties: false,
  required: ['topic'],
  properties: { topic: { enum: ['food', 'rest'] }, why: text },
};
const measured: JsonObject = { type: 'object', required: ['degrees'], properties: { degrees: { type: 'number' } } };
const unnamed: JsonObject = {
  type: 'object',
  required: ['list', 'm', 'empty'],
  properties: {
    list: { type: 'array', items: text },
    m: { type: 'object', patternProperties: { '^x_': text }, additionalProperties: false },
    empty: { type: 'object', properties: {} },
  },
};
const undescribed: JsonObject = {
  type: 'object',
  properties: {
    object: { type: 'object' },
    list: { type: 'array' },
    pair: { type: 'array', prefixItems: [text] },
  },
};
const listed: JsonObject = {
  type: 'object',
  properties: { picked: { enum: [{ first: { name: 'a' } }, [{ name: 'b' }], 'c', null] } },
};
const schemas = [weather, choice, measured, unnamed, undescribed, listed];
/** A source that takes a note. */
const taking = (shelf: Shelf): JsonObject =>
  shelf.put('response_source', {
    version: 1,
    label: 'toy',
    interface: { name: 'http_json', method: 'POST', url_env: 'CHUKWA_TOY_URL', path: '/toy' },
    request_schema_ref: shelf.put('json_schema', { type: 'object', properties: { note: text } }),
  });
const hash = (schema: JsonObject): JsonObject => ({ hash: contentHash(schema) });

const reading = (change: JsonObject = {}): JsonObject => ({
  id: 'weather',
  run: 'once_per_turn',
  scope: 'world',
  visible_to: 'all_subjects',
  request_template: {},
  inject_as: '/ambient/sky/weather',
  result_schema_ref: hash(weather),
  ...change,
});

const look =
  (request_template: Json, change: JsonObject = {}) =>
  (shelf: Shelf): JsonObject => ({
    id: 'look',
    type: 'source_call',
    source_ref: shelf.put('response_source', {
      version: 1,
      label: 'eyes',
      interface: { name: 'http_json', method: 'POST', url_env: 'CHUKWA_TOY_URL', path: '/look' },
    }),
    effect: 'read_only',
    redaction: { allow: 'all' },
    request_template,
    ...change,
  });

const choose =
  (prompt: string) =>
  (shelf: Shelf): JsonObject => ({
    id: 'choose',
    type: 'llm_json',
    order_type: 'classify',
    llm_source_ref: chatSource(shelf),
    prompt_template: { messages: [{ role: 'user', content: prompt }] },
    projection: { scope: 'world', memory: { recent: 1 } },
    max_generation_attempts: 1,
    result_schema_ref: hash(choice),
    constraints: { token_budget: 1000, timeout_seconds: 10 },
  });

type Case = Omit<SmallPark, 'nodes_before' | 'schemas'> & {
  readonly nodes?: readonly ((shelf: Shelf) => JsonObject)[];
};

/** The findings of typing in a small park: `code place: message | repair`, notes too. */
function check(sentence: string, { nodes = [], ...park }: Case, findings: readonly string[]): void {
  test(sentence, () => {
    const compiled = compileSmallPark({ ...park, schemas, nodes_before: (shelf) => nodes.map((node) => node(shelf)) });
    const problems = compiled.ok ? compiled.notes : compiled.problems;
    assert.deepEqual(
      problems.map(({ code, pointer, message, repair }) => `${code} ${pointer}: ${message} | ${repair}`),
      findings,
    );
  });
}

const from = (path: string, fallback?: Json): JsonObject =>
  fallback === undefined ? { $from: path } : { $from: path, default: fallback };
const before = (request_template: Json, change: JsonObject = {}): JsonObject =>
  reading({ id: 'near', run: 'before_subject_workflow', inject_as: '/ambient/near', request_template, ...change });

check(
  'a graph in which every path is there compiles',
  {
    ambients: [
      reading(),
      before({ degrees: from('/ambient/sky/weather/temperature'), where: from('/subject/environment') }),
    ],
    nodes: [
      choose('{{subject.name}}'),
      look({ topic: from('/nodes/choose/output/topic'), near: from('/ambient/near') }),
    ],
    prompt: '{{nodes.choose.output.topic}} {{nodes.look.output}}',
  },
  [],
);
check(
  'a misspelt member of an output is never there, and the nearest that exist are named',
  { nodes: [choose('Well?'), look({ topic: from('/nodes/choose/output/topik') })], prompt: '{{nodes.look.output}}' },
  [
    'PATH_NEVER_THERE /nodes/1/request_template/topic/$from: /nodes/choose/output/topik never exists: /nodes/choose/output has topic, why. | Did you mean topic?',
  ],
);
check(
  'nothing is below a string',
  { nodes: [choose('Well?'), look({ topic: from('/nodes/choose/output/topic/x') })], prompt: '{{nodes.look.output}}' },
  [
    'PATH_NEVER_THERE /nodes/1/request_template/topic/$from: /nodes/choose/output/topic/x never exists: /nodes/choose/output/topic has nothing below it. | Read /nodes/choose/output/topic.',
  ],
);
for (const [path, message] of [
  ['list/first', '/nodes/look/output/list has items. | Write an index, such as 0.'],
  ['list/00', '/nodes/look/output/list has items. | Write an index, such as 0.'],
  ['list/-1', '/nodes/look/output/list has items. | Write an index, such as 0.'],
  ['m/y', '/nodes/look/output/m has members whose names match ^x_. | Write a name that does.'],
  ['empty/y', '/nodes/look/output/empty has nothing below it. | Read /nodes/look/output/empty.'],
] as const)
  check(
    `the problem of a name below a value without names says which paths exist: ${path}`,
    {
      nodes: [
        look({}, { result_schema_ref: hash(unnamed) }),
        look({ read: from(`/nodes/look/output/${path}`) }, { id: 'tell' }),
      ],
      prompt: '{{nodes.tell.output}}',
    },
    [`PATH_NEVER_THERE /nodes/1/request_template/read/$from: /nodes/look/output/${path} never exists: ${message}`],
  );
check(
  'nodes that wait for each other are reported where one waits',
  {
    nodes: [choose('{{nodes.look.output}}'), look({ topic: from('/nodes/choose/output/topic') })],
    prompt: '{{nodes.look.output}}',
  },
  [
    'NODES_CYCLE /nodes/0/prompt_template/messages/0/content: choose waits for look waits for choose: none of them can start. | Remove this reference to look, or another of them.',
  ],
);
check(
  'a node that reads itself is reported',
  { nodes: [choose('{{nodes.choose.output.topic}}')], prompt: '{{nodes.choose.output}}' },
  [
    'NODES_CYCLE /nodes/0/prompt_template/messages/0/content: choose reads its own output, so it would wait forever. | Remove the reference.',
  ],
);
check(
  'what may be missing needs a default',
  { nodes: [choose('Well?'), look({ why: from('/nodes/choose/output/why') })], prompt: '{{nodes.look.output}}' },
  [
    'PATH_MAY_BE_MISSING /nodes/1/request_template/why/$from: /nodes/choose/output/why may be missing. | Write a "default" beside "$from", or a result schema that requires it.',
  ],
);
check(
  'what may be missing has a default',
  { nodes: [choose('Well?'), look({ why: from('/nodes/choose/output/why', null) })], prompt: '{{nodes.look.output}}' },
  [],
);
check(
  'a default does not excuse what is never there',
  { nodes: [choose('Well?'), look({ x: from('/nodes/choose/output/x', null) })], prompt: '{{nodes.look.output}}' },
  [
    'PATH_NEVER_THERE /nodes/1/request_template/x/$from: /nodes/choose/output/x never exists: /nodes/choose/output has why, topic. | Read /nodes/choose/output, or one of those.',
  ],
);
check('a prompt has no default', { nodes: [choose('Well?')], prompt: '{{nodes.choose.output.why}}' }, [
  'PATH_MAY_BE_MISSING /nodes/1/prompt_template/messages/0/content: {{nodes.choose.output.why}} may be missing. | A prompt has no defaults: read a whole output, or write a result schema that requires the member.',
]);
check(
  'below an output without a schema everything may be missing',
  { nodes: [look({})], prompt: '{{nodes.look.output.seen}}' },
  [
    'PATH_MAY_BE_MISSING /nodes/1/prompt_template/messages/0/content: {{nodes.look.output.seen}} may be missing. | A prompt has no defaults: read a whole output, or write a result schema that requires the member.',
  ],
);
check(
  'what redaction hides is said to be hidden',
  {
    nodes: [look({}, { result_schema_ref: hash(weather), redaction: { allow: ['/wind'] } })],
    prompt: '{{nodes.look.output.temperature}}',
  },
  [
    'PATH_HIDDEN /nodes/1/prompt_template/messages/0/content: {{nodes.look.output.temperature}} is hidden by redaction. | Add it to the "allow" of the binding that produces it.',
  ],
);
check(
  'an allow-list names what the result schema has',
  {
    ambients: [reading({ redaction: { allow: ['/wind', '/station/*', '/temprature', '/wind/x', '/*'] } })],
    tools: ['buy_candy'],
    change: (workflow) => {
      const [act = {}] = workflow['nodes'] as readonly JsonObject[];
      const [tool] = act['available_tools'] as readonly JsonObject[];
      const buy = { ...tool, result_schema_ref: hash(choice), redaction: { allow: ['/topics'] } };
      return { ...workflow, nodes: [{ ...act, available_tools: [buy] }] };
    },
  },
  [
    'REDACTION_NAMES_NOTHING /ambient_sources/0/redaction/allow/2: Nothing that fits the result schema has "/temprature". | Did you mean temperature?',
    'REDACTION_NAMES_NOTHING /ambient_sources/0/redaction/allow/3: Nothing that fits the result schema has "/wind/x". | Remove it.',
    'REDACTION_NAMES_NOTHING /nodes/0/available_tools/0/redaction/allow/0: Nothing that fits the result schema has "/topics". | Did you mean topic?',
  ],
);
check(
  'an allow-list may name anything below what the result schema does not describe',
  {
    ambients: [
      reading({
        redaction: { allow: ['/object/*/deep', '/list/*/deep', '/pair/*/deep'] },
        result_schema_ref: hash(undescribed),
      }),
    ],
  },
  [],
);
check(
  'an allow-list names what is below the values that the result schema lists',
  {
    ambients: [
      reading({ redaction: { allow: ['/picked/*/name', '/picked/*/title'] }, result_schema_ref: hash(listed) }),
    ],
  },
  [
    'REDACTION_NAMES_NOTHING /ambient_sources/0/redaction/allow/1: Nothing that fits the result schema has "/picked/*/title". | There are: name.',
  ],
);
check(
  'an entity, an environment and a member of the world must exist',
  {
    ambients: [
      reading({
        request_template: {
          a: from('/world/entities/Bob/state'),
          b: from('/world/environments/beach/content'),
          c: from('/world/entities/bob/mood'),
          d: from('/world/turn'),
          e: from('/world/entities/crumb/state'),
        },
      }),
    ],
  },
  [
    'PATH_NEVER_THERE /ambient_sources/0/request_template/a/$from: /world/entities/Bob/state never exists: /world/entities has bob, ant, crumb, vending_machine. | Did you mean bob?',
    'PATH_NEVER_THERE /ambient_sources/0/request_template/b/$from: /world/environments/beach/content never exists: /world/environments has park. | Read /world/environments, or one of those.',
    'PATH_NEVER_THERE /ambient_sources/0/request_template/c/$from: /world/entities/bob/mood never exists: /world/entities/bob has state. | Read /world/entities/bob, or one of those.',
    'PATH_NEVER_THERE /ambient_sources/0/request_template/d/$from: /world/turn never exists: /world has slug, entities, attempted_turn, environments, simulation_time. | Read /world, or one of those.',
  ],
);

const homeless: SmallPark = {
  subjects: ['bob', 'ant'],
  entities: [
    { id: 'bob', name: 'Bob', kind: 'agent', environment: 'park', state: 's' },
    { id: 'ant', name: 'Ant', kind: 'agent', state: 's' },
  ],
};
check(
  'a subject without an environment lacks one',
  { ...homeless, ambients: [before({ where: from('/subject/environment') })] },
  [
    'PATH_MAY_BE_MISSING /ambient_sources/0/request_template/where/$from: /subject/environment may be missing for ant. | Write a "default" beside "$from", or a result schema that requires it.',
  ],
);
check(
  'a default serves the subject that lacks one',
  {
    ...homeless,
    ambients: [before({ where: from('/subject/environment', 'nowhere') })],
  },
  [],
);
check(
  'a reading that only some subjects see is missing for the others',
  {
    ...homeless,
    ambients: [reading({ visible_to: { environment_label: 'park' } })],
    nodes: [look({ sky: from('/ambient/sky/weather/temperature') })],
    prompt: '{{nodes.look.output}}',
  },
  [
    'PATH_MAY_BE_MISSING /nodes/0/request_template/sky/$from: /ambient/sky/weather/temperature may be missing for ant. | Write a "default" beside "$from", or a result schema that requires it.',
  ],
);
check(
  'readings of one mode do not read each other',
  {
    ambients: [before({}), before({ x: from('/ambient/near/temperature') }, { id: 'far', inject_as: '/ambient/far' })],
  },
  [
    'PATH_NEVER_THERE /ambient_sources/1/request_template/x/$from: /ambient/near/temperature never exists: /ambient has nothing below it. | Read /ambient.',
  ],
);
check(
  'a node that does not exist is reported at the read',
  {
    nodes: [look({ x: from('/nodes/chose/output/topic') }), choose('Well?')],
    prompt: '{{nodes.look.output}} {{nodes.choose.output}}',
  },
  [
    'NODE_UNKNOWN /nodes/0/request_template/x/$from: /nodes/chose/output/topic reads a node that does not exist. | Did you mean choose?',
  ],
);
check(
  'work that comes to nothing is noted',
  { nodes: [choose('Well?'), look({ topic: from('/nodes/choose/output/topic') })] },
  [
    'NODE_LEADS_NOWHERE /nodes/0: The output of choose is read, but never by a node on the way to act, whose patch is applied. | Read it on the way to act, or remove both nodes.',
    'OUTPUT_UNUSED /nodes/1: Nothing reads the output of look. | Read it, unless the call is made for its effect.',
  ],
);

const wanted: JsonObject = {
  type: 'object',
  additionalProperties: false,
  required: ['topic', 'turn'],
  properties: {
    topic: { enum: ['food', 'drink'] },
    turn: { type: 'integer', minimum: 5 },
    note: text,
    list: { type: 'array', items: text },
  },
};
check(
  'a literal request is checked by every rule of what its source takes',
  { request_schema: wanted, ambients: [reading({ request_template: { topic: 'food', turn: 1 } })] },
  [
    'REQUEST_DOES_NOT_FIT /ambient_sources/0/request_template/turn: /turn does not fit: must be >= 5. | Ask as the request schema of the source toy says.',
  ],
);
check(
  'a request that reads is checked as far as its types tell',
  {
    request_schema: wanted,
    ambients: [
      reading({
        request_template: { topic: 'sleep', turn: from('/world/slug'), nite: 'x', list: [from('/world/slug'), 1] },
      }),
      before({
        turn: from('/world/attempted_turn'),
        topic: from('/ambient/sky/weather'),
        note: from('/ambient/sky/weather/wind', 'calm'),
      }),
    ],
  },
  [
    'REQUEST_DOES_NOT_FIT /ambient_sources/0/request_template/topic: /topic does not fit: must be "food" or "drink". | Ask as the request schema of the source toy says.',
    'REQUEST_DOES_NOT_FIT /ambient_sources/0/request_template/turn: /turn is a string, and an integer is wanted. | Ask as the request schema of the source toy says.',
    'REQUEST_DOES_NOT_FIT /ambient_sources/0/request_template/nite: /nite is not accepted there. | Ask as the request schema of the source toy says.',
    'REQUEST_DOES_NOT_FIT /ambient_sources/0/request_template/list/1: /list/1 does not fit: must be a string, not a number. | Ask as the request schema of the source toy says.',
    'REQUEST_DOES_NOT_FIT /ambient_sources/1/request_template/topic: /topic is an object, and a string is wanted. | Ask as the request schema of the source toy says.',
  ],
);
check(
  'a required member that a request lacks is reported',
  { request_schema: wanted, ambients: [reading({ request_template: { note: from('/world/slug'), topic: 'food' } })] },
  [
    'REQUEST_DOES_NOT_FIT /ambient_sources/0/request_template: The request lacks the required member "turn". | Ask as the request schema of the source toy says.',
  ],
);
check(
  'a default that does not fit is reported too',
  {
    request_schema: wanted,
    ambients: [reading(), before({ topic: 'food', turn: 7, note: from('/ambient/sky/weather/wind', 0) })].map(
      (ambient) =>
        ambient['id'] === 'weather' ? { ...ambient, request_template: { topic: 'food', turn: 7 } } : ambient,
    ),
  },
  [
    'REQUEST_DOES_NOT_FIT /ambient_sources/1/request_template/note: /note does not fit: must be a string, not a number. | Ask as the request schema of the source toy says.',
  ],
);
check(
  'what a tool may be given must be what its source takes',
  {
    tools: ['buy_candy'],
    request_schema: {
      type: 'object',
      required: ['button', 'coins'],
      properties: { button: { enum: ['A', 'B'] }, coins: { type: 'integer' } },
    },
  },
  [
    'ARGUMENTS_DO_NOT_FIT /nodes/0/available_tools/0/arguments_schema_ref: What buy_candy may be given lacks the required member "coins". | Make the arguments schema as narrow as the request schema of the source toy.',
    'ARGUMENTS_DO_NOT_FIT /nodes/0/available_tools/0/arguments_schema_ref: /button does not fit: must be "A" or "B". | Make the arguments schema as narrow as the request schema of the source toy.',
  ],
);
check(
  'a tool whose source takes as much or more is accepted',
  {
    tools: ['buy_candy'],
    request_schema: { type: 'object', properties: { button: { type: ['string', 'null'], pattern: '^[A-C]$' } } },
  },
  [],
);

const counted: JsonObject = {
  type: 'object',
  properties: {
    where: { type: 'string', maxLength: 4, pattern: '^[a-z]+$' },
    turn: { type: 'integer', minimum: 1 },
    note: {},
    list: { type: 'array', minItems: 2, items: { $ref: '#/$defs/small' } },
  },
  maxProperties: 4,
  $defs: { small: { type: 'integer', maximum: 5 } },
};
const asking = (request_template: JsonObject): Case => ({
  request_schema: counted,
  ambients: [before({ note: from('/subject/name'), ...request_template })],
});
const misfit = (place: string, why: string): string =>
  `REQUEST_DOES_NOT_FIT /ambient_sources/0/request_template${place}: ${place || 'The request'} ${why}. | Ask as the request schema of the source toy says.`;
check('what is written out beside a read is checked by every rule', asking({ where: 'Deck 9', turn: 0 }), [
  misfit('/where', 'does not fit: must have at most 4 characters'),
  misfit('/where', 'does not fit: must match ^[a-z]+$'),
  misfit('/turn', 'does not fit: must be >= 1'),
]);
check('a list that is written out beside a read is checked whole', asking({ list: [9] }), [
  misfit('/list', 'does not fit: must have at least 2 items'),
  misfit('/list/0', 'does not fit: must be <= 5'),
]);
check(
  'a value that fits none of several forms is reported by the nearest',
  {
    request_schema: {
      type: 'object',
      properties: {
        note: {
          anyOf: [
            { type: 'string' },
            { type: 'object', properties: { k: { type: 'array', items: { type: 'integer' } } } },
          ],
        },
      },
    },
    ambients: [before({ note: { k: [1, '2'] }, name: from('/subject/name') })],
  },
  [misfit('/note/k/1', 'does not fit: must be an integer, not a string')],
);
check(
  'a number where none is wanted is reported once',
  {
    nodes: [
      look({ x: 1 }, { result_schema_ref: hash(measured) }),
      (shelf) => ({
        ...look({ note: from('/nodes/look/output/degrees') }, { id: 'tell' })(shelf),
        source_ref: taking(shelf),
      }),
    ],
    prompt: '{{nodes.tell.output}}',
  },
  [
    'REQUEST_DOES_NOT_FIT /nodes/1/request_template/note: /note is a number, and a string is wanted. | Ask as the request schema of the source toy says.',
  ],
);

const argumentsMisfit = (why: string): string =>
  `ARGUMENTS_DO_NOT_FIT /nodes/0/available_tools/0/arguments_schema_ref: ${why}. | Make the arguments schema as narrow as the request schema of the source toy.`;
/** Holds a tool's arguments schema against what its source takes. */
function checkTool(sentence: string, said: JsonObject, wants: JsonObject, findings: readonly string[]): void {
  const properties = (members: JsonObject): JsonObject => ({
    type: 'object',
    additionalProperties: false,
    properties: members,
  });
  check(
    sentence,
    { tools: ['buy_candy'], request_schema: properties(wants), arguments_schema: properties(said) },
    findings.map(argumentsMisfit),
  );
}
checkTool(
  'lists of so many first items are long enough',
  { l: { type: 'array', minItems: 2, prefixItems: [{}, {}], items: false } },
  { l: { type: 'array', minItems: 1, maxItems: 2 } },
  [],
);
checkTool(
  'a named value is checked by every rule',
  { s: { enum: ['a', 'bb'] } },
  { s: { type: 'string', maxLength: 1 } },
  ['/s does not fit: must have at most 1 characters'],
);
checkTool(
  'what only a validator can tell passes',
  { n: { type: 'integer', not: { maximum: 0 } } },
  { n: { type: 'integer', minimum: 1 } },
  [],
);
check(
  'arguments may be open where the source is closed: a request is checked again before it is sent',
  {
    tools: ['buy_candy'],
    request_schema: { type: 'object', additionalProperties: false, properties: { button: text } },
    arguments_schema: { type: 'object', properties: { button: text } },
  },
  [],
);
const absentable = (change: JsonObject = {}): JsonObject => reading({ on_failure: 'inject_absence', ...change });
check(
  'a reading that may be absent needs a default wherever a part of it is read',
  { ambients: [absentable(), before({ degrees: from('/ambient/sky/weather/temperature') })] },
  [
    'PATH_MAY_BE_MISSING /ambient_sources/1/request_template/degrees/$from: /ambient/sky/weather/temperature is missing where the reading is absent, which its "inject_absence" allows. | Write a "default" beside "$from", or let the binding fail: "on_failure": "fail".',
  ],
);
check(
  'a reading that may be absent serves a request with a default, and can be asked whether it is',
  {
    ambients: [
      absentable(),
      before({
        degrees: from('/ambient/sky/weather/temperature', 0),
        why: from('/ambient/sky/weather/absent/failure_class', null),
      }),
    ],
  },
  [],
);
check(
  'a reading that may be absent does not fit a request that wants the whole of it',
  {
    ambients: [absentable({ request_template: { temperature: 1 } }), before(from('/ambient/sky/weather'))],
    request_schema: { type: 'object', required: ['temperature'] },
  },
  [
    'REQUEST_DOES_NOT_FIT /ambient_sources/1/request_template: The request lacks the required member "temperature". | Ask as the request schema of the source toy says.',
  ],
);
check(
  'a reading that may be absent fits a request whose schema allows for that',
  {
    ambients: [absentable(), before(from('/ambient/sky/weather'))],
    request_schema: { type: 'object', properties: { temperature: { type: 'integer' }, absent: { type: 'object' } } },
  },
  [],
);

const hiding = { redaction: { allow: ['/temperature', '/error/message'] }, result_schema_ref: hash(weather) };
const NOTHING_THERE =
  'REDACTION_NAMES_NOTHING /nodes/0/available_tools/0/redaction/allow/1: Nothing that fits the result schema has "/error/message". | There are: temperature, wind, station.';
for (const on_failure of ['fail', 'tell_model'] as const)
  test(`an allow-list that names what only a failure has is ${on_failure === 'fail' ? 'a finding' : 'noted'} where on_failure is ${on_failure}`, () => {
    const park = { tools: ['look_up'], schemas, tool_binding: { ...hiding, on_failure } };
    const compiled = compileSmallPark(park);
    assert.equal(compiled.ok, on_failure === 'tell_model');
    const problems = compiled.ok ? compiled.notes : compiled.problems;
    assert.deepEqual(
      problems.map(({ code, pointer, message, repair }) => `${code} ${pointer}: ${message} | ${repair}`),
      [NOTHING_THERE],
    );
  });

/** Has the subject remember a part of what a node says. */
const remembering =
  (remembered: { readonly from: string; readonly pointer: string }): NonNullable<SmallPark['change']> =>
  (workflow) => ({ ...workflow, apply: { from: 'act.final', remember: [remembered] } });

check(
  'a text that may be absent can be remembered, and its node is used',
  { nodes: [choose('Well?')], change: remembering({ from: 'choose.output', pointer: '/why' }) },
  [],
);
check(
  'what is remembered is in the output of a node that is there',
  {
    nodes: [choose('Well?')],
    change: remembering({ from: 'chose.output', pointer: '/why' }),
    prompt: '{{nodes.choose.output}}',
  },
  [
    'NODE_UNKNOWN /apply/remember/0/from: /nodes/chose/output/why reads a node that does not exist. | Did you mean choose?',
  ],
);
check(
  'what is remembered can be there',
  { nodes: [choose('Well?')], change: remembering({ from: 'choose.output', pointer: '/whi' }) },
  [
    'PATH_NEVER_THERE /apply/remember/0/pointer: /nodes/choose/output/whi never exists: /nodes/choose/output has why, topic. | Did you mean why?',
  ],
);
check(
  'what is remembered is a text and nothing else',
  { nodes: [choose('Well?')], change: remembering({ from: 'choose.output', pointer: '' }) },
  [
    'REMEMBER_NOT_TEXT /apply/remember/0/pointer: /nodes/choose/output may be object: only a text can be remembered. | Say "type": "string" in the schema of the output, or ["string", "null"] where there may be nothing to remember.',
  ],
);
check(
  'a value of a source without a result schema may be anything',
  { nodes: [look({})], change: remembering({ from: 'look.output', pointer: '/said' }) },
  [
    'REMEMBER_NOT_TEXT /apply/remember/0/pointer: /nodes/look/output/said may be object, array, integer, fraction, boolean: only a text can be remembered. | Say "type": "string" in the schema of the output, or ["string", "null"] where there may be nothing to remember.',
  ],
);
check(
  'a patch is applied, and not remembered',
  { change: remembering({ from: 'act.output', pointer: '/narration' }) },
  [
    'REMEMBER_FROM_PATCH /apply/remember/0/from: The node act gives a patch, of which nothing is remembered. | Name an llm_json or source_call node.',
  ],
);
