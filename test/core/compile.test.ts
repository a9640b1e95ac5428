import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../engine/contract/json.js';
import { pluginsOf } from '../../engine/core/workflow/sources-of.js';
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

/** The problems of a small park, each as `code pointer: message | repair`. */
function check(sentence: string, park: SmallPark, findings: readonly string[]): void {
  test(sentence, () => {
    const compiled = compileSmallPark(park);
    const problems = compiled.ok ? [] : compiled.problems;
    assert.deepEqual(
      problems.map(({ code, pointer, message, repair }) => `${code} ${pointer}: ${message} | ${repair}`),
      findings,
    );
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
  'COMPONENT_MISSING /nodes/0/llm_source_ref: There is no response_source 0000000000000000000000000000000000000000000000000000000000000000. | Store the response_source first, or refer to it by path.',
]);
check(
  'a final schema that is not the WorldPatch',
  { change: (workflow) => loop(workflow, { final_schema_ref: ghost }) },
  [
    'COMPONENT_MISSING /nodes/0/final_schema_ref: There is no json_schema 0000000000000000000000000000000000000000000000000000000000000000. | Store the json_schema first, or refer to it by path.',
  ],
);
check(
  'a patch applied from a node that is not there',
  { change: (workflow) => ({ ...workflow, apply: { from: 'think.final' } }) },
  ['APPLY_FROM_UNKNOWN /apply/from: No llm_tool_loop node is called "think". | Write "act.final".'],
);
check('a final patch that nothing applies', { change: ({ apply: _apply, ...workflow }) => workflow }, [
  'APPLY_MISSING : The final patch of the node act would change nothing: the workflow has no "apply". | Add "apply": { "from": "act.final" }.',
]);
check('two ambient sources of one id', { ambients: [READING, { ...READING, inject_as: '/ambient/other' }] }, [
  'AMBIENT_ID_TWICE /ambient_sources/1/id: The ambient source weather is listed a second time here. | Give each ambient source an id of its own.',
]);
check(
  'readings with overlapping places',
  { ambients: [READING, { ...READING, id: 'pa', inject_as: '/ambient/weather/pa' }] },
  [
    'INJECT_PATHS_OVERLAP /ambient_sources/1/inject_as: /ambient/weather/pa overlaps /ambient/weather of weather, and one subject can see both. | Give each reading its own place.',
  ],
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
  'INJECT_PATH_INVALID /ambient_sources/0/inject_as: "/world/weather" is not a place under /ambient. | Write for example "/ambient/weather".',
]);
check('a once-per-turn reading about an acting subject', { ambients: [{ ...READING, scope: 'acting_subject' }] }, [
  'ONCE_PER_TURN_HAS_NO_SUBJECT /ambient_sources/0/scope: weather runs once per turn, when there is no acting subject yet. | Let it run before_subject_workflow, or name a world, environment or entity.',
]);
check(
  'a once-per-turn request that reads the subject',
  { ambients: [{ ...READING, request_template: { who: { $from: '/subject/id' } } }] },
  [
    'TEMPLATE_PATH_UNREADABLE /ambient_sources/0/request_template/who/$from: /subject/id cannot be read here. | Read one of /world/....',
  ],
);
check(
  'a $from with company',
  { ambients: [{ ...READING, request_template: { who: { $from: '/world/slug', or: 1 } } }] },
  [
    'TEMPLATE_READ_MALFORMED /ambient_sources/0/request_template/who: "$from" must be a JSON Pointer, with no neighbour but "default". | Write, for example, {"$from": "/world/attempted_turn"}.',
  ],
);
check(
  'a scope that names nothing',
  { ambients: [{ ...READING, scope: { environment_label: 'beach' }, visible_to: { entity_id: 'Bob' } }] },
  [
    'ENVIRONMENT_UNKNOWN /ambient_sources/0/scope/environment_label: The scenario has no environment "beach". | There are: park.',
    'ENTITY_ID_NOT_CANONICAL /ambient_sources/0/visible_to/entity_id: "Bob" is not a canonical entity id. | Write "bob".',
  ],
);
check(
  'an ambient source that does more than read, without leave',
  { ambients: [{ ...READING, effect: 'external_side_effect' }] },
  [
    `POLICY_DENIES /ambient_sources/0/effect: weather is external_side_effect, runs without a choice of the model, and no tool policy allows it. | Add "weather" to the "allow" of the profile's tool policy.`,
  ],
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
  'REPEATABLE_NEEDS_EFFECT /ambient_sources/0/repeatable: weather is read_only, and "repeatable" is for side effects: a read-only call can always be repeated. | Remove "repeatable", or correct "effect".',
]);
check('two tools of one name', { tools: ['buy_candy', 'buy_candy'] }, [
  'TOOL_NAME_TWICE /nodes/0/available_tools/1/name: The tool buy_candy is listed a second time here. | Give each tool of a node a name of its own.',
]);
check('a reserved tool name', { tools: ['core__buy'] }, [
  'TOOL_NAME_RESERVED /nodes/0/available_tools/0/name: core__buy begins with core__, which is reserved. | Choose a name without the prefix.',
]);
const SERVED = {
  tool_plugin: 'tool_server',
  tool_interface: { server_env: 'CHUKWA_MCP_CORNER_SHOP', tool_name: 'buy/one' },
};
check(
  'a tool of a served plugin that says its server and tool',
  { tools: ['mcp__corner_shop__buy_one'], ...SERVED },
  [],
);
for (const name of ['buy', 'mcp__buy_one', 'mcp__shop__buy_one', 'mcp__corner_shop__buy', 'mcp__Corner_Shop__buy_one'])
  check(`a tool of a served plugin that is named ${name}`, { tools: [name], ...SERVED }, [
    `TOOL_NAME_WITHOUT_SERVER /nodes/0/available_tools/0/name: The name ${name} does not say of which server it is, and which tool there. | Name it mcp__corner_shop__buy_one, here and in the tool policy.`,
  ]);
