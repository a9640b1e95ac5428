import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, test, type TestContext } from 'node:test';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import { loadScenario } from '../../engine/operations/running/load-program.js';
import type { Answer, AnswerUsage } from '../../engine/generated/answers.js';
import type { RuntimeParts } from '../../engine/runtime/runtime-parts.js';
import { runAttempt } from '../../engine/runtime/run-attempt.js';
import type { Answers } from '../../fixtures/toys/scripted-model/index.js';
import { editWorkflows, must, type ParkStage, sharedStage } from '../support/park-stage.js';
import { finalPatch } from '../support/turn-player.js';

// A budget in a world that is played: a real server is asked, and sees the limits.

interface Authored {
  readonly session?: JsonObject;
  readonly world?: JsonObject;
  readonly max_output_tokens?: number;
  readonly extra_body?: JsonObject;
}

const withMembers = (more: JsonObject) => (document: JsonObject) => ({ ...document, ...more });

/** A fresh world of the smallest scenario, in which a budget is written. */
async function makeWorld(context: TestContext, stage: ParkStage, { session, world, ...source }: Authored) {
  const workflows = await editWorkflows(context, {
    'simple/profile.json': session === undefined ? (document) => document : withMembers({ budgets: { session } }),
    'simple/scenario.json': world === undefined ? (document) => document : withMembers({ budgets: { world } }),
    'sources/chat.json': (document) => ({
      ...document,
      interface: { ...(document['interface'] as JsonObject), ...source },
    }),
  });
  return stage.makeWorld({ scenario: 'simple', workflows });
}

/** What the model says to the tries at its answer, with what its server counts; once more in each turn. */
function says(...tries: readonly { readonly json: Json; readonly usage?: AnswerUsage }[]): Answers {
  const answers = tries.map((answer, index): [string, Answer] => [
    `bob/act/round-1/try-${index + 1}`,
    answer as Answer,
  ]);
  return { version: 1, label: 'budgets', turns: { '*': Object.fromEntries(answers) } };
}

const REJECTED = { kind: 'dance' };
const PATCH = finalPatch();

const limitOf = (request: { readonly body: Json }): unknown => (request.body as JsonObject)['max_completion_tokens'];

/** Drives one attempt of a world with some part of the outside otherwise. */
async function drive(stage: ParkStage, world_slug: string, otherwise: Partial<RuntimeParts> = {}) {
  const { scenario_hash } = await stage.world(world_slug);
  const { program } = must(await loadScenario(stage.engine, scenario_hash));
  const request = {
    world_slug,
    program,
    simulationTime: () => '2026-05-01T09:01:00.000Z',
    signal: new AbortController().signal,
    onProgress: () => {},
  };
  return runAttempt({ ...stage.engine.runtime, ...otherwise }, request);
}

