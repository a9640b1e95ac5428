import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../engine/contract/json.js';
import { type SmallPark, compileSmallPark, smallPark } from '../support/park-documents.js';

const READING: JsonObject = {
  id: 'weather',
  run: 'once_per_turn',
  scope: 'world',
  visible_to: 'all_subjects',
  request_template: {},
  inject_as: '/ambient/weather',
};
const ghost = { hash: '0'.repeat(64) };
const loop = (workflow: JsonObject, change: JsonObject): JsonObject => ({
  ...workflow,
  nodes: [{ ...(workflow['nodes'] as readonly JsonObject[])[0], ...change }],
});

/** What is wrong with a small park, as `code pointer`. */
function check(sentence: string, park: SmallPark, findings: readonly string[]): void {
  test(sentence, () => {
    const compiled = compileSmallPark(park);
    assert.deepEqual(
      compiled.ok ? [] : compiled.problems.map((problem) => `${problem.code} ${problem.pointer}`),
      findings,
    );
    if (!compiled.ok)
      for (const problem of compiled.problems) assert.ok(problem.repair, `${problem.code} says what to do`);
  });
}

test('a call whose source and policy say no limits has those of its kind', () => {
  const program = smallPark({ ambients: [READING], without_policy: true });
  const chat = program.subjects.flatMap(({ workflow }) => workflow.nodes.flatMap((node) => node.call ?? []));
  assert.deepEqual(
    [...program.turn_ambients.map(({ call }) => call), ...chat].map(({ limits }) => limits),
    [
      { max_runtime_ms: 10_000, max_request_bytes: 8 * 1024, max_result_bytes: 32 * 1024 },
      { max_runtime_ms: 120_000, max_request_bytes: 2 * 1024 * 1024, max_result_bytes: 2 * 1024 * 1024 },
    ],
  );
});

test('the program of a chat source names the model that the source names, and that of another source names none', () => {
  const program = smallPark({ ambients: [READING] });
  const chat = program.subjects.flatMap(({ workflow }) => workflow.nodes.flatMap((node) => node.call ?? []));
  assert.deepEqual(
    [...program.turn_ambients.map(({ call }) => call), ...chat].map(
      ({ source }) => ({ model: 'none', ...source }).model,
    ),
    ['none', 'm'],
  );
});

