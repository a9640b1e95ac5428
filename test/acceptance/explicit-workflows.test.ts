import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../engine/contract/json.js';
import { contentHash } from '../../engine/core/content/canonical.js';
import { putScenario } from '../../engine/operations/authoring/author.js';
import { runTurns } from '../../engine/operations/running/run-turns.js';
import { createWorld } from '../../engine/operations/worlds/worlds.js';
import type { ComponentKind } from '../../engine/ports/validation.js';
import { type Edit, editWorkflows, type ParkStage, sharedStage } from '../support/park-stage.js';

const without =
  (member: string): Edit =>
  ({ [member]: _left, ...rest }) =>
    rest;

interface Case {
  readonly what: string;
  readonly path: string;
  readonly edit: Edit;
  readonly pointer: string;
  readonly says: RegExp;
}

const CASES: readonly Case[] = [
  { what: 'no cognition', path: 'scenario.json', edit: without('cognition'), pointer: '', says: /cognition/ },
  {
    what: 'empty cognition',
    path: 'scenario.json',
    edit: (scenario) => ({ ...scenario, cognition: [] }),
    pointer: '/cognition',
    says: /./,
  },
  {
    what: 'subjects without a profile',
    path: 'scenario.json',
    edit: (scenario) => ({ ...scenario, cognition: [{ subjects: ['bob'] }] }),
    pointer: '/cognition/0',
    says: /profile_ref/,
  },
  {
    what: 'a profile that nobody has stored',
    path: 'scenario.json',
    edit: (scenario) => ({
      ...scenario,
      cognition: [{ profile_ref: { hash: '0'.repeat(64) }, subjects: ['bob'] }],
    }),
    pointer: '/cognition/0/profile_ref',
    says: /0{12}/,
  },
  {
    what: 'a profile without a workflow',
    path: 'profile.json',
    edit: without('workflow_ref'),
    pointer: '',
    says: /workflow_ref/,
  },
  { what: 'a workflow without nodes', path: 'workflow.json', edit: without('nodes'), pointer: '', says: /nodes/ },
];

describe('a scenario has an explicit workflow, or it is none', () => {
  const open = sharedStage('PostgreSQL');

  for (const { what, path, edit, pointer, says } of CASES) {
    test(`${what}: it cannot be put, and nothing of it is stored`, async (context) => {
      const stage = await open();
      const workflows = await editWorkflows(context, { [`simple/${path}`]: edit });
      const before = await countComponents(stage);
      const place = { working_folder: workflows, root: workflows };
      const put = await putScenario(stage.engine, join(workflows, 'simple/scenario.json'), place);
      assert.ok(!put.ok && put.because === 'content');
      const found = put.problems.find((problem) => problem.pointer === pointer && says.test(problem.message));
      assert.ok(found, JSON.stringify(put.problems, null, 1));
      assert.match(found.location?.file ?? '', new RegExp(`simple/${path}$`));
      assert.equal(await countComponents(stage), before);
    });
  }

  test('one that got into the store all the same makes no world, and a world of it does not run', async () => {
    const stage = await open();
    const scenario_hash = await smuggle(stage, 'scenario', {
      version: 1,
      label: 'mindless',
      start_time: '2025-10-04T11:50:00Z',
      chronon_seconds: 600,
      environments: [{ label: 'park', content: 'A park.' }],
      entities: [{ id: 'bob', name: 'Bob', kind: 'agent', environment: 'park', state: 'idle' }],
      cognition: [{ profile_ref: { hash: '0'.repeat(64) }, subjects: ['bob'] }],
    });
    const refused = await createWorld(stage.engine, { world_slug: 'mindless', scenario_hash });
    assert.ok(!refused.ok && refused.because === 'content');
    const start_time = '2025-10-04T11:50:00Z';
    const world = { world_slug: 'mindless', scenario_hash, start_time, created_at: 0 };
    assert.equal(await stage.engine.store.worlds.create(world), true);
    const run = await runTurns(stage.engine, {
      world_slug: 'mindless',
      turns: 1,
      signal: new AbortController().signal,
      onProgress: () => assert.fail('something ran'),
    });
    assert.ok(!run.ok && run.because === 'content');
    assert.deepEqual(await stage.engine.store.records.attempts('mindless'), []);
    assert.deepEqual(stage.model.requests, []);
  });

  test('a workflow is never invented: a world holds what was put, and nothing else', async () => {
    const stage = await open();
    const world = await stage.makeWorld({ scenario: 'simple' });
    const closure = await stage.engine.store.components.closure('scenario', world.scenario_hash);
    assert.deepEqual(closure.map(({ kind }) => kind).toSorted(), [
      'cognition_profile',
      'cognition_workflow',
      'json_schema',
      'prompt_text',
      'prompt_text',
      'response_source',
      'scenario',
    ]);
  });
});

/** Stores what no operation would. */
async function smuggle(stage: ParkStage, kind: ComponentKind, content: JsonObject): Promise<string> {
  const hash = contentHash(content);
  await stage.engine.store.components.put([{ kind, hash, content, refers_to: [] }]);
  return hash;
}

async function countComponents(stage: ParkStage): Promise<number> {
  const [row] = (await stage.outside?.query<{ readonly count: number }>('SELECT count(*)::int FROM components')) ?? [];
  assert.ok(row);
  return row.count;
}
