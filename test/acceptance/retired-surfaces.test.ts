import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import { contentHash } from '../../engine/core/content/canonical.js';
import { putPaths, putScenario } from '../../engine/operations/author.js';
import { runTurns } from '../../engine/operations/run-turns.js';
import { createWorld } from '../../engine/operations/worlds.js';
import type { ComponentKind } from '../../engine/ports/validation.js';
import { type Edit, editWorkflows, type ParkStage, sharedStage } from '../support/park-stage.js';

const RETIRED = ['perceive_system', 'intend_system', 'adjudicate_system', 'adjudication_schema'] as const;

const without =
  (member: string): Edit =>
  ({ [member]: _left, ...rest }) =>
    rest;

const OLD_PROFILE: Edit = ({ workflow_ref: _left, ...rest }) => ({
  ...rest,
  perceive_system: 'You perceive.',
  intend_system: 'You intend.',
  adjudicate_system: 'You adjudicate.',
  adjudication_schema: { type: 'object' },
  adjudication_retry_budget: 2,
});

const withNode: Edit = (workflow) => ({
  ...workflow,
  nodes: [{ id: 'act', type: 'perceive', system: 'You perceive.' }],
});

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
  {
    what: 'a profile of the old phases',
    path: 'profile.json',
    edit: OLD_PROFILE,
    pointer: '/adjudicate_system',
    says: /adjudicate_system/,
  },
  { what: 'a workflow without nodes', path: 'workflow.json', edit: without('nodes'), pointer: '', says: /nodes/ },
  {
    what: 'a node of an old phase',
    path: 'workflow.json',
    edit: withNode,
    pointer: '/nodes/0/type',
    says: /llm_tool_loop/,
  },
];

describe('retired surfaces', () => {
  const open = sharedStage('PostgreSQL');

  describe('a scenario has an explicit workflow, or it is none', () => {
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

  describe('the kinds of documents of the old phases are gone', () => {
    for (const retired of RETIRED) {
      test(`${retired} is no kind of document, in any file`, async (context) => {
        const stage = await open();
        const slug = retired.replace('_', '-');
        const folder = await folderOf(context, {
          'by-schema.json': { $schema: `../schemas/${slug}.schema.json`, version: 1, label: 'old', text: 'You are.' },
          'by-member.json': { version: 1, label: 'old', [retired]: 'You are.' },
          'by-kind.json': { version: 1, kind: retired, text: 'You are.' },
        });
        const put = await putPaths(stage.engine, { place: { working_folder: folder }, paths: [folder] });
        assert.ok(!put.ok);
        assert.deepEqual(
          put.findings.map(({ file, code }) => `${file} ${code}`),
          ['by-kind.json', 'by-member.json', 'by-schema.json'].map((file) => `${file} UNKNOWN_DOCUMENT`),
        );
        await assert.rejects(smuggle(stage, retired as unknown as ComponentKind, { text: 'You are.' }));
      });
    }

    test('the database knows neither them nor a phase', async () => {
      const stage = await open();
      const rows = await stage.outside?.query<{ readonly name: string }>(`
        SELECT table_name || '.' || column_name AS name FROM information_schema.columns WHERE table_schema = 'public'
        UNION ALL SELECT typname || '.' || enumlabel FROM pg_enum JOIN pg_type ON pg_type.oid = enumtypid`);
      assert.ok(rows && rows.length > 200);
      // An execution edge has two phases, its request and its response; a turn has none.
      const old = rows.filter(({ name }) => /perceiv|intend|adjudicat|(?<!edge_)phase|fallback|label_text/.test(name));
      assert.deepEqual(old, []);
    });
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

async function folderOf(context: TestContext, files: Readonly<Record<string, Json>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chukwa-retired-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), JSON.stringify(content));
  return folder;
}