check('an ordinary park compiles', { tools: ['buy_candy'], ambients: [READING] }, []);
check('a workflow that does not resolve', { change: (workflow) => loop(workflow, { llm_source_ref: ghost }) }, [
  'COMPONENT_MISSING /nodes/0/llm_source_ref',
]);
check(
  'a final schema that is not the WorldPatch',
  { change: (workflow) => loop(workflow, { final_schema_ref: ghost }) },
  ['COMPONENT_MISSING /nodes/0/final_schema_ref'],
);
check(
  'a patch applied from a node that is not there',
  { change: (workflow) => ({ ...workflow, apply: { from: 'think.final' } }) },
  ['APPLY_FROM_UNKNOWN /apply/from'],
);
check('two ambient sources of one id', { ambients: [READING, { ...READING, inject_as: '/ambient/other' }] }, [
  'AMBIENT_ID_TWICE /ambient_sources/1/id',
]);
check(
  'readings laid over each other',
  { ambients: [READING, { ...READING, id: 'pa', inject_as: '/ambient/weather/pa' }] },
  ['INJECT_PATHS_OVERLAP /ambient_sources/1/inject_as'],
);
check(
  'readings for different entities may share a place',
  {
    ambients: [
      { ...READING, visible_to: { entity_id: 'bob' } },
      { ...READING, id: 'pa', visible_to: { entity_id: 'ant' } },
    ],
  },
  [],
);
check('a reading laid outside /ambient', { ambients: [{ ...READING, inject_as: '/world/weather' }] }, [
  'INJECT_PATH_INVALID /ambient_sources/0/inject_as',
]);
check('a once-per-turn reading about an acting subject', { ambients: [{ ...READING, scope: 'acting_subject' }] }, [
  'ONCE_PER_TURN_HAS_NO_SUBJECT /ambient_sources/0/scope',
]);
check(
  'a once-per-turn request that reads the subject',
  { ambients: [{ ...READING, request_template: { who: { $from: '/subject/id' } } }] },
  ['TEMPLATE_PATH_UNREADABLE /ambient_sources/0/request_template/who/$from'],
);
check(
  'a $from with company',
  { ambients: [{ ...READING, request_template: { who: { $from: '/world/slug', or: 1 } } }] },
  ['TEMPLATE_READ_MALFORMED /ambient_sources/0/request_template/who'],
);
check(
  'a scope that names nothing',
  { ambients: [{ ...READING, scope: { environment_label: 'beach' }, visible_to: { entity_id: 'Bob' } }] },
  [
    'ENVIRONMENT_UNKNOWN /ambient_sources/0/scope/environment_label',
    'ENTITY_ID_NOT_CANONICAL /ambient_sources/0/visible_to/entity_id',
  ],
);
check(
  'an ambient source that does more than read, without leave',
  { ambients: [{ ...READING, effect: 'external_side_effect' }] },
  ['POLICY_DENIES /ambient_sources/0/effect'],
);
check(
  'an ambient source that does more than read, with leave',
  { ambients: [{ ...READING, effect: 'external_side_effect' }], allow: ['weather'] },
  [],
);
check(
  'a repeatable call with a side effect',
  { ambients: [{ ...READING, effect: 'external_side_effect', repeatable: true }], allow: ['weather'] },
  [],
);
check('a repeatable call that only reads', { ambients: [{ ...READING, repeatable: true }] }, [
  'REPEATABLE_NEEDS_EFFECT /ambient_sources/0/repeatable',
]);
check('two tools of one name', { tools: ['buy_candy', 'buy_candy'] }, [
  'TOOL_NAME_TWICE /nodes/0/available_tools/1/name',
]);
check('a reserved tool name', { tools: ['core__buy'] }, ['TOOL_NAME_RESERVED /nodes/0/available_tools/0/name']);
check('a tool of a served plugin that says its server', { tools: ['mcp__shop__buy'], tool_plugin: 'tool_server' }, []);
for (const name of ['buy', 'mcp__buy', 'mcp____buy', 'mcp__shop__'])
  check(`a tool of a served plugin that is named ${name}`, { tools: [name], tool_plugin: 'tool_server' }, [
    'TOOL_NAME_WITHOUT_SERVER /nodes/0/available_tools/0/name',
  ]);