describe('a session budget', () => {
  const open = sharedStage('PostgreSQL');

  test('bounds the answer of each call by what is left, which the server sees and the record has', async (context) => {
    const stage = await open();
    stage.model.setScript(
      says(
        { json: REJECTED, usage: { input_tokens: 2_000, output_tokens: 900 } },
        { json: PATCH, usage: { input_tokens: 2_000, output_tokens: 50 } },
      ),
    );
    const { world_slug } = await makeWorld(context, stage, {
      session: { token_budget: 5_000 },
      max_output_tokens: 1_800,
    });
    const { attempts } = await stage.run(await stage.world(world_slug));
    assert.equal(attempts[0]?.status, 'committed', attempts[0]?.failure_message ?? '');
    const [first, second] = stage.model.requests.map(limitOf);
    assert.equal(first, 1_800);
    assert.ok(typeof second === 'number' && second < 1_800 && second > 900, String(second));
    const recorded = await stage.outside?.query(
      'SELECT max_output_tokens::int FROM llm_calls WHERE world_slug = $1 ORDER BY started_at',
      [world_slug],
    );
    if (recorded !== undefined)
      assert.deepEqual(recorded, [{ max_output_tokens: null }, { max_output_tokens: second }]);
  });

  test('that has too little left for a call ends the attempt before it is made, and the next one at the turn as well', async (context) => {
    const stage = await open();
    stage.model.setScript(
      says({ json: REJECTED, usage: { input_tokens: 3_500, output_tokens: 900 } }, { json: PATCH }),
    );
    const { world_slug } = await makeWorld(context, stage, {
      session: { token_budget: 5_000 },
      max_output_tokens: 1_000,
    });
    for (const at of ['first', 'second']) {
      const end = await drive(stage, world_slug);
      assert.ok(end.kind === 'failed');
      assert.equal(end.failure.failure_class, 'budget_exhausted');
      assert.match(
        end.failure.message,
        /^the session budget of profile simple is used up: 600 tokens of 5000 tokens are left, and the next call of bob in node act needs about \d+ tokens: raise budgets\.session\.token_budget of the profile, or/,
        at,
      );
      assert.equal(stage.model.requests.length, 1);
    }
  });

  test('counts what an earlier attempt at the turn has spent, whatever became of it', async (context) => {
    const stage = await open();
    stage.model.setScript(says({ json: PATCH, usage: { input_tokens: 2_000, output_tokens: 100 } }));
    const { world_slug } = await makeWorld(context, stage, { session: { turn_limit: 2, token_budget: 100_000 } });
    const refusing = {
      ...stage.engine.runtime.attempts,
      commit: () => Promise.reject(new Error('the driver is broken')),
    };
    await assert.rejects(drive(stage, world_slug, { attempts: refusing }), /the driver is broken/);
    // The attempt is open: its record answers, and nothing is asked again.
    assert.equal((await drive(stage, world_slug)).kind, 'committed');
    assert.equal(stage.model.requests.length, 1);
    stage.model.setScript(says({ json: REJECTED }, { json: REJECTED }, { json: PATCH }));
    const failed = await drive(stage, world_slug);
    assert.ok(failed.kind === 'failed');
    assert.match(failed.failure.message, /0 generations of 2 generations are left/);
    assert.equal(stage.model.requests.length, 3);
    assert.equal((await drive(stage, world_slug)).kind, 'failed');
    assert.equal(stage.model.requests.length, 3);
  });

  for (const [what, usage] of [
    ['counts nothing', { input_tokens: 0, output_tokens: 0 }],
    ['counts what no prompt can have', { input_tokens: 3, output_tokens: 1_000 }],
  ] as const)
    test(`estimates what a server has used that ${what}`, async (context) => {
      const stage = await open();
      stage.model.setScript(says({ json: { ...REJECTED, why: 'la '.repeat(4_000) }, usage }, { json: PATCH }));
      const { world_slug } = await makeWorld(context, stage, {
        session: { token_budget: 5_000 },
        max_output_tokens: 3_000,
      });
      const end = await drive(stage, world_slug);
      assert.ok(end.kind === 'failed');
      assert.match(end.failure.message, /session budget of profile simple is used up: \d+ tokens of 5000 tokens/);
      assert.equal(stage.model.requests.length, 1);
    });

  test('a driver that takes an attempt over sends the same limit', async (context) => {
    const stage = await open();
    stage.model.setScript(
      says({ json: REJECTED, usage: { input_tokens: 2_000, output_tokens: 900 } }, { json: PATCH }),
    );
    const { world_slug } = await makeWorld(context, stage, {
      session: { token_budget: 5_000 },
      max_output_tokens: 1_800,
    });
    const { callSource } = stage.engine.runtime;
    const breaking: RuntimeParts['callSource'] = async (...asked) => {
      const result = await callSource(...asked);
      if (asked[0].key.endsWith('try-2')) throw new Error('the driver is broken');
      return result;
    };
    await assert.rejects(drive(stage, world_slug, { callSource: breaking }), /the driver is broken/);
    assert.equal((await drive(stage, world_slug)).kind, 'committed');
    const [, second, again, ...more] = stage.model.requests;
    assert.ok(second !== undefined && again !== undefined && more.length === 0);
    assert.deepEqual([again.key, limitOf(again)], [second.key, limitOf(second)]);
    assert.ok(Number(limitOf(again)) < 1_800);
  });

  test('that is nearly used up limits a source too that names no limit, under the name that its endpoint takes', async (context) => {
    const stage = await open();
    stage.model.setScript(says({ json: PATCH, usage: { input_tokens: 2_000, output_tokens: 60 } }));
    const unlimited = await makeWorld(context, stage, { session: { token_budget: 4_000 } });
    assert.equal((await drive(stage, unlimited.world_slug)).kind, 'committed');
    const [request] = stage.model.requests;
    assert.ok(Number(limitOf(request ?? { body: null })) < 4_000, JSON.stringify(request?.body).slice(-300));
    const named = await makeWorld(context, stage, {
      session: { token_budget: 4_000 },
      extra_body: { max_tokens: 3_900 },
    });
    const end = await drive(stage, named.world_slug);
    assert.equal(end.kind, 'failed', 'the limit that the author writes does not fit');
    const smaller = await makeWorld(context, stage, {
      session: { token_budget: 4_000 },
      extra_body: { max_tokens: 1_000 },
    });
    assert.equal((await drive(stage, smaller.world_slug)).kind, 'committed');
    assert.equal((stage.model.requests.at(-1)?.body as JsonObject | undefined)?.['max_tokens'], 1_000);
  });
});

