import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { loadScript, openParkStage, ROOT } from '../support/park-stage.js';
import { argumentsOf, FIRST_COMPILED } from '../support/program.js';
import { waitUntil } from '../support/wait-until.js';

// Loading the query builder takes half as long as a start.
test('commands that run turns and list worlds do not load the query builder; those that show records do', async (context) => {
  const stage = await openParkStage('PostgreSQL');
  context.after(() => stage.close());
  stage.model.setScript(await loadScript('simple'));
  const { world_slug } = await stage.makeWorld({ scenario: 'simple' });
  const quick: readonly (readonly string[])[] = [
    ['world', 'create', 'another', '--scenario', 'workflows/simple/scenario.json'],
    ['world', 'list'],
    ['world', 'show', world_slug],
    ['run', world_slug],
    ['park', '--turns', '1'],
    ['run', world_slug, '--queue'],
    ['worker', '--json'],
  ];
  const commands = JSON.stringify([...quick, ['attempts', world_slug]]);
  const program = argumentsOf(new URL('../support/run-commands.js', import.meta.url));
  const refusing = ['--import', `${ROOT}test/support/refuse-packages.mjs`];
  const running = spawn(process.execPath, [...FIRST_COMPILED, ...refusing, ...program, commands], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], ...stage.variables, REFUSED_PACKAGES: 'kysely' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  context.after(() => running.kill('SIGKILL'));
  const said = Promise.all([text(running.stdout), text(running.stderr)]);
  const early = said.then(([, stderr]) => assert.fail(`it ended too early: ${stderr}`));
  await Promise.race([early, waitUntil(async () => (await stage.world(world_slug)).turn === 2)]);
  running.kill('SIGTERM');
  const [stdout, stderr] = await said;
  assert.deepEqual(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''), [...quick.map(() => 0), 4], stderr);
  assert.match(stderr, /imported kysely/);
});
