import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { Cost } from '../../engine/core/cost/cost.js';
import { toMessage } from '../../engine/core/prompt/message.js';
import { estimateTokens } from '../../engine/core/protocol/token-counts.js';
import type { Answer } from '../../engine/generated/answers.js';
import { openTokenizers } from '../../engine/metering/tokenizers.js';
import { listAgents, showAgentTurn } from '../../engine/operations/browse/agents.js';
import { browseTurn, browseWorld, listAttemptsPart } from '../../engine/operations/browse/worlds.js';
import { estimateRun } from '../../engine/operations/costs/estimate.js';
import { showCost } from '../../engine/operations/costs/costs.js';
import { listAttempts, showAttempt } from '../../engine/operations/browse/records.js';
import { compose } from '../../engine/main.js';
import { runCommandLine } from '../../engine/surfaces/cli/command-line.js';
import { openTestTerminal } from '../surfaces/cli/test-terminal.js';
import { loadScript, must, openParkStage, type ParkStage, type Play } from '../support/park-stage.js';
import { makeFolder } from '../support/folder.js';

/** Every model has a price, as a file of the operator says. */
const PRICES = { version: 1, models: [{ model: '*', usd_per_million_tokens: { input: 1, output: 4 } }] };

const folder = await makeFolder({ after });
before(async () => {
  await writeFile(join(folder, 'prices.json'), JSON.stringify(PRICES));
});

const priceOf = ({ input_tokens, output_tokens }: Pick<Cost, 'input_tokens' | 'output_tokens'>): number =>
  Math.round(input_tokens * 1_000 + output_tokens * 4_000) / 1e9;