describe('a budget of a world', () => {
  const open = sharedStage('PostgreSQL');

  test('holds for all of its turns, and of no other world', async (context) => {
    const stage = await open();
    stage.model.setScript(says({ json: PATCH, usage: { input_tokens: 2_000, output_tokens: 100 } }));
    const world = await makeWorld(context, stage, { world: { token_budget: 5_000 }, max_output_tokens: 900 });
    const { attempts } = await stage.run(world, { turns: 4 });
    assert.deepEqual(
      attempts.map(({ status, failure_class }) => failure_class ?? status),
      ['committed', 'committed', 'budget_exhausted'],
    );
    assert.match(
      attempts.at(-1)?.failure_message ?? '',
      new RegExp(
        `^the budget of world ${world.world_slug} is used up: 800 tokens of 5000 tokens are left, .* needs about \\d+ tokens: ` +
          'raise budgets.world.token_budget of its scenario, and adopt it: chukwa run ',
      ),
    );
    assert.equal(stage.model.requests.length, 2);
    const refused = attempts.at(-1)?.failed_source_invocation_id ?? '';
    assert.equal((await stage.invocation(refused)).failure_class, 'budget_exhausted');
    const other = await makeWorld(context, stage, { world: { token_budget: 5_000 }, max_output_tokens: 901 });
    assert.equal((await stage.run(other)).attempts[0]?.status, 'committed');
  });
});

describe('a budget that is kept', () => {
  const open = sharedStage('PostgreSQL');

  test('refuses no call of a source without a limit because its node may use more than the budget has', async (context) => {
    const stage = await open();
    stage.model.setScript(says({ json: PATCH, usage: { input_tokens: 2_000, output_tokens: 100 } }));
    const { world_slug } = await makeWorld(context, stage, { world: { token_budget: 4_000 } });
    const end = await drive(stage, world_slug);
    assert.equal(end.kind, 'committed', end.kind === 'failed' ? end.failure.message : '');
    const [first] = stage.model.requests;
    assert.ok(Number(limitOf(first ?? { body: null })) < 4_000, 'its answer may have what is left');
  });

  test('expects of a call what earlier processes have seen of its node, whatever its source permits', async (context) => {
    const stage = await open();
    stage.model.setScript(says({ json: PATCH, usage: { input_tokens: 2_000, output_tokens: 100 } }));
    const authored = { world: { token_budget: 7_000 }, max_output_tokens: 4_000 };
    const { world_slug } = await makeWorld(context, stage, authored);
    const { budgets } = stage.engine.runtime;
    assert.ok(budgets !== undefined);
    for (const turn of [1, 2, 3]) {
      const fresh = { budgets: { ...budgets, outputs: new Map() } };
      const end = await drive(stage, world_slug, fresh);
      assert.equal(end.kind, 'committed', `${turn}: ${end.kind === 'failed' ? end.failure.message : ''}`);
    }
  });
});

