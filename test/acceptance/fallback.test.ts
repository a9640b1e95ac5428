import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, test, type TestContext } from 'node:test';
import { writeFile } from 'node:fs/promises';
import type { JsonObject } from '../../engine/contract/json.js';
import type { Answer } from '../../engine/generated/answers.js';
import type { AttemptRecord, LlmCallRecord } from '../../engine/ports/records.js';
import { toDesk } from '../../engine/operations/serving/serve.js';
import { startServer } from '../../engine/surfaces/http/server.js';
import { withFallback } from '../support/fallback-scene.js';
import { loadScript, type ParkStage, sharedStage } from '../support/park-stage.js';
import { TOKENS } from '../support/served-park.js';
import { type Conduct, startUnreliableService } from '../support/unreliable-service.js';
import { runHere } from './command.js';
import { makeFolder } from '../support/folder.js';
import { keysOf, onlyAttempt, script } from './readings.js';

const FIRST = 'bob/act/round-1/try-1';
const SECOND = `${FIRST}/fallback`;

async function patchOfBob(): Promise<Answer> {
  const answer = (await loadScript('simple')).turns['1']?.[FIRST];
  assert.ok(answer);
  return answer;
}

describe('a node with a fallback', () => {
  let target = '';
  let started: Awaited<ReturnType<typeof startUnreliableService>> | undefined;
  const opened = startUnreliableService(() => target).then((service) => (started = service));
  after(() => started?.close());
  let stage: ParkStage | undefined;
  const openStage = sharedStage('PostgreSQL', (here) => {
    target = (here['CHUKWA_LLM_BASE_URL'] ?? '').replace(/\/v1$/, '');
    return {
      CHUKWA_LLM_BASE_URL: `${started?.url}/v1`,
      CHUKWA_OTHER_LLM_URL: here['CHUKWA_LLM_BASE_URL'] ?? '',
      CHUKWA_OTHER_MODEL: 'pinned-model',
    };
  });

  const OTHER = { base_url_env: 'CHUKWA_OTHER_LLM_URL', model_env: 'CHUKWA_OTHER_MODEL' };

  /** Plays `simple`, whose first source is treated so, and whose second one answers as written. */
  async function play(
    context: TestContext,
    { will, says, first = {} }: { readonly will: Conduct; readonly says?: Answer; readonly first?: JsonObject },
  ) {
    const service = await opened;
    stage = await openStage();
    const workflows = await withFallback(context, { first, other: OTHER });
    const asked = service.asked.length;
    service.always(() => will);
    const answer = says ?? (await patchOfBob());
    const played = await stage.play({
      scenario: 'simple',
      workflows,
      says: script({ [FIRST]: await patchOfBob(), [SECOND]: answer }),
    });
    return { stage, workflows, asked: service.asked.length - asked, attempt: onlyAttempt(played) };
  }

  const endsOf = ({ invocations }: AttemptRecord) =>
    invocations.map(({ command_key, status, failure_class, failure_detail }) => [
      command_key,
      status,
      failure_class,
      failure_detail,
    ]);

  const FATES: readonly (readonly [string, Conduct, string])[] = [
    ['refuses with 429', { kind: 'status', status: 429 }, 'http_status'],
    ['hangs up', { kind: 'cut_before' }, 'transport'],
    ['hangs up within its answer', { kind: 'cut_within' }, 'transport'],
  ];
  for (const [fate, will, failure_class] of FATES)
    test(`a source that ${fate} is on record with its failure, and the fallback answers in a record of its own`, async (context) => {
      const { attempt, stage: here } = await play(context, { will, says: await patchOfBob() });
      assert.equal(attempt.status, 'committed');
      assert.deepEqual(endsOf(attempt), [
        [FIRST, 'failed', failure_class, 'asked_fallback'],
        [SECOND, 'succeeded', null, null],
      ]);
      const models: LlmCallRecord[] = [];
      for (const call of attempt.invocations) models.push(await here.llmCall(call.llm_call_id));
      assert.deepEqual(
        models.map(({ model }) => model),
        ['gpt-4.1-mini', 'pinned-model'],
      );
    });

  test('a source uses up its retries before its fallback is asked', async (context) => {
    const first = { retry: { max: 2, on: ['http_5xx'], backoff_ms: 1 } };
    const { attempt, asked } = await play(context, { will: { kind: 'status', status: 503 }, first });
    assert.equal(attempt.status, 'committed');
    assert.equal(asked, 3);
    assert.deepEqual(keysOf(attempt), [FIRST, FIRST, FIRST, SECOND]);
    assert.deepEqual(
      attempt.invocations.map(({ failure_detail }) => failure_detail),
      [null, null, 'asked_fallback', null],
    );
  });

  test('a fallback that fails too ends the attempt with its own class, and the failure names both', async (context) => {
    const { attempt, stage: here } = await play(context, {
      will: { kind: 'cut_before' },
      says: { status: 500 },
    });
    assert.deepEqual([attempt.status, attempt.failure_class], ['failed', 'http_status']);
    assert.match(attempt.failure_message ?? '', /^the fallback other: .*500.*\(chat had failed before: transport: /s);
    assert.equal(attempt.failed_source_invocation_id, attempt.invocations[1]?.source_invocation_id);
    // A new attempt asks the first source again.
    (await opened).always(() => ({ kind: 'pass' }));
    here.model.setScript(script({ [FIRST]: await patchOfBob() }));
    const again = await here.run(await here.world(attempt.world_slug));
    assert.deepEqual(endsOf(onlyAttempt(again)), [[FIRST, 'succeeded', null, null]]);
  });

  test('where both sources fail, run, attempt, the page and the failed call each say why the first one did', async (context) => {
    const { attempt, stage: here } = await play(context, {
      will: { kind: 'status', status: 429 },
      says: { status: 500 },
    });
    const why = /the fallback other: .{0,200}500.{0,200}chat had failed before: http_status: .{0,200}429/;
    const plain = (text: string): string => text.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ');
    const read = async (...words: readonly string[]) => plain((await runHere(words, here.variables)).stdout);
    const server = await startServer(toDesk(here.engine), TOKENS, { host: '127.0.0.1', port: 0 });
    context.after(() => server.close(0));
    const headers = { authorization: `Bearer ${TOKENS.operator_token}`, accept: 'text/html' };
    const page = await fetch(new URL(`/attempts/${attempt.attempt_id}`, server.url), { headers });
    const said = {
      run: await read('run', attempt.world_slug),
      attempt: await read('attempt', attempt.attempt_id),
      page: plain(await page.text()),
    };
    for (const [place, text] of Object.entries(said)) assert.match(text, why, place);
    const [first] = attempt.invocations;
    assert.match(await read('invocation', first?.source_invocation_id ?? ''), /429/);
  });

  test('a person sees in run, attempt, invocation and llm-call which source answered, and why the first did not', async (context) => {
    const { attempt, stage: here, workflows } = await play(context, { will: { kind: 'status', status: 429 } });
    const answers = script({ [FIRST]: { status: 429 }, [SECOND]: await patchOfBob() });
    await writeFile(join(workflows, 'answers.json'), JSON.stringify(answers));
    const [first, second] = attempt.invocations;
    const read = async (...words: readonly string[]): Promise<string> => {
      const ended = await runHere(words, here.variables);
      assert.equal(ended.code, 0, `${ended.stdout}${ended.stderr}`);
      return ended.stdout.replaceAll(/\s+/g, ' ');
    };
    const why = /http_status, the fallback was asked/;
    const shown = await read('attempt', attempt.attempt_id);
    assert.match(shown, why);
    assert.match(shown, new RegExp(`${SECOND} succeeded`));
    assert.match(await read('invocation', first?.source_invocation_id ?? ''), why);
    assert.match(await read('llm-call', first?.llm_call_id ?? ''), why);
    assert.match(await read('llm-call', second?.llm_call_id ?? ''), /pinned-model/);
    const [, agent_turn = ''] =
      /"agent_turn_id": "([^"]+)"/.exec(await read('attempt', attempt.attempt_id, '--json')) ?? [];
    const turn = await read('agent-turn', agent_turn);
    assert.ok(turn.includes(`llm-call ${second?.llm_call_id}`), turn);
    const recorded = join(await makeFolder(context), 'recorded.test.json');
    await read(
      'record',
      `${attempt.world_slug}@1`,
      '--scenario',
      join(workflows, 'simple/scenario.json'),
      '--root',
      '/',
      '--out',
      recorded,
    );
    assert.match(await read('test', recorded, '--root', '/'), /1 test passed/);
    const told = await read('run', attempt.world_slug);
    assert.match(
      told,
      /act try 1 .*failed, http_status.*; the fallback was asked .*act try 1, fallback other pinned-model/,
    );
    const played = await read('run', attempt.world_slug, '--dry', '--answers', join(workflows, 'answers.json'));
    assert.match(played, /fallback other/);
  });
});
