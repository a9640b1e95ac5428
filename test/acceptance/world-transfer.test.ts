import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { compose } from '../../engine/main.js';
import type { AttemptRecord, AttemptSummary } from '../../engine/ports/records.js';
import { runCommandLine } from '../../engine/surfaces/cli/command-line.js';
import { scriptPath, startScriptedModel } from '../../fixtures/toys/scripted-model/index.js';
import { startToys } from '../../fixtures/toys/index.js';
import type { Answers } from '../../engine/generated/answers.js';
import { openTestTerminal } from '../surfaces/cli/test-terminal.js';
import { emptyDatabase, openTestDatabase } from '../support/databases.js';
import { ROOT } from '../support/park-stage.js';
import { makeFolder } from '../support/folder.js';

// The park is played in one database and moved to others by the commands that people use.

type Variables = Readonly<Record<string, string>>;

interface Scene {
  readonly folder: string;
  /** The words of a command, on a database. @returns what it printed */
  chukwa(words: readonly string[], where: Variables, code?: number): Promise<string>;
  readonly embedded: Variables;
  readonly served: Variables;
  readonly empty: Variables;
}

async function open(context: TestContext): Promise<Scene> {
  const folder = await makeFolder(context);
  const script = JSON.parse(await readFile(scriptPath(ROOT, 'park'), 'utf8')) as Answers;
  const [toys, model] = await Promise.all([startToys(), startScriptedModel(script)]);
  const database = await openTestDatabase('PostgreSQL');
  context.after(() => Promise.all([toys.close(), model.close(), database.close()]));
  const services = { ...toys.variables, CHUKWA_LLM_BASE_URL: model.url, CHUKWA_LLM_API_KEY: 'loopback-needs-no-key' };
  return {
    folder,
    embedded: { CHUKWA_DATA_DIR: join(folder, 'here') },
    served: { CHUKWA_DATA_DIR: join(folder, 'none'), CHUKWA_DATABASE_URL: database.url ?? '' },
    empty: { CHUKWA_DATA_DIR: join(folder, 'there') },
    chukwa: async (words, where, code = 0) => {
      const terminal = openTestTerminal();
      assert.equal(
        await runCommandLine(await compose({ ...services, ...where }), words, terminal),
        code,
        terminal.error_text(),
      );
      return terminal.out_text() + terminal.error_text();
    },
  };
}

test('a park moves to PostgreSQL and back, is everywhere the same, and goes on', {
  timeout: 300_000,
}, async (context) => {
  const { chukwa, folder, embedded, served, empty } = await open(context);
  const [first, second, third] = ['first', 'second', 'third'].map((name) => join(folder, `${name}.jsonl`)) as [
    string,
    string,
    string,
  ];
  await chukwa(
    ['world', 'create', 'park', '--scenario', join(ROOT, 'workflows/park'), '--root', join(ROOT, 'workflows')],
    embedded,
  );
  await chukwa(['run', 'park', '--turns', '2'], embedded);
  await chukwa(['world', 'export', 'park', '--out', first], embedded);
  await chukwa(['world', 'import', first], served);
  await chukwa(['world', 'export', 'park', '--out', second], served);
  assert.equal(await readFile(second, 'utf8'), await readFile(first, 'utf8'));
  const { attempts } = JSON.parse(await chukwa(['attempts', 'park', '--json'], served)) as {
    readonly attempts: readonly AttemptSummary[];
  };
  // Where values come from moves with them: what was shown, what a call was made of, and what it wrote.
  const { invocations } = JSON.parse(
    await chukwa(['attempt', attempts[0]?.attempt_id ?? '', '--json'], served),
  ) as Pick<AttemptRecord, 'invocations'>;
  const calls = invocations.flatMap(({ source_invocation_id, llm_call_id }) => [
    ['invocation', source_invocation_id],
    ...(llm_call_id === null ? [] : [['llm-call', llm_call_id]]),
  ]);
  const shown = await Promise.all(calls.map((words) => chukwa([...words, '--json'], served)));
  for (const origins of [/"argument_origins": *\{/, /"origin": *"tool_result",[^]*?"origins": *\[[^\]]*"source:/])
    assert.ok(
      shown.some((text) => origins.test(text)),
      `no call shows ${origins.source}`,
    );
  const looks = [
    ...calls.slice(-1),
    ['world', 'show', 'park', '--turn', '1'],
    ['attempt', attempts[0]?.attempt_id ?? ''],
    ['world', 'diff', 'park', '0', '2', '--blame'],
  ];
  for (const words of looks)
    assert.equal(
      await chukwa([...words, '--json'], served),
      await chukwa([...words, '--json'], embedded),
      words.join(' '),
    );
  await chukwa(['run', 'park'], served);
  await chukwa(['world', 'export', 'park', '--out', third], served);
  await chukwa(['world', 'import', third], empty);
  assert.equal(
    await chukwa(['world', 'show', 'park', '--json'], empty),
    await chukwa(['world', 'show', 'park', '--json'], served),
  );
});

test('an export never takes the place of a file, and what is refused leaves none', async (context) => {
  const { chukwa, folder, served } = await open(context);
  const empty = await emptyDatabase(context);
  const words = [
    'world',
    'create',
    'a',
    '--scenario',
    join(ROOT, 'workflows/simple'),
    '--root',
    join(ROOT, 'workflows'),
  ];
  await chukwa(words, served);
  const out = join(folder, 'out');
  await mkdir(out);
  const file = join(out, 'a.jsonl');
  await chukwa(['world', 'export', 'a', '--out', file], served);
  assert.match(await chukwa(['world', 'export', 'a', '--out', file], served, 1), /FILE_EXISTS/);
  assert.match(await chukwa(['world', 'export', 'b', '--out', join(out, 'b.jsonl')], served, 1), /WORLD_UNKNOWN/);
  assert.match(await chukwa(['world', 'export', 'a', '--out', join(out, 'no', 'b')], served, 1), /FILE_UNWRITABLE/);
  assert.match(await chukwa(['world', 'import', join(out, 'none')], served, 1), /FILE_MISSING/);
  assert.match(await chukwa(['world', 'import', out], served, 1), /FILE_UNREADABLE/);
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  for (const endless of [join(folder, 'pipe'), '/dev/zero'])
    assert.match(await chukwa(['world', 'import', endless], empty, 1), /FILE_UNREADABLE/);
  const refused = await chukwa(['world', 'import', file], served, 1);
  assert.match(refused, /WORLD_EXISTS/);
  assert.match(
    refused.replaceAll(/\s+/g, ' '),
    /CHUKWA_DATA_DIR names; or delete this one before: npx chukwa world delete \S/,
  );
  await writeFile(join(folder, 'cut'), (await readFile(file, 'utf8')).slice(0, 2000));
  assert.match(await chukwa(['world', 'import', join(folder, 'cut')], empty, 1), /WORLD_FILE_DAMAGED/);
  assert.match(await chukwa(['world', 'list', '--json'], empty), /"worlds": \[\]/);
  assert.deepEqual(await readdir(out), ['a.jsonl']);
});
