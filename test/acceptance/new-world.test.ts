import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { JsonObject } from '../../engine/contract/json.js';
import type { WorldSnapshot } from '../../engine/ports/worlds.js';
import { startScriptedModel } from '../../fixtures/toys/scripted-model/index.js';
import { emptyDatabase } from '../support/databases.js';
import { ROOT } from '../support/park-stage.js';
import { freePort } from '../support/free-port.js';
import { type Ended, runHere } from './command.js';
import { makeFolder } from '../support/folder.js';

const SHAPES = ['agent', 'place', 'village'];

/** An empty folder, and the program as it runs there. */
async function openFolder(context: TestContext) {
  const folder = await makeFolder(context);
  const variables: Record<string, string> = { ...(await emptyDatabase(context)) };
  return {
    folder,
    variables,
    chukwa: (words: readonly string[]): Promise<Ended> => runHere(words, variables, folder),
  };
}

/** Carries out a printed line. A line that ends in & is started, and its first output is awaited. */
async function follow(context: TestContext, stage: Awaited<ReturnType<typeof openFolder>>, line: string) {
  const exported = /^export (\w+)=(.*)$/.exec(line);
  if (exported) {
    stage.variables[exported[1] ?? ''] = exported[2] ?? '';
    return;
  }
  if (line.endsWith(' &')) {
    const service = spawn(process.execPath, line.split(' ').slice(1, -1), { cwd: stage.folder, env: stage.variables });
    context.after(() => service.kill());
    await once(service.stdout, 'data');
    return;
  }
  if (line.startsWith('rm ')) {
    for (const file of line.split(' ').slice(1)) await rm(join(stage.folder, file));
    return;
  }
  const { code, stdout, stderr } = await stage.chukwa(line.replace(/^npx chukwa /, '').split(' '));
  assert.equal(code, 0, `${line}\n${stdout}\n${stderr}`);
}

for (const shape of SHAPES) {
  test(`the files of new world --shape ${shape} validate and test green, and run by the printed steps`, {
    timeout: 300_000,
  }, async (context) => {
    const stage = await openFolder(context);
    const { code, stdout } = await stage.chukwa(['new', 'world', 'demo', '--shape', shape]);
    assert.equal(code, 0);
    const answers = JSON.parse(await readFile(join(stage.folder, 'demo/answers.json'), 'utf8')) as never;
    const model = await startScriptedModel(answers);
    context.after(() => model.close());
    const printed = stdout.replaceAll('4870', String(await freePort())).replace('http://127.0.0.1:11434/v1', model.url);
    const steps = [...printed.matchAll(/^ {2}((?:npx|export|node|rm) .*)$/gm)].map(([, step = '']) => step);
    assert.ok(steps.length >= 9, printed);
    // The scripted model stands in for one's own, and answers no question that is not in its script.
    for (const step of steps.filter((line) => !line.includes('model try'))) await follow(context, stage, step);
    assert.ok(model.requests.length >= 3, "the model of one's own was not asked");
    assert.ok(model.requests.every(({ body }) => JSON.stringify(body).includes('"qwen3:8b"')));
    for (const slug of ['demo', 'demo-2', 'demo-3']) {
      const shown = await stage.chukwa(['world', 'show', slug, '--json']);
      const { turn, scenario_label } = JSON.parse(shown.stdout) as WorldSnapshot;
      assert.deepEqual([turn, scenario_label], [3, 'demo'], slug);
    }
    await follow(context, stage, 'npx chukwa test demo');
  });

  test(`the prompts of new world --shape ${shape} are files, and its schemas are found by an editor`, async (context) => {
    const stage = await openFolder(context);
    await stage.chukwa(['new', 'world', 'demo', '--shape', shape, '--into', 'worlds']);
    const folder = join(stage.folder, 'worlds/demo');
    const names = await readdir(folder);
    assert.ok(names.includes('act.system.md') && names.includes('act.user.md'), names.join());
    for (const name of names.filter((file) => file.endsWith('.json'))) {
      const { $schema = '' } = JSON.parse(await readFile(join(folder, name), 'utf8')) as { readonly $schema?: string };
      if ($schema.startsWith('https:')) continue;
      assert.equal(join(folder, $schema), join(ROOT, 'schemas', $schema.split('/').at(-1) ?? ''), name);
      await readFile(join(folder, $schema));
    }
  });
}

test('in a project that has the package installed, the schemas of a new world are named through node_modules', async (context) => {
  const { folder, chukwa } = await openFolder(context);
  await mkdir(join(folder, 'node_modules'));
  await symlink(ROOT, join(folder, 'node_modules/chukwa'));
  await chukwa(['new', 'world', 'demo', '--into', 'worlds']);
  const { $schema } = JSON.parse(await readFile(join(folder, 'worlds/demo/scenario.json'), 'utf8')) as JsonObject;
  assert.equal($schema, '../../node_modules/chukwa/schemas/scenario.schema.json');
});

test('new world writes over nothing, and writes nothing for a name that no world can have', async (context) => {
  const { folder, chukwa } = await openFolder(context);
  await writeFile(join(folder, 'demo'), 'mine');
  const taken = await chukwa(['new', 'world', 'demo']);
  assert.deepEqual([taken.code, await readFile(join(folder, 'demo'), 'utf8')], [1, 'mine']);
  assert.match(taken.stderr, /WORLD_FOLDER_EXISTS/);
  for (const name of ['../up', 'Demo', 'a b']) {
    const { code, stderr } = await chukwa(['new', 'world', name]);
    assert.equal(code, 1, name);
    assert.match(stderr, /WORLD_SLUG_INVALID/);
  }
  for (const into of ['demo/b', '/proc']) {
    const { code, stderr } = await chukwa(['new', 'world', 'demo-2', '--into', into]);
    assert.equal(code, 1, into);
    assert.match(stderr, /FILE_UNWRITABLE/);
  }
  assert.equal((await chukwa(['new', 'world', 'demo-2', '--shape', 'town'])).code, 2);
  assert.deepEqual(await readdir(folder), ['demo']);
});