const LONG = { ...SERVED, tool_interface: { server_env: 'CHUKWA_MCP_SHOP', tool_name: 'b'.repeat(60) } };
check('a tool of a served plugin whose name would be too long', { tools: ['mcp__shop__buy'], ...LONG }, [
  `TOOL_NAME_WITHOUT_SERVER /nodes/0/available_tools/0/name: The name mcp__shop__buy does not say of which server it is, and which tool there. | mcp__shop__${'b'.repeat(60)} would be its name, which has more than 64 characters: name the server by a shorter variable.`,
]);
check('a tool of another plugin that is named like one of a server', { tools: ['mcp__shop__buy'] }, [
  'TOOL_NAME_RESERVED /nodes/0/available_tools/0/name: mcp__shop__buy begins with mcp__, which is reserved. | Choose a name without the prefix.',
]);
check('an allowed tool whose plugin is not there', { tools: ['buy_candy'], tool_plugin: 'missing' }, [
  'PLUGIN_UNKNOWN /interface/name: The source tools needs the plugin "missing", which was not found. | chukwa plugin list shows the plugins that were found, and why others are left out.',
]);
check(
  'a tool that policy does not allow needs no plugin',
  { tools: ['buy_candy'], allow: [], tool_plugin: 'missing' },
  [],
);
check('a placeholder that means nothing', { prompt: 'Hello {{world.weather}}' }, [
  'PROMPT_PLACEHOLDER_UNKNOWN /nodes/0/prompt_template/messages/0/content: {{world.weather}} is not a placeholder. | Use world.slug, world.attempted_turn, world.simulation_time, world.projection, world.recent_events, subject.id, subject.name, subject.rendered, subject.own_turns, memory.pinned, memory.retrieved, ambient.visible, tools.available, ambient.<path> or nodes.<id>.output.',
]);
check(
  'a placeholder of one value that a reading may lack',
  { ambients: [READING], prompt: 'It is {{ambient.weather.temperature}}.' },
  [
    'PATH_MAY_BE_MISSING /nodes/0/prompt_template/messages/0/content: {{ambient.weather.temperature}} may be missing. | A prompt has no defaults: read a whole output, or write a result schema that requires the member.',
  ],
);
check('a placeholder of a whole reading', { ambients: [READING], prompt: 'Now: {{ambient.weather}}' }, []);
check('a placeholder of a reading that nothing injects', { prompt: 'Hello {{ambient.weather.temperature}}' }, [
  'PATH_NEVER_THERE /nodes/0/prompt_template/messages/0/content: {{ambient.weather.temperature}} never exists: /ambient has nothing below it. | Read {{ambient.visible}}, which shows all readings.',
]);
check('a placeholder of a node that leaves out its output', { prompt: 'Hello {{nodes.plan.intention}}' }, [
  'PROMPT_PLACEHOLDER_UNKNOWN /nodes/0/prompt_template/messages/0/content: {{nodes.plan.intention}} is not a placeholder. | Did you mean {{nodes.plan.output.intention}}? Use world.slug, world.attempted_turn, world.simulation_time, world.projection, world.recent_events, subject.id, subject.name, subject.rendered, subject.own_turns, memory.pinned, memory.retrieved, ambient.visible, tools.available, ambient.<path> or nodes.<id>.output.',
]);
check('a placeholder of memories that the projection does not ask for', { prompt: '{{memory.retrieved}}' }, [
  'PART_NOT_PROJECTED /nodes/0/prompt_template/messages/0/content: {{memory.retrieved}} is used in a prompt, but the projection has no "memory.retrieve". | Add "retrieve": {"top": 5, "query": ["{{world.recent_events}}"]} under "memory" to the projection of the node.',
]);
test('a projection that asks for what no prompt shows is noted', () => {
  const projection = { scope: 'world', memory: { recent: 1, pinned: true } };
  const compiled = compileSmallPark({ prompt: 'Act.', projection });
  assert.deepEqual(compiled.ok && compiled.notes.map(({ code, pointer }) => [code, pointer]), [
    ['PART_NOT_SHOWN', '/nodes/0/projection/memory/pinned'],
  ]);
});
check(
  'a query for memories that reads what it finds, and what does not exist',
  {
    prompt: '{{memory.retrieved}}',
    projection: {
      scope: 'world',
      memory: {
        recent: 1,
        retrieve: { top: 3, query: ['{{subject.name}}', '{{memory.retrieved}} {{nodes.think.output}}'] },
      },
    },
  },
  [
    'NODE_UNKNOWN /nodes/0/projection/memory/retrieve/query/1: {{nodes.think.output}} reads a node that does not exist. | There are: act.',
    'QUERY_READS_LATER /nodes/0/projection/memory/retrieve/query/1: A query reads {{memory.retrieved}}, which is known only after memories have been retrieved. | Write the query of other placeholders, such as {{world.recent_events}}.',
  ],
);
check('a prompt that reads a node that does not exist', { prompt: '{{nodes.think.output}}' }, [
  'NODE_UNKNOWN /nodes/0/prompt_template/messages/0/content: {{nodes.think.output}} reads a node that does not exist. | There are: act.',
]);
check('a placeholder that never closes', { prompt: 'Hello {{world.slug' }, [
  'PROMPT_PLACEHOLDER_UNCLOSED /nodes/0/prompt_template/messages/0/content: The braces that open at character 7 are not closed. | Close them with }}, or write a single brace.',
]);
check('a node that waits for itself', { prompt: '{{nodes.act.output}}' }, [
  'NODES_CYCLE /nodes/0/prompt_template/messages/0/content: act reads its own output, so it would wait forever. | Remove the reference.',
]);
check('a delivery that the plugin gives no meaning', { schema_delivery: 'by_pigeon' }, [
  'NOT_SUPPORTED_YET /interface/schema_delivery: This version does not support this "schema_delivery", and never chooses another by itself. | Write "response_format".',
]);
check('a start that no calendar has', { time: { start_time: '2016-12-31T23:59:60Z' } }, [
  'START_TIME_UNUSABLE /start_time: "2016-12-31T23:59:60Z" names a leap second, which no calendar here has. | Write a time such as "2026-05-01T09:00:00Z".',
]);
check('a start beyond what a database takes', { time: { start_time: '0001-01-01T00:00:00+02:00' } }, [
  'START_TIME_UNUSABLE /start_time: "0001-01-01T00:00:00+02:00" is not in the years 0001 to 9999. | Write a time such as "2026-05-01T09:00:00Z".',
]);
check('turns that soon lead beyond the calendar', { time: { chronon_seconds: 31_536_000 } }, [
  'CHRONON_TOO_LONG /chronon_seconds: Turns of 31536000 seconds reach the year 9999 before turn 10000. | Write at most 25162467, or an earlier start_time.',
]);
check('a subject that is a prop', { subjects: ['crumb'] }, [
  'SUBJECT_NOT_AGENT /cognition/0/subjects/0: The subject crumb is a prop; only agents think. | Make crumb an agent, or remove it from the subjects.',
]);
check('a subject that does not exist, and one that stands twice', { subjects: ['bob', 'bobby', 'bob'] }, [
  'ENTITY_UNKNOWN /cognition/0/subjects/1: The scenario has no entity "bobby". | Did you mean bob?',
  'SUBJECT_TWICE /cognition/0/subjects/2: The subject bob is listed a second time here; a subject thinks once a turn. | Remove it from one of the two lists.',
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
    'ENTITY_TWICE /entities/1/id: The entity bob is listed a second time here. | Give each entity an id of its own.',
    'ENVIRONMENT_UNKNOWN /entities/1/environment: The scenario has no environment "moon". | There are: park.',
    'ENTITY_ID_NOT_CANONICAL /entities/2/id: "Plate Crumb" is not a canonical entity id. | Write "plate_crumb".',
    'AGENT_ONLY /entities/2/memory: Plate Crumb is a prop and cannot have a memory. | Remove the memory, or make Plate Crumb an agent.',
    'AGENT_ONLY /entities/2/goal: Plate Crumb is a prop and cannot have a goal. | Remove the goal, or make Plate Crumb an agent.',
  ],
);

