import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { type ScriptedModel, loadAnswers, startScriptedModel } from '../../fixtures/toys/scripted-model/index.js';
import { startToys } from '../../fixtures/toys/index.js';
import { misbehave } from '../support/faults.js';
import { ROOT } from '../support/park-stage.js';
import { FIRST_COMPILED } from '../support/program.js';
import { makeFolder } from '../support/folder.js';

const run = promisify(execFile);

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A host that looks whether an engine, open and at work, has taken hold of its process. */
const HOST = `
import { openEngine } from 'chukwa';
const EVENTS = ['exit', 'beforeExit', 'uncaughtException', 'uncaughtExceptionMonitor', 'unhandledRejection',
  'rejectionHandled', 'warning', 'SIGINT', 'SIGTERM', 'SIGHUP'];
const own = [process.exit, process.reallyExit, process.abort, console.log, JSON.parse, Array.prototype.map, fetch];
const look = () => JSON.stringify([
  EVENTS.map((event) => process.listenerCount(event)),
  process.exitCode ?? null,
  [process.exit, process.reallyExit, process.abort, console.log, JSON.parse, Array.prototype.map, fetch].map(
    (each, index) => each === own[index]),
]);
const looks = [look()];
const engine = (await openEngine({ variables: { ...process.env, CHUKWA_DATABASE_URL: 'memory:' } })).value;
looks.push(look());
const made = await engine.createWorld('lighthouse', 'lighthouse/scenario.json');
const report = await engine.runTurns('lighthouse', { onProgress: () => looks.push(look()) });
looks.push(look());
await engine.close();
looks.push(look());
console.log(JSON.stringify({ made: made.ok, status: report.value?.turns[0]?.status, looks: [...new Set(looks)] }));
process.on('uncaughtException', (error) => process.exit(error.message === 'mine' ? 7 : 8));
setTimeout(() => { throw new Error('mine'); });
`;

/** A host that uses what the program of the page does not. The vending machine of its surroundings loses its answers. */
const FUNCTIONS = `
import { openEngine } from 'chukwa';
const need = (done) => {
  if (done.ok) return done.value;
  throw new Error(JSON.stringify(done.problems));
};
const root = 'node_modules/chukwa/workflows';
const open = async (script) =>
  need(await openEngine({ script, root, variables: { ...process.env, CHUKWA_DATABASE_URL: 'memory:' } }));
const said = {};

const engine = await open('letters');
need(await engine.createWorld('post', root + '/letters/scenario.json'));
const { awaited } = need(await engine.runTurns('post'));
const value = { status: 'answered', from: 'Emil', body: 'I come.', postage: 'paid' };
said.report = need(await engine.report(awaited[0].source_invocation_id, { kind: 'answered', value })).accepted;
said.reported = need(await engine.runTurns('post')).turns[0].status;
said.fork = need(await engine.forkWorld('post', { at: 0, as: 'again' })).world_slug;
const { attempt_id } = need(await engine.runTurns('again')).turns[0];
said.stop = need(await engine.stop(attempt_id, 'enough')).message;
said.stopped = need(await engine.showAttempt(attempt_id)).failure_class;
said.delete = need(await engine.deleteWorld('again')).world;
said.deleted = (await engine.showWorld('again')).problems[0].code;
const tested = need(await engine.test([root + '/letters']));
said.test = [tested.ok, tested.passed > 0];
await engine.close();

const shop = await open('tools');
need(await shop.createWorld('shop', root + '/tools/scenario.json'));
const [lost] = need(await shop.runTurns('shop')).turns;
const answer = { status: 'dispensed', remaining: 4, message: 'It dropped.' };
const { performed, left_in_doubt } = need(await shop.settle(lost.attempt_id, { answer, reason: 'I saw it' }));
said.settle = [lost.status, performed, left_in_doubt];
said.surfaces = need(await shop.showAttempt(lost.attempt_id)).operator_actions.map(({ surface }) => surface);
said.settled = need(await shop.runTurns('shop')).turns[0].status;
said.script = (await openEngine({ script: 'no-script' })).problems[0].code;
await shop.close();
console.log(JSON.stringify(said));
`;

