import assert from 'node:assert/strict';
import { after, describe, test, type TestContext } from 'node:test';
import pg from 'pg';
import type { Study } from '../../engine/generated/study.js';
import type { StudyPlan } from '../../engine/operations/studies/plan-study.js';
import type { StudyReport } from '../../engine/operations/studies/run-study.js';
import type { StudyPage } from '../../engine/operations/studies/show-study.js';
import { join } from 'node:path';
import { startToys } from '../../fixtures/toys/index.js';
import { startScriptedModel } from '../../fixtures/toys/scripted-model/index.js';
import { editWorkflows, loadScript } from '../support/park-stage.js';
import { emptyDatabase } from '../support/databases.js';
import { onStudy, startReader, worldOf, type WrittenStudy, writeStudy } from '../support/reading-study.js';
import { startUnreliableService } from '../support/unreliable-service.js';
import { askHere, runHere, startHere } from './command.js';

// Studies as their author runs them: by the program, with a model that counts what it is asked.

const reading = startReader();
after(async () => (await reading).model.close());

interface Stage {
  readonly study: WrittenStudy;
  readonly variables: Readonly<Record<string, string>>;
  /** How often the model was asked since the last time, by world. */
  readonly asked: () => Readonly<Record<string, number>>;
  /** Runs what is left of the study. */
  readonly run: (words?: readonly string[], code?: number) => Promise<StudyReport>;
  /** Expects a refusal, and gives what it says. */
  readonly refused: (words: readonly string[]) => Promise<string>;
}

async function openStage(context: TestContext, members: Partial<Study> = {}): Promise<Stage> {
  const { model, variables: there, onRequest } = await reading;
  model.reset();
  onRequest();
  const study = await writeStudy(context, members);
  const variables = { ...there, ...(await emptyDatabase(context)) };
  let seen = 0;
  return {
    study,
    variables,
    asked: () => {
      const counts: Record<string, number> = {};
      for (const request of model.requests.slice(seen)) counts[worldOf(request)] = (counts[worldOf(request)] ?? 0) + 1;
      seen = model.requests.length;
      return counts;
    },
    run: (words = [], code = 0) => askHere<StudyReport>(onStudy(study, 'run', ...words), variables, code),
    refused: async (words) => {
      const ended = await runHere(onStudy(study, ...words), variables);
      assert.equal(ended.code, 1, ended.stderr);
      return ended.stderr;
    },
  };
}

const CONDITIONS = ['none_calm', 'none_glad', 'urgent_calm', 'urgent_glad'];

test('a study runs the turns that its conditions share once, and a fork at turn 3 of 6 costs 3 of 6 calls', async (context) => {
  const { run, asked, study, variables } = await openStage(context);
  const plan = await askHere<StudyPlan>(onStudy(study, 'plan'), variables);
  assert.deepEqual(
    [plan.runs, plan.shared_worlds, plan.shared_turns, plan.turns, plan.turns_saved, plan.turns_left],
    [8, 4, 12, 36, 12, 36],
  );
  assert.deepEqual([plan.estimate.least.calls, plan.estimate.earlier_turns], [36, 0]);
  assert.deepEqual(asked(), {}, 'a plan makes no call');

  const report = await run();
  assert.deepEqual([report.runs_done, report.runs_failed, report.turns_played], [8, 0, 36]);
  const shared = ['calm', 'glad'].flatMap((mood) => [1, 2].map((seed) => [`reading-${mood}-s${seed}-t3`, 3]));
  const runs = CONDITIONS.flatMap((condition) => [1, 2].map((seed) => [`reading-${condition}-s${seed}`, 3]));
  assert.deepEqual(asked(), Object.fromEntries([...shared, ...runs]));

  const again = await run();
  assert.deepEqual([again.turns_played, asked()], [0, {}], 'a study that is done asks nothing');
  assert.equal((await askHere<StudyPlan>(onStudy(study, 'plan'), variables)).turns_left, 0);
});