check('a tool of another plugin that is named like one of a server', { tools: ['mcp__shop__buy'] }, [
  'TOOL_NAME_RESERVED /nodes/0/available_tools/0/name',
]);
check('an allowed tool whose plugin is not there', { tools: ['buy_candy'], tool_plugin: 'missing' }, [
  'PLUGIN_UNKNOWN /interface/name',
]);
check(
  'a tool that policy does not allow needs no plugin',
  { tools: ['buy_candy'], allow: [], tool_plugin: 'missing' },
  [],
);
check('a placeholder that means nothing', { prompt: 'Hello {{world.weather}}' }, [
  'PROMPT_PLACEHOLDER_UNKNOWN /nodes/0/prompt_template/messages/0/content',
]);
check('a prompt that reads a node that is not there', { prompt: '{{nodes.think.output}}' }, [
  'NODE_UNKNOWN /nodes/0/prompt_template/messages/0/content',
]);
check('a placeholder that never closes', { prompt: 'Hello {{world.slug' }, [
  'PROMPT_PLACEHOLDER_UNCLOSED /nodes/0/prompt_template/messages/0/content',
]);
check('a node that waits for itself', { prompt: '{{nodes.act.output}}' }, [
  'NODES_CYCLE /nodes/0/prompt_template/messages/0/content',
]);
check('a delivery that this version cannot do', { schema_delivery: 'response_format_strict' }, [
  'NOT_SUPPORTED_YET /interface/schema_delivery',
]);
check('a start that no calendar has', { time: { start_time: '2016-12-31T23:59:60Z' } }, [
  'START_TIME_UNUSABLE /start_time',
]);
check('a start beyond what a database takes', { time: { start_time: '0001-01-01T00:00:00+02:00' } }, [
  'START_TIME_UNUSABLE /start_time',
]);
check('turns that soon lead beyond the calendar', { time: { chronon_seconds: 31_536_000 } }, [
  'CHRONON_TOO_LONG /chronon_seconds',
]);
check('a subject that is a prop', { subjects: ['crumb'] }, ['SUBJECT_NOT_AGENT /cognition/0/subjects/0']);
check('a subject that does not exist, and one that stands twice', { subjects: ['bob', 'bobby', 'bob'] }, [
  'ENTITY_UNKNOWN /cognition/0/subjects/1',
  'SUBJECT_TWICE /cognition/0/subjects/2',
]);
check(
  'entities with ids that are not canonical, doubled, in no environment, or that remember without being agents',
  {
    entities: [
      { id: 'bob', name: 'Bob', kind: 'agent', state: 's' },
      { id: 'bob', name: 'Bob', kind: 'agent', environment: 'moon', state: 's' },
      { id: 'Plate Crumb', name: 'Crumb', kind: 'prop', state: 's', memory: ['x'], goal: 'y' },
    ],
  },
  [
    'ENTITY_TWICE /entities/1/id',
    'ENVIRONMENT_UNKNOWN /entities/1/environment',
    'ENTITY_ID_NOT_CANONICAL /entities/2/id',
    'AGENT_ONLY /entities/2/memory',
    'AGENT_ONLY /entities/2/goal',
  ],
);

check(
  'an agent whose id is not canonical, and who is to think by the canonical one',
  { entities: [{ id: 'Bob', name: 'Bob', kind: 'agent', state: 's' }], subjects: ['bob', 'bobby'] },
  ['ENTITY_ID_NOT_CANONICAL /entities/0/id', 'ENTITY_UNKNOWN /cognition/0/subjects/1'],
);

test('a misspelt placeholder is reported with the one that it may mean', () => {
  const compiled = compileSmallPark({ prompt: 'Look: {{world.projektion}}' });
  assert.match(
    compiled.ok ? '' : (compiled.problems[0]?.repair ?? ''),
    /^Did you mean \{\{world\.projection\}\}\? Use /,
  );
});

const SPELLING = 'Use lower-case letters, digits, _ and -, in parts joined by dots.';
for (const [id, why, repair] of [
  ['Plate Crumb', '', 'Write "plate_crumb".'],
  ['!!!', ': it contains "!"', SPELLING],
  ['plate..crumb', ': a part between dots is empty', SPELLING],
  [' ', ': it is empty', SPELLING],
] as const)
  test(`an author who gives an entity the id ${JSON.stringify(id)} is told: ${repair}`, () => {
    const entities = [{ id, name: 'Crumb', kind: 'prop', state: 's' }];
    const compiled = compileSmallPark({ entities, subjects: [] });
    assert.deepEqual(compiled.ok ? [] : compiled.problems.map((problem) => [problem.message, problem.repair]), [
      [`${JSON.stringify(id)} is not a canonical entity id${why}.`, repair],
    ]);
  });

test('equal bindings of several workflows make one call', () => {
  const compiled = compileSmallPark({ ambients: [READING], subjects: ['bob', 'ant'] });
  assert.ok(compiled.ok);
  assert.equal(compiled.program.turn_ambients.length, 1);
  assert.equal(compiled.program.subjects.length, 2);
});

test('a finding shows at most 80 characters of a placeholder that names nothing', () => {
  const say = (name: string) => {
    const compiled = compileSmallPark({ prompt: `{{${name}}}` });
    assert.ok(!compiled.ok);
    return compiled.problems[0]?.message;
  };
  assert.equal(say('x'.repeat(76)), `{{${'x'.repeat(76)}}} names nothing that a prompt can be given.`);
  assert.equal(say('x'.repeat(77)), `{{${'x'.repeat(77)}}... names nothing that a prompt can be given.`);
});
