import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queueTurns } from '../../engine/operations/run-worker.js';
import { loadScript, must, openParkStage, ROOT } from '../support/park-stage.js';
import { waitUntil } from '../support/wait-until.js';
import { runChukwa, startChukwa, whileRunning } from './command.js';

// Loading the query builder takes half as long as a start.
test('commands that run turns and list worlds do not load the query builder; those that show records do', async (context) => {
  const stage = await openParkStage('PostgreSQL');
  context.after(() => stage.close());
  stage.model.setScript(await loadScript('simple'));
  const { world_slug } = await stage.makeWorld({ scenario: 'simple' });
  const refusing = {
    ...stage.variables,
    REFUSED_PACKAGES: 'kysely',
    NODE_OPTIONS: `--import ${ROOT}test/support/refuse-packages.mjs`,
  };
  const quick: readonly (readonly string[])[] = [
    ['world', 'create', 'another', '--scenario', 'workflows/simple/scenario.json'],
    ['world', 'list'],
    ['world', 'show', world_slug],
    ['run', world_slug],
    ['park', '--turns', '1'],
  ];
  for (const command of quick) {
    const ended = await runChukwa(command, refusing);
    assert.equal(ended.code, 0, `${command.join(' ')}: ${ended.stderr}`);
  }
  must(await queueTurns(stage.engine, { world_slug, turns: 1 }));
  const worker = startChukwa(['worker', '--json'], refusing);
  await whileRunning(
    worker,
    waitUntil(async () => (await stage.world(world_slug)).turn === 2),
  );
  worker.kill('SIGTERM');
  assert.equal((await worker.ended).code, 0);
  assert.match((await runChukwa(['attempts', world_slug], refusing)).stderr, /imported kysely/);
});