describe('a study whose documents changed after its first run', () => {
  test('is refused with what changed and what to do, and runs nothing; its budget may change', async (context) => {
    const { run, refused, study, asked } = await openStage(context, { seeds: [1, 2] });
    await run();
    asked();
    await study.rewrite({ seeds: [1, 2], budget: { token_budget: 1_000_000 } });
    assert.equal((await run()).turns_played, 0);

    await study.rewrite({ seeds: [1, 2, 3] });
    assert.match(await refused(['run']), /"seeds" of its document changed.*\n.*another label/s);
    assert.match(await refused(['plan']), /STUDY_CHANGED/);

    await study.rewrite({ seeds: [1, 2] });
    await study.write('urgent.system.md', 'Read, {{subject.name}}, read.\n');
    assert.match(await refused(['run']), /the scenario of urgent_calm, the scenario of urgent_glad changed/);
    assert.deepEqual(asked(), {});
  });
});

test('a run that fails stays and is said, the others go on, and the next run of the study tries it again', async (context) => {
  const { run, asked, variables } = await openStage(context, { turns: 4 });
  const { onRequest } = await reading;
  onRequest(async (request) => {
    if (worldOf(request) === 'reading-urgent_glad-s2') throw new Error('the connection breaks');
  });
  const report = await run(['--retries', '0'], 3);
  assert.deepEqual([report.runs_done, report.runs_failed, report.left.failed], [7, 1, 1]);
  const failed = report.runs.filter(({ state }) => state === 'failed');
  assert.deepEqual(
    failed.map(({ world_slug, turn, failure_class }) => [world_slug, turn, failure_class]),
    [['reading-urgent_glad-s2', 3, 'transport']],
  );
  asked();
  onRequest();
  assert.deepEqual((await run()).runs_failed, 0);
  assert.deepEqual(asked(), { 'reading-urgent_glad-s2': 1 });
  assert.equal((await askHere<StudyPage>(['study', 'show', 'reading'], variables)).runs_done, 8);
});

test('a budget of the study bounds all its worlds together, and the runs that it stops go on once it is raised', async (context) => {
  const members = { turns: 4, seeds: [1, 2, 3], budget: { token_budget: 8_000 } };
  const { run, study, variables } = await openStage(context, members);
  const report = await run(['--retries', '0'], 3);
  assert.ok(report.runs_done < 12, 'it stops');
  const used = report.cost.input_tokens + report.cost.output_tokens;
  assert.ok(used <= 8_000, `${used} tokens`);
  const classes = new Set(report.runs.map(({ failure_class }) => failure_class).filter((name) => name !== null));
  assert.deepEqual([...classes], ['budget_exhausted']);
  const ended = await runHere(onStudy(study, 'run', '--retries', '0'), variables);
  // Lines break anywhere.
  const said = ended.stderr.replaceAll(/\s+/g, ' ');
  assert.match(said, /the budget of study reading is used up.*raise budget\.token_budget/);

  await study.rewrite({ ...members, budget: { token_budget: 10_000_000 } });
  assert.equal((await run()).runs_done, 12);
});

test('a study that a person stops ends in order, and goes on where it was', async (context) => {
  const { run, asked, study, variables } = await openStage(context);
  const { onRequest } = await reading;
  let count = 0;
  const running = startHere([...onStudy(study, 'run', '--concurrency', '2'), '--json'], variables);
  onRequest(async () => {
    count += 1;
    if (count === 9) running.interrupt();
  });
  const { code, stdout } = await running.ended;
  assert.equal(code, 130);
  const { turns_played, runs_failed } = JSON.parse(stdout) as StudyReport;
  assert.equal(runs_failed, 0, 'a run that was stopped has not failed');
  assert.ok(turns_played >= 7 && turns_played < 36, `${turns_played} turns`);
  onRequest();
  const report = await run();
  assert.deepEqual([report.runs_done, report.turns_played + turns_played], [8, 36]);
  const all = Object.values(asked()).reduce((sum, times) => sum + times, 0);
  assert.ok(all <= 36 + 2, `${all} calls for 36 turns: at most the two that were under way were made again`);
});

test('two processes that run a study at once finish it together, and ask nothing twice', async (context) => {
  const { asked, study, variables } = await openStage(context);
  const both = await Promise.all(
    ['1', '3'].map((many) => askHere<StudyReport>(onStudy(study, 'run', '--concurrency', many), variables)),
  );
  assert.equal(both.reduce((sum, { turns_played }) => sum + turns_played, 0) >= 36, true);
  const shown = await askHere<StudyPage>(['study', 'show', 'reading'], variables);
  assert.deepEqual([shown.runs_done, shown.runs_failed], [8, 0]);
  assert.ok(shown.runs.every(({ turn }) => turn === 6));
  assert.deepEqual([...new Set(Object.values(asked()))], [3]);
});

