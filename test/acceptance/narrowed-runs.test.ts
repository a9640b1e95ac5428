import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { RunReport } from '../../engine/operations/running/run-turns.js';
import type { AttemptRecord, LlmCallRecord } from '../../engine/ports/records.js';
import { type Answers, startScriptedModel } from '../../fixtures/toys/scripted-model/index.js';
import { CLOSED_TOYS } from '../support/closed-toys.js';
import { emptyDatabase } from '../support/databases.js';
import { copyFolder } from '../support/park-stage.js';
import { finalPatch, toolCall } from '../support/turn-player.js';
import { askHere, runHere, startChukwa, whileRunning } from './command.js';
import { makeFolder } from '../support/folder.js';
import { script } from './readings.js';

const FIRST = 'bob/act/round-1/try-1';
const SECOND = 'bob/act/round-1/try-2';
const BUY = toolCall('buy_candy', { actor_id: 'bob', machine_id: 'vending_machine', button: 'C' });
const NOTHING = { json: finalPatch([], 'Nothing happens.') };

/** A world of the shipped scenario `tools` in an empty database, and a model that says this. */
async function makeWorld(context: TestContext, says: Answers, database?: Readonly<Record<string, string>>) {
  const model = await startScriptedModel(says);
  context.after(() => model.close());
  const stored = database ?? (await emptyDatabase(context));
  const variables = { ...CLOSED_TOYS, ...stored, CHUKWA_LLM_BASE_URL: model.url };
  await askHere(['world', 'create', 'narrow', '--scenario', 'workflows/tools/scenario.json'], variables);
  return { model, variables };
}

test('run --tools offers models these tools alone, and the call of another is refused by policy', async (t) => {
  const { variables } = await makeWorld(t, script({ [FIRST]: { json: BUY }, [SECOND]: NOTHING }));
  const report = await askHere<RunReport>(['run', 'narrow', '--tools', ''], variables);
  const [turn] = report.turns;
  assert.equal(turn?.status, 'committed');
  const record = await askHere<AttemptRecord>(['attempt', turn.attempt_id], variables);
  const generations = record.invocations.filter(({ llm_call_id }) => llm_call_id !== null);
  assert.deepEqual(
    generations.map(({ command_key, status }) => [command_key, status]),
    [
      [FIRST, 'failed'],
      [SECOND, 'succeeded'],
    ],
  );
  const [first] = generations;
  const call = await askHere<LlmCallRecord>(['llm-call', first?.llm_call_id ?? ''], variables);
  assert.match(JSON.stringify(call), /policy_denied/);
  assert.equal(record.invocations.length, 2, 'the tool was called');
});

test('run --tools refuses a tool that the policy does not allow, and proposes one that it does', async (t) => {
  const { variables } = await makeWorld(t, script({}));
  const refused = await askHere<object>(['run', 'narrow', '--tools', 'buy_cnady,fly'], variables, 1);
  assert.match(JSON.stringify(refused), /RUN_TOOL_NOT_OFFERED.*Did you mean buy_candy\?.*"fly\\"/);
});

test('run --tools of a scenario without tools says to leave it out', async (t) => {
  const { variables } = await makeWorld(t, script({}));
  await askHere(['world', 'create', 'bare', '--scenario', 'workflows/simple/scenario.json'], variables);
  const refused = await askHere<object>(['run', 'bare', '--tools', 'fly'], variables, 1);
  assert.match(JSON.stringify(refused), /RUN_TOOL_NOT_OFFERED.*Leave --tools out: there are no tools to narrow\./);
});

test('run --connections refuses a connection that is not granted, and accepts an empty list', async (t) => {
  const { variables } = await makeWorld(t, script({ [FIRST]: NOTHING }));
  const refused = await askHere<object>(['run', 'narrow', '--connections', 'till'], variables, 1);
  assert.match(JSON.stringify(refused), /RUN_CONNECTION_NOT_GRANTED/);
  const report = await askHere<RunReport>(['run', 'narrow', '--connections', ''], variables);
  assert.equal(report.turns[0]?.status, 'committed');
});

test('run --queue takes no narrowing: workers run what the documents allow', async (t) => {
  const { variables } = await makeWorld(t, script({}));
  assert.equal((await runHere(['run', 'narrow', '--queue', '--tools', ''], variables)).code, 2);
});

test("an attempt that was begun with --tools '' goes on with the same tools alone", async (t) => {
  const wrong = { json: finalPatch([{ op: 'set_entity_state', entity_id: 'Bob', state: 'up' }], 'Up.') };
  const says = script({ [FIRST]: wrong, [SECOND]: { fault: 'hang', text: '{' } });
  // The lock of a folder goes with its process; on a server the next one would wait for the lease to end.
  const CHUKWA_DATA_DIR = join(await makeFolder(t), 'data');
  const { model, variables } = await makeWorld(t, says, { CHUKWA_DATA_DIR });
  let requests = 0;
  const asked = new Promise<void>((resolve) => {
    model.onRequest(async () => {
      requests += 1;
      if (requests === 2) resolve();
    });
  });
  const running = startChukwa(['run', 'narrow', '--tools', ''], variables);
  await whileRunning(running, asked);
  running.kill('SIGKILL');
  await running.ended;
  copyFolder(CHUKWA_DATA_DIR, `${CHUKWA_DATA_DIR}-2`);
  model.setScript(script({ [FIRST]: wrong, [SECOND]: NOTHING }));
  const goOn = async (folder: string, ...words: readonly string[]) => {
    const ended = await runHere(['run', 'narrow', ...words, '--json'], { ...variables, CHUKWA_DATA_DIR: folder });
    const [turn] = (JSON.parse(ended.stdout) as RunReport).turns;
    return [turn?.status, turn?.failure_class];
  };
  assert.deepEqual(await goOn(CHUKWA_DATA_DIR, '--tools', ''), ['committed', null]);
  assert.deepEqual(await goOn(`${CHUKWA_DATA_DIR}-2`), ['failed', 'record_mismatch']);
});
