import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { compose } from '../../engine/main.js';
import type { StudyPlan } from '../../engine/operations/studies/plan-study.js';
import type { StudyPage } from '../../engine/operations/studies/show-study.js';
import { askChukwa, type Running, startChukwa } from '../acceptance/command.js';
import { makeFolder } from '../support/folder.js';
import { emptyDatabase } from '../support/databases.js';
import { must } from '../support/park-stage.js';
import { onStudy, startReader, worldOf, writeStudy } from '../support/reading-study.js';
import { waitUntil } from '../support/wait-until.js';
import { openDice } from './dice.js';
import { extent, KINDS } from '../support/extent.js';

// A small study in `npm test`. For one of 4 conditions, 25 seeds and 10 turns, killed 40 times:
//
//   npm run build && CHUKWA_CHAOS_STUDY=all node --import tsx tools/run-tests.ts chaos/studies
//
// With --all it is killed on the embedded database as well.

const IS_WHOLE = process.env['CHUKWA_CHAOS_STUDY'] === 'all';
const [SEEDS, TURNS, KILLS] = IS_WHOLE ? [25, 10, 40] : [3, 5, extent(3, 6)];
const CONCURRENCY = 4;
/** Of each answer, so that there is a middle to be killed in. */
const ANSWER_MS = 30;
/** How long a process lives at most that has asked something. */
const LIFE_MS = IS_WHOLE ? 1_500 : 600;

const dice = openDice();

for (const kind of KINDS)
  test(`a study whose process is killed ${KILLS} times loses no run, and pays for no call twice (${kind}, seed ${dice.seed})`, {
    timeout: 1_200_000,
  }, async (context) => {
    const reader = await startReader();
    context.after(reader.model.close);
    reader.onRequest(() => wait(ANSWER_MS));
    const study = await writeStudy(context, { turns: TURNS, seeds: { from: 1, count: SEEDS } });
    const database =
      kind === 'embedded' ? { CHUKWA_DATA_DIR: await makeFolder(context) } : await emptyDatabase(context);
    const variables = { ...reader.variables, ...database };
    const plan = await askChukwa<StudyPlan>(onStudy(study, 'plan'), variables);
    assert.equal(plan.runs, 4 * SEEDS);
    const words = [...onStudy(study, 'run', '--concurrency', String(CONCURRENCY)), '--json'];

    const began = Date.now();
    const killed = await killOften(() => startChukwa(words, variables), reader.model.requests);
    const { code, stderr } = await startChukwa(words, variables).ended;
    assert.equal(code, 0, stderr);
    const seconds = (Date.now() - began) / 1_000;

    const shown = await askChukwa<StudyPage>(['study', 'show', 'reading'], variables);
    assert.deepEqual([shown.runs_done, shown.runs_failed], [4 * SEEDS, 0]);
    assert.ok(shown.runs.every(({ turn }) => turn === TURNS));

    const calls = await listCalls(variables);
    const finished = calls.filter(({ status }) => status === 'succeeded');
    const interrupted = calls.filter(({ status }) => status === 'interrupted');
    assert.equal(finished.length, plan.turns, 'each turn of the plan has one answer that was paid for');
    assert.equal(new Set(finished.map(({ place }) => place)).size, plan.turns);
    assert.equal(finished.length + interrupted.length, calls.length);
    assert.ok(interrupted.length <= killed * CONCURRENCY);
    // The model counts for itself: it has seen no request that is on no record, and none again but those that nobody saw end.
    const performed = countBy(calls.map(({ place }) => place));
    const requested = countBy(reader.model.requests.map((request) => `${worldOf(request)}/${request.turn}`));
    assert.deepEqual([...requested.keys()].toSorted(), [...performed.keys()].toSorted());
    for (const [place, times] of requested)
      assert.ok(times <= (performed.get(place) ?? 0), `${place}: ${times} requests`);
    context.diagnostic(
      `${killed} kills, ${plan.turns} turns, ${reader.model.requests.length} requests, ${interrupted.length} interrupted, ${seconds} s`,
    );
  });

/** Kills a program again and again, some time after it has asked something. @returns how often, before it came to its end */
async function killOften(start: () => Running, requests: readonly unknown[]): Promise<number> {
  for (let killed = 0; killed < KILLS; killed += 1) {
    const before = requests.length;
    const running = start();
    let isOver = false;
    void running.ended.then(() => (isOver = true));
    await waitUntil(() => isOver || requests.length > before);
    if (isOver) return killed;
    await wait(dice.below(LIFE_MS));
    running.kill('SIGKILL');
    await running.ended;
  }
  return KILLS;
}

interface Call {
  /** The world and its turn: Bob is asked once in each. */
  readonly place: string;
  readonly status: string;
}

/** The calls on record in all worlds of the study. */
async function listCalls(variables: Readonly<Record<string, string>>): Promise<readonly Call[]> {
  const engine = must(await (await compose(variables)).openEngine());
  const worlds = await engine.store.studies.worlds('reading');
  const calls: Call[] = [];
  for (const { world_slug } of worlds)
    for (const { attempted_turn, status } of await engine.store.browse.metered({ world_slug }))
      calls.push({ place: `${world_slug}/${attempted_turn}`, status });
  await engine.close();
  return calls;
}

function countBy(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