describe('the packed package, installed in an empty folder', { timeout: 600_000 }, () => {
  let model: ScriptedModel;
  const opened = install();
  before(async () => {
    const { folder } = await opened;
    const answers = await loadAnswers(join(folder, 'lighthouse', 'answers.json'), () => []);
    assert.ok(answers.ok);
    model = await startScriptedModel(answers.value);
  });
  after(async () => {
    await model.close();
    await (await opened).end();
  });

  const inFolder = async (file: string, words: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const { folder } = await opened;
    const { PATH = '', HOME = '' } = process.env;
    const env = { PATH, HOME, CHUKWA_LLM_BASE_URL: model.url, CHUKWA_DATA_DIR: join(folder, 'data'), ...more };
    return run(file, words, { cwd: folder, env }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }: Ended) => ({ code, stdout, stderr }),
    );
  };

  test('the program of docs/library.md runs as it is written, and lights the lamp', async () => {
    const { code, stdout } = await inFolder(process.execPath, [...FIRST_COMPILED, 'keeper.mjs']);
    assert.equal(code, 0);
    assert.match(stdout, /^turn 1 committed: Ada sees the fog/m);
    assert.match(stdout, /^lamp: burning$/m);
    const again = await inFolder(process.execPath, [...FIRST_COMPILED, 'keeper.mjs']);
    assert.match(again.stdout, /^turn 2 /m, 'the world that is there goes on');
  });

  test('an engine leaves the process of its host alone', async () => {
    const { code, stdout } = await inFolder(process.execPath, [...FIRST_COMPILED, 'host.mjs']);
    const { made, status, looks } = JSON.parse(stdout) as {
      readonly made: boolean;
      readonly status: string;
      readonly looks: readonly string[];
    };
    assert.deepEqual([made, status], [true, 'committed']);
    assert.equal(looks.length, 1, looks.join('\n'));
    assert.equal(code, 7, 'what the host throws is its own');
  });

  test('a program forks, reports, stops, settles, tests and deletes, with a scripted model', async () => {
    const toys = await startToys();
    misbehave(toys.vending, 'reset_connection');
    const { code, stdout, stderr } = await inFolder(
      process.execPath,
      [...FIRST_COMPILED, 'functions.mjs'],
      toys.variables,
    );
    await toys.close();
    assert.equal(code, 0, stderr);
    assert.deepEqual(JSON.parse(stdout), {
      report: true,
      reported: 'committed',
      fork: 'again',
      stop: 'The attempt has been stopped.',
      stopped: 'stopped',
      delete: 'again',
      deleted: 'WORLD_UNKNOWN',
      test: [true, true],
      settle: ['failed', true, 0],
      surfaces: ['library'],
      settled: 'committed',
      script: 'SCRIPT_UNKNOWN',
    });
  });

  test('npx chukwa runs the park', async () => {
    const park = await inFolder('npx', ['--no-install', 'chukwa', 'park', '--turns', '1']);
    assert.match(park.stdout, /turn 1 committed/);
  });

  test('the package holds no tests, tools or build records', async () => {
    const { folder } = await opened;
    const home = join(folder, 'node_modules', 'chukwa');
    assert.deepEqual((await readdir(home)).toSorted(), [
      'LICENSE',
      'README.md',
      'dist',
      'docs',
      'fixtures',
      'migrations',
      'package.json',
      'schemas',
      'workflows',
    ]);
    assert.deepEqual((await readdir(join(home, 'dist'))).toSorted(), [
      'engine',
      'fixtures',
      'plugins',
      'template.tar.gz',
      'template.tar.gz.digest',
    ]);
  });
});

/** Packs, installs, and writes the files of the pages. */
async function install() {
  const ends: (() => unknown)[] = [];
  const folder = await makeFolder({ after: (end: () => unknown) => void ends.push(end) });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'host', private: true, type: 'module' }));
  const packed = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], { cwd: ROOT });
  const tarball = /"filename":\s*"([^"]+\.tgz)"/.exec(packed.stdout)?.[1] ?? '';
  await unpack(tarball, folder);
  const program = join(folder, 'node_modules', '.bin', 'chukwa');
  await run(process.execPath, [...FIRST_COMPILED, program, 'new', 'world', 'lighthouse'], { cwd: folder });
  await writeFile(join(folder, 'keeper.mjs'), keeperOf(await readFile(join(ROOT, 'docs', 'library.md'), 'utf8')));
  await writeFile(join(folder, 'host.mjs'), HOST);
  await writeFile(join(folder, 'functions.mjs'), FUNCTIONS);
  return { folder, end: async () => Promise.all(ends.map((end) => end())) };
}

/**
 * Does what `npm install` does with a tarball, for a tenth of the CPU. Packages of the checkout are linked, but none
 * that only its development needs: an import of one fails here as it fails for everybody.
 */
async function unpack(tarball: string, folder: string): Promise<void> {
  const modules = join(folder, 'node_modules');
  const home = join(modules, 'chukwa');
  await mkdir(home, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', home, '--strip-components=1'], { cwd: folder });
  const lock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: true }>>;
  };
  for (const [place, { dev }] of Object.entries(lock.packages)) {
    if (dev || !/^node_modules\/(@[^/]+\/)?[^/]+$/.test(place)) continue;
    await mkdir(dirname(join(folder, place)), { recursive: true });
    await symlink(join(ROOT, place), join(folder, place));
  }
  const { bin } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as {
    readonly bin: Readonly<Record<string, string>>;
  };
  await mkdir(join(modules, '.bin'));
  for (const [name, program] of Object.entries(bin)) {
    await chmod(join(home, program), 0o755);
    await symlink(join(home, program), join(modules, '.bin', name));
  }
}

/** The program that the page shows. */
function keeperOf(page: string): string {
  return /^\*\*`keeper\.mjs`\*\*\n\n```js\n(.*?)^```$/ms.exec(page)?.[1] ?? assert.fail('the page shows no program');
}
