import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { AttemptSummary } from '../../engine/ports/records.js';
import { type ScriptedModel, startScriptedModel } from '../../fixtures/toys/scripted-model/index.js';
import { startToys, type Toys } from '../../fixtures/toys/index.js';
import { waitUntil } from '../support/wait-until.js';
import { askHere, runHere, startChukwa, startHere, whileRunning } from './command.js';
import { makeFolder } from '../support/folder.js';

// Two processes share one folder of the embedded database, the second is this one, and a person tampers with its lock meanwhile.

const ENOUGH = { timeout: 180_000 };
const TURNS = 2;
const ARGUMENTS = { from: 'bob_phone', to: 'Alice', body: 'Come!' };
const CALL = { json: { kind: 'tool_call', tool_call: { name: 'send_text', arguments: ARGUMENTS } } };
const PATCH = { json: { kind: 'final_patch', patch: { narration: 'Bob texts.', effects: [] } } };
const TEXTS = {
  version: 1,
  label: 'texts',
  turns: { '*': { 'bob/act/round-1/try-1': CALL, 'bob/act/round-2/try-1': PATCH } },
} as const;

interface Scene {
  readonly model: ScriptedModel;
  readonly toys: Toys;
  readonly lock_file: string;
  readonly variables: Readonly<Record<string, string>>;
}

async function open(context: TestContext): Promise<Scene> {
  const folder = await makeFolder(context);
  const [model, toys] = await Promise.all([startScriptedModel(TEXTS), startToys()]);
  context.after(() => Promise.all([model.close(), toys.close()]));
  const variables = {
    ...toys.variables,
    CHUKWA_DATA_DIR: folder,
    CHUKWA_LLM_BASE_URL: model.url,
    CHUKWA_LLM_API_KEY: 'loopback-needs-no-key',
  };
  await askHere(['world', 'create', 'a', '--scenario', 'workflows/tools', '--root', 'workflows'], variables);
  return { model, toys, variables, lock_file: join(folder, 'lock') };
}

test(
  'a lock that is emptied under a running world lets no turn or side effect happen twice',
  ENOUGH,
  async (context) => {
    const { model, toys, lock_file, variables } = await open(context);
    const run = ['run', 'a', '--turns', String(TURNS)];
    let goOn = (): void => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    model.onRequest(async () => (model.requests.length === 2 ? held : undefined));
    const first = startChukwa(run, variables);
    await whileRunning(
      first,
      waitUntil(() => model.requests.length === 2),
    );
    await writeFile(lock_file, '');
    // The first leaves at its next statement: a second run races with it for the folder.
    const second = await runHere([...run, '--wait', '0'], variables);
    if (second.code !== 0) assert.match(second.stderr, /DATABASE_LOCKED/);
    goOn();
    const { code, stderr } = await first.ended;
    assert.equal(code, 4, stderr);
    assert.match(stderr, /DATABASE_LOCK_LOST/);
    if (second.code !== 0) {
      await rm(lock_file, { force: true });
      assert.equal((await runHere(run, variables)).code, 0);
    }
    const { attempts } = await askHere<{ readonly attempts: readonly AttemptSummary[] }>(['attempts', 'a'], variables);
    const listed = attempts.toReversed().map(({ attempted_turn, status }) => `${attempted_turn} ${status}`);
    assert.deepEqual(listed, ['1 committed', '2 committed']);
    assert.equal(toys.phone.served.filter(({ path }) => path.includes('send')).length, TURNS);
  },
);

test('a worker whose lock is given to another host leaves with a problem', ENOUGH, async (context) => {
  const { lock_file, variables } = await open(context);
  const worker = startHere(['worker', '--json'], variables);
  await whileRunning(
    worker,
    waitUntil(() => worker.said().includes('"working"')),
  );
  await writeFile(lock_file, JSON.stringify({ host: 'far-away', pid: 7, started: null }));
  const { code, stderr, stdout } = await worker.ended;
  assert.equal(code, 4, stderr);
  assert.match(stderr + stdout, /DATABASE_LOCK_LOST/);
});
