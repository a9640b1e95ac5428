import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { compose } from '../../engine/main.js';
import { putScenario } from '../../engine/operations/authoring/author.js';
import type { Engine } from '../../engine/operations/engine.js';
import { runTurns } from '../../engine/operations/running/run-turns.js';
import { createWorld } from '../../engine/operations/worlds/worlds.js';
import { DIALECTS, type Dialect, type DialectServer, serveDialect } from '../../fixtures/dialects/index.js';
import { emptyDatabase } from '../support/databases.js';

const database = await emptyDatabase({ after });
const PATCH = JSON.stringify({
  kind: 'final_patch',
  patch: {
    narration: 'Ada lights the lamp.',
    effects: [{ op: 'set_entity_state', entity_id: 'lamp', state: 'burning' }],
  },
});

const SAID = { reasoning: 'It is dark.', pieces: PATCH.match(/.{1,30}/g) ?? [] };

const SCENARIO = {
  version: 1,
  label: 'lighthouse',
  start_time: '2025-11-02T17:00:00Z',
  chronon_seconds: 1800,
  environments: [{ label: 'tower', content: 'The top of a lighthouse.' }],
  entities: [
    { id: 'ada', name: 'Ada', kind: 'agent', environment: 'tower', state: 'awake' },
    { id: 'lamp', name: 'Lamp', kind: 'prop', environment: 'tower', state: 'dark' },
  ],
  cognition: [{ profile_ref: { path: './profile.json' }, subjects: ['ada'] }],
};

const WORKFLOW = {
  version: 1,
  execution: 'per_subject_ordered',
  ambient_sources: [],
  nodes: [
    {
      id: 'act',
      type: 'llm_tool_loop',
      llm_source_ref: { path: './model.json' },
      prompt_template: { messages: [{ role: 'user', content: '{{world.projection}}' }] },
      projection: { scope: 'world', memory: { recent: 0 } },
      available_tools: [],
      max_tool_calls: 0,
      max_generation_attempts: 1,
      final_schema_ref: { path: 'chukwa:world-patch.schema.json' },
      constraints: { token_budget: 20_000, timeout_seconds: 60 },
    },
  ],
  apply: { from: 'act.final' },
};

const PROFILE = { version: 1, label: 'keeper', workflow_ref: { path: './workflow.json' } };

let folder = '';
let engine: Engine;
let servers: readonly DialectServer[];

/** Every source has an endpoint and a model of its own, in variables that it names. */
const variableOf = (index: number, what: 'URL' | 'MODEL' | 'API_KEY'): string => `CHUKWA_DIALECT_${index}_${what}`;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chukwa-dialects-'));
  servers = await Promise.all(DIALECTS.map((dialect) => serveDialect(dialect, SAID)));
  const variables = servers.flatMap(({ url }, index) => [
    [variableOf(index, 'URL'), `${url}/v1`],
    [variableOf(index, 'MODEL'), `model-${index}`],
    [variableOf(index, 'API_KEY'), `sk-canary-${index}`],
  ]);
  const composition = await compose({
    ...Object.fromEntries(variables),
    ...database,
    CHUKWA_DATA_DIR: folder,
    CHUKWA_LLM_API_KEY: 'sk-of-another-endpoint',
  });
  const opened = await composition.openEngine();
  assert.ok(opened.ok);
  engine = opened.value;
});

after(async () => {
  await engine?.close();
  await Promise.all(servers.map((server) => server.close()));
  await rm(folder, { recursive: true, force: true });
});

async function playTurn({ settings }: Dialect, index: number) {
  const home = join(folder, String(index));
  await mkdir(home);
  const model = {
    version: 1,
    label: 'model',
    interface: {
      name: 'llm_chat',
      model: 'another',
      model_env: variableOf(index, 'MODEL'),
      base_url_env: variableOf(index, 'URL'),
      api_key_env: variableOf(index, 'API_KEY'),
      tool_calling: 'json_control',
      ...settings,
    },
  };
  const documents = { scenario: SCENARIO, workflow: WORKFLOW, profile: PROFILE, model };
  for (const [name, document] of Object.entries(documents))
    await writeFile(join(home, `${name}.json`), JSON.stringify(document));
  const scenario = await putScenario(engine, join(home, 'scenario.json'), { working_folder: home, root: home });
  assert.ok(scenario.ok, JSON.stringify(scenario));
  const world_slug = `dialect-${index}`;
  const made = await createWorld(engine, { world_slug, scenario_hash: scenario.value });
  assert.ok(made.ok, JSON.stringify(made));
  const { signal } = new AbortController();
  const report = await runTurns(engine, { world_slug, turns: 1, signal, onProgress: () => {} });
  assert.ok(report.ok, JSON.stringify(report));
  return report.value.turns[0];
}

for (const [index, dialect] of DIALECTS.entries()) {
  test(`${dialect.name}: a turn is played by its answer, and the call keeps what its variables came to`, async () => {
    const turn = await playTurn(dialect, index);
    assert.deepEqual([turn?.status, turn?.failure_class ?? null], ['committed', null]);
    assert.equal(turn?.patches[0]?.narration, 'Ada lights the lamp.');
    const id = turn?.invocations[0]?.llm_call_id ?? '';
    const call = await engine.store.records.llmCall(id);
    assert.ok(call);
    assert.equal(call.model, `model-${index}`);
    assert.equal(call.endpoint_origin, servers[index]?.url);
    assert.equal(call.raw_text, PATCH);
    const isBeside = dialect.settings['schema_delivery'] === 'response_format';
    assert.equal(call.delivered_schema_hash !== call.output_schema_hash, isBeside);
    const thought = call.artifacts.find(({ kind }) => kind === 'reasoning');
    assert.equal(thought !== undefined, dialect.keeps.reasoning_from !== undefined);
    const [request] = servers[index]?.requests ?? [];
    assert.equal(request?.['model'], `model-${index}`);
    assert.doesNotMatch(JSON.stringify(call), /sk-canary/);
  });
}