describe('a budget of the day', () => {
  const open = sharedStage('PostgreSQL', () => ({ CHUKWA_BUDGET_TOKENS: '5000' }));

  test('holds for all worlds, limits the answer of a call, and puts a queued turn off until the day is over', async (context) => {
    const stage = await open();
    stage.model.setScript(says({ json: PATCH, usage: { input_tokens: 2_250, output_tokens: 100 } }));
    const limited = { max_output_tokens: 2_500 };
    for (const used of ['nothing', 'two thousand']) {
      const { world_slug } = await makeWorld(context, stage, limited);
      assert.equal((await drive(stage, world_slug)).kind, 'committed', used);
    }
    const [first, second] = stage.model.requests.map(limitOf);
    assert.equal(first, 2_500);
    assert.ok(Number(second) < 2_500, String(second));
    const { world_slug } = await makeWorld(context, stage, limited);
    const end = await drive(stage, world_slug);
    assert.ok(end.kind === 'failed');
    const { failure_class, message, is_transient, retry_after_ms = 0 } = end.failure;
    assert.deepEqual([failure_class, is_transient], ['budget_exhausted', true]);
    assert.match(
      message,
      /^the operator's budget of \d{4}-\d\d-\d\d for all worlds is used up: 300 tokens of 5000 tokens are left, /,
    );
    assert.match(
      message,
      /: raise CHUKWA_BUDGET_TOKENS, or wait until it is renewed at \d{4}-\d\d-\d\dT00:00:00\.000Z$/,
    );
    assert.ok(retry_after_ms > 0 && retry_after_ms <= 86_400_000);
    assert.equal(stage.model.requests.length, 2);
  });
});

describe('a budget of money', () => {
  const prices = {
    version: 1,
    models: [{ model: 'gpt-4.1-mini', usd_per_million_tokens: { input: 100, output: 1_000 } }],
  };
  const file = join(mkdtempSync(join(tmpdir(), 'chukwa-prices-')), 'prices.json');
  writeFileSync(file, JSON.stringify(prices));
  after(() => rmSync(dirname(file), { recursive: true }));
  const open = sharedStage('PostgreSQL', () => ({ CHUKWA_PRICES: file }));

  test('prices a call before it and after it, and limits its answer by what is left', async (context) => {
    const stage = await open();
    stage.model.setScript(
      says(
        { json: REJECTED, usage: { input_tokens: 2_000, output_tokens: 800 } },
        { json: PATCH, usage: { input_tokens: 2_000, output_tokens: 10 } },
      ),
    );
    const { world_slug } = await makeWorld(context, stage, { session: { usd: 2 }, max_output_tokens: 1_000 });
    const { attempts } = await stage.run(await stage.world(world_slug));
    assert.equal(attempts[0]?.status, 'committed', attempts[0]?.failure_message ?? '');
    // One dollar is left, of which the prompt takes some: a token of the answer costs a thousandth.
    const [first, second] = stage.model.requests.map(limitOf);
    assert.equal(first, 1_000);
    assert.ok(Number(second) > 700 && Number(second) < 1_000, String(second));
  });

  test('lets no call through whose price is not known, and says what to do', async (context) => {
    const stage = await open();
    const workflows = await editWorkflows(context, {
      'simple/profile.json': withMembers({ budgets: { session: { usd: 2 } } }),
      'sources/chat.json': (document) => ({
        ...document,
        interface: { ...(document['interface'] as JsonObject), model: 'home-made' },
      }),
    });
    const { world_slug } = await stage.makeWorld({ scenario: 'simple', workflows });
    const end = await drive(stage, world_slug);
    assert.ok(end.kind === 'failed');
    assert.match(
      end.failure.message,
      /the price of the model of the next call of bob in node act is not known: write it in the file of CHUKWA_PRICES/,
    );
    assert.equal(stage.model.requests.length, 0);
  });
});
