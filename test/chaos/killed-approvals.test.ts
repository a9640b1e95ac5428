import assert from 'node:assert/strict';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { compose } from '../../engine/main.js';
import { decideCall } from '../../engine/operations/people/approvals.js';
import { putScenario } from '../../engine/operations/authoring/author.js';
import type { Engine } from '../../engine/operations/engine.js';
import { runTurns } from '../../engine/operations/running/run-turns.js';
import { settleCall } from '../../engine/operations/settling/settle-call.js';
import { createWorld } from '../../engine/operations/worlds/worlds.js';
import { startToys, type Toys } from '../../fixtures/toys/index.js';
import { type ScriptedModel, startScriptedModel } from '../../fixtures/toys/scripted-model/index.js';
import { type Ended, startChukwa, whileRunning } from '../acceptance/command.js';
import { type DatabaseKind, emptyDatabase } from '../support/databases.js';
import { loadScript, must, ROOT } from '../support/park-stage.js';
import { argumentsOf } from '../support/program.js';
import { waitUntil } from '../support/wait-until.js';
import { openDice } from './dice.js';
import { extent } from '../support/extent.js';

// A clerk asks for a payment, a person answers, and the run goes on: each command is a process, and it is killed with SIGKILL
// at a statement of it. Then the same command is given again, as a person does who has seen it die.

type Decision = 'approved' | 'denied';
/** A command that is killed: the person's answer, or the run after it. */
type Mortal = 'answer' | 'run';
type Variables = Readonly<Record<string, string>>;

const VERBS = { approved: 'approve', denied: 'deny' } as const;
/** At how many moments each command is killed, of all that it has: an answer has about 60, a run about 150. */
const KILLS = extent(
  { embedded: { approved: 0, denied: 0 }, PostgreSQL: { approved: 1, denied: 0 } },
  { embedded: { approved: 12, denied: 4 }, PostgreSQL: { approved: 40, denied: 10 } },
);
const RECEIPT = { status: 'paid', receipt: 'receipt-1' };
const PAYMENT = 'ida/act/round-2/try-1/tool';

const dice = openDice();

/** A world whose clerk waits for an answer, and the way to it. */
interface Asked {
  readonly variables: Variables;
  readonly world_slug: string;
  readonly approval_id: string;
}

/** Where such worlds are made, each as if no other had been. */
interface House {
  readonly toys: Toys;
  ask(): Promise<Asked>;
  close(): Promise<void>;
}

describe(`processes that are killed between a person's answer, the call and its record (seed ${dice.seed})`, {
  concurrency: true,
  timeout: 900_000,
}, () => {
  for (const kind of ['embedded', 'PostgreSQL'] as const)
    describe(kind, { concurrency: 1 }, () => {
      let house: House;
      before(async () => {
        house = await openHouse(kind);
      });
      after(() => house.close());

      for (const decision of ['approved', 'denied'] as const)
        test(`wherever the answer or the run is killed, a call that is ${decision} is made once at most, and nobody is asked again`, {
          skip: KILLS[kind][decision] === 0 && 'npm run test:chaos plays that, too',
        }, async () => {
          const peaceful = await playKilled(house, decision);
          assert.deepEqual(peaceful.end, asDecided(decision));
          for (const mortal of ['answer', 'run'] as const) {
            const moments = momentsOf(peaceful[mortal]);
            for (const moment of chooseMoments(moments, KILLS[kind][decision])) {
              const where: string = `the ${mortal} was killed at moment ${moment} of ${moments}`;
              const { [mortal]: killed, end, settled } = await playKilled(house, decision, { mortal, moment });
              assert.equal(killed.code, null, `${where}: it lived to its end`);
              if (end.turn === 'in doubt') {
                assert.deepEqual([mortal, decision], ['run', 'approved'], where);
                assert.deepEqual({ ...end, paid: 1 }, { ...asDecided(decision), turn: 'in doubt' }, where);
                assert.ok(end.paid <= 1 && settled?.paid === 1 && settled.turn === 'committed', where);
              } else assert.deepEqual(end, asDecided(decision), where);
            }
          }
        });

      test('a run that is killed while the approved payment is at the office leaves it in doubt, and it is paid once', async () => {
        const { end, settled } = await playKilled(house, 'approved', { mortal: 'run', moment: 'at the office' });
        assert.deepEqual(end, { ...asDecided('approved'), turn: 'in doubt' });
        assert.deepEqual([settled?.paid, settled?.turn], [1, 'committed']);
      });
    });
});

