import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { HttpServer } from '../../engine/operations/composition.js';
import { toDesk } from '../../engine/operations/serving/serve.js';
import { attemptLines } from '../../engine/surfaces/cli/render/attempt.js';
import { paint } from '../../engine/surfaces/cli/render/paint.js';
import { startServer } from '../../engine/surfaces/http/server.js';
import { begin, beginning, generationStart, makeWorld, message, startCall } from '../store/record-fixtures.js';
import { loadScript, openParkStage, type ParkStage } from '../support/park-stage.js';
import { TOKENS } from '../support/served-park.js';
import { misbehave } from '../support/faults.js';

describe('the status of a world on its page', () => {
  let stage: ParkStage;
  let server: HttpServer;

  before(async () => {
    stage = await openParkStage('PostgreSQL');
    server = await startServer(toDesk(stage.engine), TOKENS, { host: '127.0.0.1', port: 0 });
  });
  after(async () => {
    await server?.close(0);
    await stage?.close();
  });

  async function read(path: string): Promise<string> {
    const headers = { authorization: `Bearer ${TOKENS.operator_token}`, accept: 'text/html' };
    return (await fetch(`${server.url}${path}`, { headers })).text();
  }

  const statusOf = async (world_slug: string): Promise<string | undefined> =>
    /<p class="world-status">(.*?)<\/p>/.exec(await read(`/worlds/${world_slug}`))?.[1]?.replaceAll(/<[^>]*>/g, '');

  /** In place of a story, where no turn has been played. */
  const storyOf = async (world_slug: string): Promise<string> =>
    /<section class="section" id="story".*?<\/section>/
      .exec(await read(`/worlds/${world_slug}`))?.[0]
      ?.replaceAll(/<[^>]*>/g, '') ?? '';

  test('the top of the page shows a failure or a call in doubt, and nothing where all is well', async () => {
    const script = await loadScript('park');
    const broken = { ...script.turns['1'], 'ant/act/round-1/try-1': { status: 500 } };
    const failed = await stage.play({ scenario: 'park', says: { ...script, turns: { ...script.turns, '1': broken } } });
    assert.equal(await statusOf(failed.world_slug), 'Turn 1 failed: http status. See why');
    stage.model.setScript(script);
    await stage.run(failed.before);
    assert.equal(await statusOf(failed.world_slug), undefined);
    misbehave(stage.toys.vending, 'reset_connection');
    const doubted = await stage.play({ scenario: 'tools' });
    misbehave(stage.toys.vending);
    assert.equal(await statusOf(doubted.world_slug), 'Turn 1 failed, and 1 call is in doubt. Settle the calls');
    assert.match(await storyOf(doubted.world_slug), /1 call is in doubt\. Settle/);
    assert.match(await storyOf((await stage.makeWorld({ scenario: 'park' })).world_slug), /play one: npx chukwa run/);
  });

  test('the top of the page says that a turn runs, or that its driver is gone', async () => {
    const { world_slug, scenario_hash } = await stage.makeWorld({ scenario: 'park' });
    const { attempts } = stage.engine.store;
    const begun = await attempts.begin({ ...beginning(world_slug), scenario_hash }, () => true);
    assert.ok(begun.kind === 'begun');
    assert.equal(await statusOf(world_slug), 'Turn 1 runs now. See what it does');
    await attempts.handOver(begun.lease, { at: Date.now(), has_broken: false });
    assert.equal(await statusOf(world_slug), 'The driver of turn 1 is gone. The next run resumes it. See its progress');
    assert.match(await read(`/worlds/${world_slug}/attempts`), /is-driver-gone/);
  });

  test('the page marks each call and agent turn whose driver is gone', async () => {
    const { store } = stage.engine;
    await makeWorld(store, 'left');
    const { lease } = await begin(store, 'left');
    const call = generationStart(1, [message('user', 'author', 'What now?')]);
    await startCall(store, lease, call);
    const { attempt_id } = lease;
    const [turn] = (await store.records.attempt(attempt_id))?.agent_turns ?? [];
    const pages = [
      `/attempts/${attempt_id}`,
      `/attempts/${attempt_id}/agent-turns`,
      `/attempts/${attempt_id}/source-invocations`,
      `/agent-turns/${turn?.agent_turn_id}`,
      `/llm-calls/${call.llm_call_id}`,
      '/worlds/left/agents',
    ];
    const said = async (): Promise<readonly (readonly string[])[]> =>
      Promise.all(pages.map(async (path) => [...new Set((await read(path)).match(/(?<= is-)(running|driver-gone)/g))]));
    assert.deepEqual(
      await said(),
      pages.map(() => ['running']),
    );
    await store.attempts.handOver(lease, { at: Date.now(), has_broken: false });
    const gone = pages.slice(0, -1).map(() => ['driver-gone']);
    assert.deepEqual(await said(), [...gone, ['running', 'driver-gone']], 'the head of an agent says running still');
  });

  test('the status of a world on its page is no failure of an agent that had answered when another one failed', async () => {
    const script = await loadScript('park');
    const broken = { ...script.turns['1'], 'ant/act/round-1/try-1': { status: 500 } };
    const play = await stage.play({ scenario: 'park', says: { ...script, turns: { ...script.turns, '1': broken } } });
    const [attempt] = play.attempts;
    const path = `/attempts/${attempt?.attempt_id}/agent-turns?format=json`;
    const { rows } = JSON.parse(await read(path)) as {
      readonly rows: readonly { readonly agent_id: string; readonly state: string; readonly agent_turn_id: string }[];
    };
    assert.deepEqual(
      rows.map(({ agent_id, state }) => [agent_id, state]),
      [
        ['bob', 'not kept'],
        ['ant', 'failed'],
      ],
    );
    const lines = attempt === undefined ? [] : attemptLines(attempt);
    assert.match(
      paint(lines, { width: 160, has_colours: false, program: 'npx chukwa' }),
      /bob +not kept .*\n +ant +failed /,
    );
    assert.match(
      await read(`/agent-turns/${rows[0]?.agent_turn_id}`),
      /is-not-kept.*It had answered; then its attempt failed\./,
    );
  });

  test('the status of a world on its page is shown on the first page by what happened last, with the way to the prompt behind it', async () => {
    const play = await stage.play({ scenario: 'park' });
    const page = await read('/');
    assert.match(page, new RegExp(`What happened last, in ${play.world_slug}`));
    assert.match(page, /aria-label="Why did bob do that in turn 1\?"/);
  });
});