check(
  'an agent whose id is not canonical, and who is to think by the canonical one',
  { entities: [{ id: 'Bob', name: 'Bob', kind: 'agent', state: 's' }], subjects: ['bob', 'bobby'] },
  [
    'ENTITY_ID_NOT_CANONICAL /entities/0/id: "Bob" is not a canonical entity id. | Write "bob".',
    'ENTITY_UNKNOWN /cognition/0/subjects/1: The scenario has no entity "bobby". | Did you mean bob?',
  ],
);

test('a request with a placeholder of prompts is noted, and one with other braces is not', () => {
  const request_template = { turn: '{{ nodes.my-plan.output }}', greeting: 'Hello {{name}}' };
  const compiled = compileSmallPark({ ambients: [{ ...READING, request_template }] });
  assert.deepEqual(compiled.ok && compiled.notes.map(({ code, severity, pointer }) => [code, severity, pointer]), [
    ['TEMPLATE_BRACES', 'note', '/ambient_sources/0/request_template/turn'],
  ]);
});

test('the cost of concurrent subjects is noted where the author sets no limit to it', () => {
  const concurrent = { execution: 'per_subject_concurrent' };
  const notesOf = (more: JsonObject): readonly string[] => {
    const change = (workflow: JsonObject): JsonObject => ({ ...workflow, ...concurrent, ...more });
    const entities = ['ada', 'bob'].map((id) => ({ id, name: id, kind: 'agent', state: 's' }));
    const compiled = compileSmallPark({ subjects: ['ada', 'bob'], entities, change });
    return compiled.ok ? compiled.notes.map(({ code }) => code) : compiled.problems.map(({ message }) => message);
  };
  assert.deepEqual([notesOf({}), notesOf({ max_speculative: 4 })], [['SPECULATION_COSTS'], []]);
});