/** What an answer is to lead to. */
const asDecided = (decision: Decision): Outcome => ({
  turn: 'committed',
  asked: [[PAYMENT, decision]],
  paid: decision === 'approved' ? 1 : 0,
});

/** All moments, or some by chance: the order of the statements is not always the same. */
function chooseMoments(moments: number, count: number): readonly number[] {
  const all = Array.from({ length: moments }, (_, index) => index + 1);
  while (all.length > count) all.splice(dice.below(all.length), 1);
  return all;
}

interface Death {
  readonly mortal: Mortal;
  readonly moment: number | 'at the office';
}

/**
 * Answers, and runs the turn on; one of the two may be killed, and is given again. What is in doubt then is settled as the
 * office's books say, and run again.
 */
async function playKilled(house: House, decision: Decision, death?: Death) {
  const { toys } = house;
  toys.reset();
  const asked = await house.ask();
  const live = async (mortal: Mortal, words: readonly string[]): Promise<Ended> => {
    if (death?.mortal !== mortal) return chukwa(words, { ...asked.variables, ...diesAt(Infinity) });
    const { moment } = death;
    const killed =
      moment === 'at the office'
        ? await killAtOffice(words, asked.variables, toys)
        : await chukwa(words, { ...asked.variables, ...diesAt(moment) });
    const again = await chukwa(words, asked.variables);
    assert.ok(mortal === 'run' || again.code === 0, again.stderr);
    return killed;
  };
  const answer = await live('answer', [VERBS[decision], asked.approval_id]);
  const run = await live('run', ['run', asked.world_slug]);
  return { answer, run, ...(await withEngine(asked.variables, (engine) => look(engine, toys, asked, decision))) };
}

/** How many moments a command had that lived to its end. */
function momentsOf({ code, stderr }: Ended): number {
  assert.equal(code, 0, stderr);
  const moments = Number(/moments: (\d+)/.exec(stderr)?.[1]);
  assert.ok(moments > 10, `there are only ${moments} moments to be killed at`);
  return moments;
}

const diesAt = (moment: number): Variables => ({
  NODE_OPTIONS: argumentsOf(new URL('die-at-statement.js', import.meta.url))
    .map((word) => (word.startsWith('--') ? word : `--import ${word}`))
    .join(' '),
  CHUKWA_TEST_DIES_AT: `${moment}`,
});

async function killAtOffice(words: readonly string[], variables: Variables, toys: Toys): Promise<Ended> {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  let is_asked = false;
  toys.office.onRequest(async ({ path }) => {
    if (path !== '/pay') return;
    is_asked = true;
    await released;
  });
  const running = startChukwa(words, variables);
  await whileRunning(
    running,
    waitUntil(() => is_asked),
  );
  running.kill('SIGKILL');
  const ended = await running.ended;
  toys.office.onRequest(async () => {});
  release();
  return ended;
}

const chukwa = (words: readonly string[], variables: Variables): Promise<Ended> => startChukwa(words, variables).ended;

interface Outcome {
  readonly turn: string;
  /** Who was asked for what, and how it was decided. */
  readonly asked: readonly (readonly [command_key: string, status: string])[];
  /** How often the bill was paid for which a person was asked. */
  readonly paid: number;
}

/** How it ended; and where a payment was in doubt, how that ended once the doubt was settled. */
async function look(engine: Engine, toys: Toys, asked: Asked, decision: Decision) {
  const { approval_id, world_slug } = asked;
  const contrary = decision === 'approved' ? 'denied' : 'approved';
  const again = await decideCall(engine, { approval_id, decision: contrary, decided_by: 'otto' });
  assert.ok(!again.ok, `what was ${decision} was ${contrary} afterwards`);
  const end = await lookAt(engine, toys, world_slug);
  if (end.turn !== 'in doubt') return { end };
  const [attempt] = await engine.store.records.attempts(world_slug);
  const answer = end.paid > 0 ? { answer: RECEIPT } : {};
  must(await settleCall(engine, { attempt_id: attempt?.attempt_id ?? '', ...answer }));
  await runOnce(engine, world_slug);
  const [anew] = await engine.store.approvals.list({ world_slug, status: 'waiting', limit: 1 });
  // The office knows nothing of the payment: it is another one, of another attempt.
  if (anew !== undefined) {
    assert.equal(end.paid, 0, 'somebody is asked for what was paid');
    must(await decideCall(engine, { approval_id: anew.approval_id, decision, decided_by: 'ann' }));
    await runOnce(engine, world_slug);
  }
  return { end, settled: await lookAt(engine, toys, world_slug) };
}