describe('the cost of a world', () => {
  let stage: ParkStage;
  let play: Play;
  let again: Play;
  before(async () => {
    stage = await openParkStage('PostgreSQL', () => ({ CHUKWA_PRICES: join(folder, 'prices.json') }));
    const script = await loadScript('park');
    const broken = { ...script.turns['2'], 'ant/act/round-1/try-1': { status: 500 } };
    play = await stage.play({
      scenario: 'park',
      turns: 2,
      says: { ...script, turns: { ...script.turns, '2': broken } },
    });
    stage.model.setScript(script);
    again = await stage.run(await stage.world(play.world_slug), { turns: 2 });
  });
  after(() => stage?.close());

  const read = async () => must(await showCost(stage.engine, { world_slug: play.world_slug }));

  test('is the sum of its calls, and each of its groups adds up to it', async () => {
    const { total, groups } = await read();
    const ids = [...play.attempts, ...again.attempts]
      .flatMap(({ invocations }) => invocations)
      .filter(({ llm_call_id, adopted_from }) => llm_call_id !== null && adopted_from === null);
    const calls = await Promise.all(ids.map(({ llm_call_id }) => stage.llmCall(llm_call_id)));
    const tokens = calls.map((call) => call.tokens ?? { input_tokens: 0, output_tokens: 0 });
    const input_tokens = tokens.reduce((sum, counts) => sum + counts.input_tokens, 0);
    const output_tokens = tokens.reduce((sum, counts) => sum + counts.output_tokens, 0);
    assert.ok(input_tokens > 0);
    assert.deepEqual(
      [total.calls, total.input_tokens, total.output_tokens, total.usd],
      [calls.length, input_tokens, output_tokens, priceOf(total)],
    );
    assert.deepEqual(
      groups.map(({ by }) => by),
      ['turn', 'subject', 'node', 'model', 'standing'],
    );
    for (const { by, rows } of groups)
      for (const name of ['calls', 'input_tokens', 'output_tokens'] as const)
        assert.equal(
          rows.reduce((sum, row) => sum + row[name], 0),
          total[name],
          `${name} by ${by}`,
        );
  });

  test('is estimated before each call within 8 % of what its tokenizer counts, in the median', async () => {
    const count = (await openTokenizers(['gpt-4o']))('gpt-4o').count;
    const ids = [...play.attempts, ...again.attempts].flatMap(({ invocations }) => invocations);
    const asked = ids.flatMap(({ llm_call_id }) => llm_call_id ?? []);
    const errors = await Promise.all(
      asked.map(async (id) => {
        const { messages } = await stage.llmCall(id);
        // OpenAI counts four tokens more of each message, and three that begin the answer.
        const counted = messages.reduce((sum, { content }) => sum + 4 + count(content), 3);
        const texts = messages.map(({ content }) => toMessage('user', [{ origin: 'author', text: content }]));
        return Math.abs(estimateTokens(texts, '').input_tokens / counted - 1);
      }),
    );
    const median = errors.toSorted((left, right) => left - right)[Math.floor(errors.length / 2)] ?? 1;
    assert.ok(errors.length > 5 && median <= 0.08, `${median}`);
  });

  test('shows apart what failed, and what a later attempt adopted', async () => {
    const { groups } = await read();
    const standing = groups.find(({ by }) => by === 'standing')?.rows ?? [];
    const count = (of: string): number => standing.find((row) => row.of === of)?.calls ?? 0;
    const adopted = again.attempts[0]?.invocations.filter(
      (call) => call.adopted_from !== null && call.llm_call_id !== null,
    );
    assert.ok(count('failed') > 0 && count('adopted') > 0, JSON.stringify(standing));
    assert.equal(count('adopted'), adopted?.filter(({ status }) => status === 'succeeded').length);
  });

  test('names what filled the prompts, in tokens of a named tokenizer', async () => {
    const { prompts, total } = await read();
    assert.ok(prompts !== null);
    assert.deepEqual(
      prompts.counted_by.map(({ tokenizer, is_estimate }) => [tokenizer, is_estimate]),
      [['o200k_base', false]],
    );
    assert.equal(
      prompts.parts.reduce((sum, { tokens }) => sum + tokens, 0),
      prompts.counted_tokens,
    );
    const names = prompts.parts.map(({ origin }) => origin);
    for (const origin of [
      'author',
      'world.projection',
      'tools.available',
      'ambient.visible',
      'tool_result',
      'correction',
    ])
      assert.ok(names.includes(origin), `${origin} is not among ${names.join()}`);
    assert.ok(total.uncounted_calls > 0, 'a call that failed has no counts');
  });

  test('of turns to come is estimated without a call and without a trace', async () => {
    const asked = stage.model.requests.length;
    const before = await stage.world(play.world_slug);
    const { total } = await read();
    const { earlier_turns, likely, limit, models } = must(
      await estimateRun(stage.engine, { world_slug: play.world_slug, turns: 10 }),
    );
    assert.equal(earlier_turns, 3);
    assert.equal(likely.input_tokens, Math.round((total.input_tokens * 10) / 3));
    assert.ok(likely.usd !== null && limit.usd !== null && likely.usd < limit.usd);
    assert.deepEqual(models, ['gpt-4.1-mini']);
    assert.equal(stage.model.requests.length, asked);
    assert.deepEqual(await stage.world(play.world_slug), before);
    assert.deepEqual((await read()).total, total);
  });

  test('of a long run is printed unasked on standard error, of a short one and to a program it is not', async () => {
    const { world_slug } = await stage.makeWorld({ scenario: 'park' });
    stage.model.setScript({ version: 1, label: 'silent', turns: {} });
    const estimate = /10 turns of park-\d will use .*\n +calls +tokens +of them out +cost\n +least .*\n +likely .*\$/;
    for (const [words, said] of [
      [['--turns', '10'], estimate],
      [['--turns', '9'], /^(?![^]*will use)/],
      [['--turns', '10', '--json'], /^(?![^]*will use)/],
    ] as const) {
      const terminal = openTestTerminal({ columns: 120 });
      await runCommandLine(await compose(stage.variables), ['run', world_slug, ...words], terminal);
      assert.match(terminal.error_text(), said);
      assert.doesNotMatch(terminal.out_text(), /will use|earlier_turns/);
    }
  });

  test('of a park is estimated before there is one, as a fresh world of it is', async () => {
    const { world_slug } = await stage.makeWorld({ scenario: 'park' });
    const asked = stage.model.requests.length;
    const terminal = openTestTerminal({ columns: 120 });
    const nowhere = { ...stage.variables, CHUKWA_DATABASE_URL: 'postgres://127.0.0.1:1/nowhere' };
    const words = ['park', '--estimate', '--turns', '10', '--json'];
    assert.equal(await runCommandLine(await compose(nowhere), words, terminal), 0, terminal.error_text());
    const fresh = must(await estimateRun(stage.engine, { world_slug, turns: 10 }));
    assert.deepEqual(JSON.parse(terminal.out_text()), { ...fresh, world_slug: 'park' });
    assert.equal(stage.model.requests.length, asked);
  });

  test('is in the lists of attempts and agents, and of random records each list adds up to the sum of the calls', async () => {
    const random = fc.sample(fc.record({ input: fc.nat(20_000), output: fc.nat(4_000), fails: fc.nat(9) }), {
      numRuns: 60,
      seed: 20_261_127,
    });
    const { turns: authored, ...script } = await loadScript('park');
    let at = 0;
    const vary = (answer: Answer): Answer => {
      const { input, output, fails } = random[(at += 1) % random.length] ?? { input: 0, output: 0, fails: 1 };
      if (fails === 0) return { status: 503 };
      return { ...answer, usage: { input_tokens: 10_000 + input, output_tokens: 1 + output } };
    };
    const turns = Object.fromEntries(
      Object.entries(authored).map(([turn, answers]) => [
        turn,
        Object.fromEntries(Object.entries(answers).map(([key, answer]) => [key, vary(answer)])),
      ]),
    );
    const { world_slug } = await stage.play({ scenario: 'park', turns: 3, says: { ...script, turns } });
    for (let run = 0; run < 3; run += 1) await stage.run(await stage.world(world_slug), { turns: 1 });
    const { total, groups } = must(await showCost(stage.engine, { world_slug }));
    const { attempts } = must(await listAttempts(stage.engine, world_slug));
    const part = must(await listAttemptsPart(stage.engine, { world_slug, limit: 100 }));
    const agents = must(await listAgents(stage.engine, world_slug));
    const calls = (await stage.outside?.query<{ input: number; output: number }>(
      `SELECT coalesce(sum(input_tokens), 0)::int AS input, coalesce(sum(output_tokens), 0)::int AS output
         FROM llm_calls WHERE world_slug = $1`,
      [world_slug],
    )) ?? [{ input: total.input_tokens, output: total.output_tokens }];
    assert.deepEqual(calls, [{ input: total.input_tokens, output: total.output_tokens }]);
    for (const list of [attempts, part, agents])
      for (const name of ['calls', 'input_tokens', 'output_tokens', 'unpriced_calls', 'uncounted_calls'] as const)
        assert.equal(
          (list as readonly { readonly cost: Cost }[]).reduce((sum, { cost }) => sum + cost[name], 0),
          total[name],
          name,
        );
    for (const attempt of part)
      assert.deepEqual(must(await showAttempt(stage.engine, attempt.attempt_id)).cost, attempt.cost);
    const bySubject = groups.find(({ by }) => by === 'subject')?.rows ?? [];
    for (const { of, ...cost } of bySubject)
      assert.deepEqual(agents.find(({ agent_id }) => agent_id === of)?.cost, cost);
    assert.ok(attempts.length > 1 && total.calls > 2);
  });

  test('stands on the world, its turns, its attempts and its agent turns, and is the same wherever it stands', async () => {
    const { world_slug } = play;
    const { total, groups } = await read();
    assert.deepEqual(must(await browseWorld(stage.engine, { world_slug })).cost, total);
    const turns = groups.find(({ by }) => by === 'turn')?.rows ?? [];
    for (const { of, ...cost } of turns)
      assert.deepEqual(must(await browseTurn(stage.engine, { world_slug, turn: of })).cost, cost);
    for (const { cost, agent_turns } of [...play.attempts, ...again.attempts]) {
      const agents = await Promise.all(
        agent_turns.map(async ({ agent_turn_id }) =>
          must(await showAgentTurn(stage.engine, { agent_turn_id, reader: 'consumer' })),
        ),
      );
      for (const name of ['calls', 'input_tokens', 'output_tokens'] as const)
        assert.equal(
          agents.reduce((sum, agent) => sum + agent.cost[name], 0),
          cost[name],
          name,
        );
      assert.equal(cost.usd, cost.calls === cost.uncounted_calls ? null : priceOf(cost));
    }
  });
});