test('an agent that is the subject of no profile is noted, and a prop is not', () => {
  const agent = (id: string): JsonObject => ({ id, name: id, kind: 'agent', state: 's' });
  const compiled = compileSmallPark({ entities: [agent('ann'), agent('bob'), { ...agent('cup'), kind: 'prop' }] });
  assert.deepEqual(
    compiled.ok && compiled.notes.map(({ code, severity, pointer, message }) => [code, severity, pointer, message]),
    [
      [
        'AGENT_NEVER_ACTS',
        'note',
        '/entities/0/id',
        'The agent ann never acts: no profile of "cognition" has it as a subject.',
      ],
    ],
  );
});

test('a misspelt placeholder is reported with the one that it may mean', () => {
  const compiled = compileSmallPark({ prompt: 'Look: {{world.projektion}}' });
  assert.match(
    compiled.ok ? '' : (compiled.problems[0]?.repair ?? ''),
    /^Did you mean \{\{world\.projection\}\}\? Use /,
  );
});

const SPELLING = 'Use lower-case letters, digits, _ and -, in parts joined by dots.';
const READ_EACH_TIME = { ...READING, id: 'near', run: 'before_subject_workflow', inject_as: '/ambient/near' };
for (const [name, park, plugins] of [
  ['a model', {}, ['llm_chat']],
  ['a reading once a turn', { ambients: [READING] }, ['http_json', 'llm_chat']],
  ['a reading for each subject', { ambients: [READ_EACH_TIME] }, ['http_json', 'llm_chat']],
  ['a tool', { tools: ['mcp__shop__buy'], tool_plugin: 'tool_server' }, ['llm_chat', 'tool_server']],
  ['a tool that policy denies', { tools: ['mcp__shop__buy'], tool_plugin: 'tool_server', allow: [] }, ['llm_chat']],
] as const)
  test(`a turn with ${name} may call ${plugins.join(' and ')}`, () =>
    assert.deepEqual([...pluginsOf(smallPark(park))].toSorted(), plugins));

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
  assert.equal(say('x'.repeat(76)), `{{${'x'.repeat(76)}}} is not a placeholder.`);
  assert.equal(say('x'.repeat(77)), `{{${'x'.repeat(77)}}... is not a placeholder.`);
});
