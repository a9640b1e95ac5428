import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import type { StudyPlan } from '../../engine/operations/studies/plan-study.js';
import type { StudyPage } from '../../engine/operations/studies/show-study.js';
import { askChukwa, startChukwa } from '../acceptance/command.js';
import { emptyDatabase } from '../support/databases.js';
import { onStudy, startReader, writeStudy } from '../support/reading-study.js';
import { waitUntil } from '../support/wait-until.js';
import { openDice } from './dice.js';

// A small study in `npm test`. For one of 4 conditions, 25 seeds and 10 turns, killed 40 times:
//
//   npm run build && CHUKWA_CHAOS_STUDY=all node --import tsx tools/run-tests.ts chaos/studies

const IS_WHOLE = process.env['CHUKWA_CHAOS_STUDY'] === 'all';
const [SEEDS, TURNS, KILLS] = IS_WHOLE ? [25, 10, 40] : [3, 5, 6];
const CONCURRENCY = 4;
/** Of each answer, so that there is a middle to be killed in. */
const ANSWER_MS = 30;
/** How long a process lives at most that has asked something. */
const LIFE_MS = IS_WHOLE ? 1_500 : 600;

const dice = openDice();

test(`a study whose process is killed ${KILLS} times loses no run, and pays for no call twice (seed ${dice.seed})`, {
  timeout: 1_200_000,
}, async (context) => {
  const reader = await startReader();
  context.after(reader.model.close);
  reader.onRequest(() => wait(ANSWER_MS));
  const study = await writeStudy(context, { turns: TURNS, seeds: { from: 1, count: SEEDS } });
  const variables = { ...reader.variables, ...(await emptyDatabase(context)) };
  const plan = await askChukwa<StudyPlan>(onStudy(study, 'plan'), variables);
  assert.equal(plan.runs, 4 * SEEDS);
  const words = [...onStudy(study, 'run', '--concurrency', String(CONCURRENCY)), '--json'];

  const began = Date.now();
  let killed = 0;
  for (; killed < KILLS; killed += 1) {
    const before = reader.model.requests.length;
    const running = startChukwa(words, variables);
    let isOver = false;
    void running.ended.then(() => (isOver = true));
    await waitUntil(() => isOver || reader.model.requests.length > before);
    if (isOver) break;
    await wait(dice.below(LIFE_MS));
    running.kill('SIGKILL');
    await running.ended;
  }
  const last = startChukwa(words, variables);
  const { code, stderr } = await last.ended;
  assert.equal(code, 0, stderr);
  const seconds = (Date.now() - began) / 1_000;

  const shown = await askChukwa<StudyPage>(['study', 'show', 'reading'], variables);
  assert.deepEqual([shown.runs_done, shown.runs_failed], [4 * SEEDS, 0]);
  assert.ok(shown.runs.every(({ turn }) => turn === TURNS));

  const calls = await listCalls(variables.CHUKWA_DATABASE_URL);
  const finished = calls.filter(({ status }) => status === 'succeeded');
  assert.equal(finished.length, plan.turns, 'each turn of the plan has one answer that was paid for');
  assert.equal(calls.length - finished.length, calls.filter(({ status }) => status === 'interrupted').length);
  assert.ok(calls.length - finished.length <= killed * CONCURRENCY);
  // The model counts for itself: it has seen no request that is on no record, and none twice but those that nobody saw end.
  const asked = reader.model.requests.length;
  assert.ok(asked >= finished.length && asked <= calls.length, `${asked} requests, ${calls.length} calls on record`);
  const performed = countBy(calls.map(({ world_slug, turn, command_key }) => `${world_slug}/${turn}/${command_key}`));
  const requested = countBy(
    reader.model.requests.map(({ headers, turn, key }) => {
      const world = /^[^/~]+/.exec(String(headers['x-client-request-id']))?.[0];
      return `${world}/${turn}/${key}`;
    }),
  );
  for (const [place, times] of requested)
    assert.ok(times <= (performed.get(place) ?? 0), `${place}: ${times} requests`);
  context.diagnostic(
    `${killed} kills, ${plan.turns} turns, ${asked} requests, ${calls.length - finished.length} interrupted, ${seconds} s`,
  );
});

interface Call {
  readonly world_slug: string;
  readonly turn: number;
  readonly command_key: string;
  readonly status: string;
}

async function listCalls(url: string): Promise<readonly Call[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<Call>(
    'SELECT world_slug, attempted_turn::int AS turn, command_key, status::text FROM source_invocations',
  );
  await client.end();
  return rows;
}

function countBy(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
