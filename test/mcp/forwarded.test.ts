import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { compose } from '../../engine/main.js';
import { serve } from '../../engine/operations/serving/serve.js';
import { startScriptedModel } from '../../fixtures/toys/scripted-model/index.js';
import { startToys } from '../../fixtures/toys/index.js';
import { loadScript, must } from '../support/park-stage.js';
import { callForProgress, connectStdio, type Progress } from './clients.js';
import { writePark } from './park.js';

/** Serves an embedded database, which nobody else can open then, until the function that it gives is called. */
async function serveFolder(t: TestContext) {
  const data_dir = await mkdtemp(join(tmpdir(), 'chukwa-forwarded-'));
  const [toys, model] = await Promise.all([startToys(), startScriptedModel(await loadScript('park'))]);
  const variables = {
    ...toys.variables,
    CHUKWA_DATA_DIR: data_dir,
    CHUKWA_DATABASE_URL: '',
    XDG_CONFIG_HOME: join(data_dir, 'user'),
    CHUKWA_LLM_BASE_URL: model.url,
    CHUKWA_LLM_API_KEY: 'loopback-needs-no-key',
    CHUKWA_PORT: '0',
  };
  const ending = new AbortController();
  const settings = { concurrency: 1, grace_ms: 5_000, lease_ms: 10_000, signal: ending.signal };
  let ready = (): void => {};
  const isReady = new Promise<void>((resolve) => (ready = resolve));
  const served = serve(await compose(variables), {
    ...settings,
    worlds: [],
    place: {},
    onEvent: () => {},
    onCheckpoint: () => {},
    onReady: () => ready(),
  });
  await Promise.race([isReady, served.then(must)]);
  const end = async (): Promise<void> => {
    ending.abort();
    must(await served);
  };
  t.after(async () => {
    await end();
    await Promise.all([toys.close(), model.close()]);
    await rm(data_dir, { recursive: true, force: true });
  });
  return { variables, end };
}

test('while a server holds the database, the program that starts `mcp --stdio` works through it', async (t) => {
  const { variables, end } = await serveFolder(t);
  const author = await connectStdio('2025', variables);
  const operator = await connectStdio('2026', variables, ['--operator']);
  t.after(() => Promise.all([author.close(), operator.close()]));
  assert.ok(!(await author.listTools()).tools.some(({ name }) => name === 'list_waiting'));
  assert.ok((await operator.listTools()).tools.some(({ name }) => name === 'list_waiting'));
  const put = await author.callTool({ name: 'put_documents', arguments: { documents: writePark() } });
  const { stored } = put.structuredContent as { readonly stored: readonly { path: string; hash: string }[] };
  const scenario_hash = stored.find(({ path }) => path === 'park/scenario.json')?.hash;
  const world_slug = 'park';
  const made = await author.callTool({ name: 'create_world', arguments: { world_slug, scenario_hash } });
  assert.equal(made.isError, undefined, JSON.stringify(made.content));
  const run = { name: 'run_turn', arguments: { world_slug, turns: 1, reason: 'to see' } };
  for (const [era, client] of [
    ['2025', author],
    ['2026', operator],
  ] as const) {
    const told: Progress[] = [];
    const ran = await callForProgress(era, client, run, (one) => told.push(one));
    assert.match(ran.content[0]?.text ?? '', /1 of 1 turns of park are committed/);
    assert.ok(told.length > 0);
  }
  const [world] = (await operator.readResource({ uri: 'chukwa://worlds/park' })).contents;
  assert.match(world?.text ?? '', /"turn":2/);
  await end();
  for (const client of [author, operator])
    await assert.rejects(client.callTool({ name: 'list_worlds' }), /chukwa serve has ended/);
});