test('a study waits as long as a provider asks it to, and then goes on', async (context) => {
  const { study, variables } = await openStage(context, { turns: 2, variables: {}, hypotheses: [] });
  const { model } = await reading;
  const front = await startUnreliableService(() => model.url.replace(/\/v1$/, ''));
  context.after(front.close);
  front.will({ kind: 'status', status: 429, headers: { 'retry-after': '4' } });
  const began = Date.now();
  const behind = { ...variables, CHUKWA_LLM_BASE_URL: `${front.url}/v1` };
  const report = await askHere<StudyReport>(onStudy(study, 'run', '--concurrency', '1'), behind);
  assert.deepEqual([report.runs_done, report.runs_failed, front.asked.length], [2, 0, 5]);
  assert.ok(Date.now() - began >= 4_000);
});

test('a study whose worlds would take the names of others is refused before anything is made', async (context) => {
  const { refused, study, variables, asked } = await openStage(context);
  const { code } = await runHere(
    [
      'world',
      'create',
      'reading-none_calm-s1',
      '--scenario',
      `${study.root}/simple/scenario.json`,
      '--root',
      study.root,
    ],
    variables,
  );
  assert.equal(code, 0);
  const said = await refused(['run']);
  assert.match(said, /worlds that are there already: reading-none_calm-s1/);
  assert.doesNotMatch(said, /8 runs|conditions/, 'a study that cannot be run has no plan');
  assert.deepEqual(asked(), {});
});

/** In urgent worlds Bob reads two pages more; in glad ones, one. */
const pageOf = (turn: number, world: string): number =>
  turn + (world.includes('urgent') ? 2 : 0) + (world.includes('glad') ? 1 : 0);

const PROBED: Partial<Study> = {
  turns: 4,
  measures: [
    { id: 'page', read: { state_of: 'book', after: 'page ' }, take: 'last' },
    { id: 'said', read: { probe: './ask.json', question: 'page' }, take: 'sum' },
  ],
  probes: [{ ask: './ask.json', at_turns: [3, 4] }],
};

test('a study asks its probes in forks, and shows measures, differences by seed, and what follows from them', async (context) => {
  const { run, asked, study, variables } = await openStage(context, PROBED);
  const { onRequest } = await reading;
  onRequest(undefined, pageOf);
  const questions = [{ id: 'page', ask: 'Which page?', answer: { kind: 'number' } }];
  await study.write('ask.json', JSON.stringify({ version: 1, label: 'ask', questions }));
  const report = await run(['--concurrency', '1']);
  const calls = asked();
  assert.equal(Object.keys(calls).filter((world) => world.includes('-probe-')).length, 16);
  assert.equal(report.turns_played, 4 * 3 + 8 + 16);

  const rows = report.measures.map(({ condition, measure, n, failed, mean, interval }) => ({
    place: `${condition} ${measure}`,
    n,
    failed,
    mean,
    interval,
  }));
  const row = (place: string, mean: number) => ({ place, n: 2, failed: 0, mean, interval: [mean, mean] });
  assert.deepEqual(rows, [
    row('none_calm page', 4),
    row('none_calm said', 4 + 5),
    row('none_glad page', 5),
    row('none_glad said', 5 + 6),
    row('urgent_calm page', 6),
    row('urgent_calm said', 6 + 7),
    row('urgent_glad page', 7),
    row('urgent_glad said', 7 + 8),
  ]);
  const [judged] = report.hypotheses;
  assert.deepEqual([judged?.verdict, judged?.n, judged?.difference, judged?.interval], ['supported', 2, 2, [2, 2]]);
  assert.deepEqual(judged?.pairs, [
    { seed: 1, difference: 2 },
    { seed: 2, difference: 2 },
  ]);
  const { stdout } = await runHere(['study', 'show', 'reading', '--runs'], variables);
  assert.match(stdout, /supported with 2 seeds/);
  assert.match(stdout, /urgent_glad {2}page +2 +7 {2}7 to 7/);
  assert.match(stdout, /reading-none_calm-s2 +none_calm +2 {2}done +4 of 4 +4 +9/);
});