test('prices that make no sense are refused with their place, and leave the page of a world without money', async () => {
  const file = join(folder, 'nonsense.json');
  await writeFile(
    file,
    '{\n  "version": 1,\n  "models": [{ "model": "x", "usd_per_million_tokens": { "input": -1, "output": "2" } }]\n}\n',
  );
  const stage = await openParkStage('PostgreSQL', () => ({ CHUKWA_PRICES: file }));
  try {
    const { world_slug } = await stage.play({ scenario: 'park' });
    const refused = await showCost(stage.engine, { world_slug });
    assert.ok(!refused.ok);
    assert.deepEqual(
      refused.problems.map(({ pointer, location }) => [pointer, location?.file, location?.line]),
      [
        ['/models/0/usd_per_million_tokens/input', file, 3],
        ['/models/0/usd_per_million_tokens/output', file, 3],
      ],
    );
    const { cost } = must(await browseWorld(stage.engine, { world_slug }));
    assert.ok(cost.input_tokens > 0);
    assert.equal(cost.usd, null);
  } finally {
    await stage.close();
  }
});

test('counts that make no sense are believed nowhere, and estimated', async () => {
  const nonsense = [
    { prompt_tokens: -1_000_000, completion_tokens: 5 },
    { prompt_tokens: 1e15, completion_tokens: 1e15 },
    { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 1_000_000 } },
    { prompt_tokens: 500 },
    null,
  ];
  const target: { url?: string } = {};
  let answered = 0;
  let bytes = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const { messages } = JSON.parse(body) as { readonly messages: readonly { readonly content: string }[] };
    bytes += messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => !/^(host|content-length|connection)$/.test(name)),
    );
    const told = await fetch(`${target.url}${request.url?.replace('/v1', '')}`, {
      method: 'POST',
      body,
      headers: headers as Record<string, string>,
    });
    const usage = JSON.stringify(nonsense[answered++ % nonsense.length]);
    response.writeHead(told.status, { 'content-type': told.headers.get('content-type') ?? '' });
    response.end((await told.text()).replaceAll(/"usage":\{[^{}]*\}/g, `"usage":${usage}`));
  };
  const liar = createServer((request, response) => void answer(request, response));
  liar.listen(0, '127.0.0.1');
  await once(liar, 'listening');
  const { port } = liar.address() as AddressInfo;
  const stage = await openParkStage('PostgreSQL', ({ CHUKWA_LLM_BASE_URL }) => {
    target.url = CHUKWA_LLM_BASE_URL ?? '';
    return { CHUKWA_LLM_BASE_URL: `http://127.0.0.1:${port}/v1`, CHUKWA_PRICES: join(folder, 'prices.json') };
  });
  try {
    const { world_slug, attempts } = await stage.play({ scenario: 'park', turns: 2 });
    assert.deepEqual(
      attempts.map(({ status }) => status),
      ['committed', 'committed'],
    );
    const { total } = must(await showCost(stage.engine, { world_slug }));
    assert.ok(answered >= nonsense.length && total.calls === answered);
    assert.deepEqual([total.estimated_calls, total.uncounted_calls, total.cached_input_tokens], [answered, 0, 0]);
    assert.ok(Math.abs(total.input_tokens - bytes / 4) <= answered, `${total.input_tokens} tokens of ${bytes} bytes`);
    assert.equal(total.usd, priceOf(total));
  } finally {
    await stage.close();
    liar.close();
  }
});