async function lookAt({ store }: Engine, toys: Toys, world_slug: string): Promise<Outcome> {
  const attempts = await store.records.attempts(world_slug);
  const [first] = attempts;
  const last = attempts.at(-1);
  assert.ok(first && last);
  const approvals = await store.approvals.list({ world_slug, limit: 10 });
  const payments = toys.office.served.filter(
    ({ path, body }) => path === '/pay' && JSON.stringify(body).includes('480'),
  );
  return {
    turn: last.failure_class === 'interrupted' ? 'in doubt' : last.status,
    asked: approvals.map(({ command_key, status }) => [command_key, status]),
    paid: payments.length,
  };
}

async function runOnce(engine: Engine, world_slug: string): Promise<void> {
  const { signal } = new AbortController();
  must(await runTurns(engine, { world_slug, turns: 1, signal, onProgress: () => {} }));
}

async function withEngine<Value>(variables: Variables, use: (engine: Engine) => Promise<Value>): Promise<Value> {
  const engine = must(await (await compose(variables)).openEngine());
  try {
    return await use(engine);
  } finally {
    await engine.close();
  }
}

async function openHouse(kind: DatabaseKind): Promise<House> {
  const [toys, model] = await Promise.all([startToys(), startScriptedModel(await loadScript('bills'))]);
  const variables = { ...toys.variables, CHUKWA_LLM_BASE_URL: model.url, CHUKWA_LLM_API_KEY: 'loopback-needs-no-key' };
  const askers = { embedded: askInFolders, PostgreSQL: askOnServer };
  const { ask, remove } = await askers[kind](variables);
  return { toys, ask, close: () => closeAll(toys, model, remove) };
}

async function closeAll(toys: Toys, model: ScriptedModel, remove: () => Promise<void>): Promise<void> {
  await Promise.all([toys.close(), model.close()]);
  await remove();
}

interface Asker {
  readonly ask: () => Promise<Asked>;
  readonly remove: () => Promise<void>;
}

/** Each world in a folder of its own, which is a copy of one. */
async function askInFolders(given: Variables): Promise<Asker> {
  const root = await mkdtemp(join(tmpdir(), 'chukwa-killed-'));
  const first = join(root, 'first');
  const asked = await withEngine({ ...given, CHUKWA_DATA_DIR: first }, (engine) => makeAsked(engine, 'bills'));
  let copies = 0;
  return {
    ask: async () => {
      const CHUKWA_DATA_DIR = join(root, `copy-${(copies += 1)}`);
      await rm(join(root, `copy-${copies - 1}`), { recursive: true, force: true });
      await cp(first, CHUKWA_DATA_DIR, { recursive: true });
      return { ...asked, variables: { ...given, CHUKWA_DATA_DIR } };
    },
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

async function askOnServer(given: Variables): Promise<Asker> {
  let drop = async (): Promise<void> => {};
  const database = await emptyDatabase({ after: (end) => void (drop = end) });
  const variables = { ...given, ...database };
  const engine = must(await (await compose(variables)).openEngine());
  let worlds = 0;
  return {
    ask: async () => ({ ...(await makeAsked(engine, `bills-${(worlds += 1)}`)), variables }),
    remove: async () => {
      await engine.close();
      await drop();
    },
  };
}

/** Plays a world until its clerk asks. */
async function makeAsked(engine: Engine, world_slug: string): Promise<Omit<Asked, 'variables'>> {
  const root = join(ROOT, 'workflows');
  const put = await putScenario(engine, join(root, 'bills', 'scenario.json'), { working_folder: root, root });
  must(await createWorld(engine, { world_slug, scenario_hash: must(put) }));
  await runOnce(engine, world_slug);
  const [waiting] = await engine.store.approvals.list({ world_slug, status: 'waiting', limit: 1 });
  assert.ok(waiting);
  return { world_slug, approval_id: waiting.approval_id };
}