test('a study that leaves its turns to workers makes its forks in time, waits for them, and asks nothing twice', async (context) => {
  const { asked, study, variables } = await openStage(context, { turns: 4 });
  const worker = startHere(['worker'], variables);
  const report = await askHere<StudyReport>(onStudy(study, 'run', '--queue'), variables);
  worker.interrupt();
  await worker.ended;
  assert.deepEqual([report.runs_done, report.runs_failed], [8, 0]);
  const all = Object.values(asked()).reduce((sum, times) => sum + times, 0);
  assert.equal(all, 4 * 3 + 8);
});

test('workers keep the budget of the study whose turns they play', async (context) => {
  const { study, variables } = await openStage(context, {
    turns: 4,
    seeds: [1, 2, 3],
    budget: { token_budget: 8_000 },
  });
  const worker = startHere(['worker'], variables);
  const report = await askHere<StudyReport>(onStudy(study, 'run', '--queue'), variables, 3);
  worker.interrupt();
  await worker.ended;
  assert.ok(report.runs_failed > 0);
  const used = report.cost.input_tokens + report.cost.output_tokens;
  assert.ok(used <= 8_000, `${used} tokens`);
  const classes = report.runs.flatMap(({ failure_class }) => failure_class ?? []);
  assert.deepEqual([...new Set(classes)], ['budget_exhausted']);
});

test('a study show without such a study names the nearest, and a queue takes no model', async (context) => {
  const { run, variables, study } = await openStage(context, { turns: 4 });
  await run();
  const unknown = await runHere(['study', 'show', 'raeding'], variables);
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /Did you mean reading\?/);
  const { code, stderr } = await runHere(onStudy(study, 'run', '--queue', '--llm', 'env'), variables);
  assert.equal(code, 2);
  assert.match(stderr, /--queue leaves the turns to workers/);
});

test('a call of a tool is measured once, also where a later attempt has adopted it', async (context) => {
  const [toys, model] = await Promise.all([startToys(), startScriptedModel(await loadScript('public-goods'))]);
  context.after(() => Promise.all([toys.close(), model.close()]));
  const root = await editWorkflows(context, {
    'public-goods/study.json': (study) => ({
      ...study,
      turns: 2,
      seeds: [1, 2],
      hypotheses: [],
      measures: ['count', 'sum'].map((take) => ({
        id: take,
        read: { tool: 'contribute', pointer: '/amount' },
        of_turns: { from: 2 },
        take,
      })),
    }),
  });
  const variables = {
    ...toys.variables,
    CHUKWA_LLM_BASE_URL: model.url,
    CHUKWA_LLM_API_KEY: 'loopback-needs-no-key',
    ...(await emptyDatabase(context)),
  };
  const words = ['study', 'run', join(root, 'public-goods/study.json'), '--root', root, '--retries', '0'];
  let said = 0;
  model.onRequest(async (request) => {
    const isAfterTool = request.turn === 2 && request.key.endsWith('/round-2/try-1');
    if (isAfterTool && worldOf(request) === 'public-goods-community-s1') said += 1;
    if (isAfterTool && worldOf(request) === 'public-goods-community-s1' && said === 3)
      throw new Error('the connection breaks');
  });
  const broken = await askHere<StudyReport>(words, variables, 3);
  assert.deepEqual([broken.runs_done, broken.runs_failed], [3, 1]);
  const { runs, measures } = await askHere<StudyReport>(words, variables);
  assert.deepEqual([...new Set(runs.map(({ values }) => values['count']))], [4], 'each of four players gives once');
  assert.deepEqual(
    measures.filter(({ measure }) => measure === 'count').map(({ n, mean }) => [n, mean]),
    [
      [2, 4],
      [2, 4],
    ],
  );
  const outside = new pg.Client({ connectionString: variables.CHUKWA_DATABASE_URL });
  await outside.connect();
  const { rows } = await outside.query(
    `SELECT count(*)::int AS adopted FROM adopted_calls JOIN source_invocations USING (world_slug, source_invocation_id)
     WHERE tool_name = 'contribute'`,
  );
  await outside.end();
  assert.ok(rows[0].adopted >= 2, 'calls of the first attempt were adopted');
});
