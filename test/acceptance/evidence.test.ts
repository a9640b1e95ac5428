import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Outcome } from '../../engine/contract/problem.js';
import { compose } from '../../engine/main.js';
import type { MadeCheckpoint } from '../../engine/operations/evidence/checkpoint.js';
import { serve } from '../../engine/operations/serving/serve.js';
import { runCommandLine } from '../../engine/surfaces/cli/command-line.js';
import { startToys } from '../../fixtures/toys/index.js';
import { scriptPath, startScriptedModel } from '../../fixtures/toys/scripted-model/index.js';
import type { Answers } from '../../engine/generated/answers.js';
import { openTestDatabase } from '../support/databases.js';
import { copyFolder, ROOT } from '../support/park-stage.js';
import { openTestTerminal } from '../surfaces/cli/test-terminal.js';
import { makeFolder } from '../support/folder.js';

type Variables = Readonly<Record<string, string>>;

interface Scene {
  readonly folder: string;
  readonly services: Variables;
  /** The words of a command. @returns what it printed on both outputs */
  chukwa(words: readonly string[], where: Variables, code?: number): Promise<string>;
  /** The same with `--json`. */
  json<Value>(words: readonly string[], where: Variables): Promise<Value>;
  /** A world after its first turn. */
  play(where: Variables): Promise<void>;
}

async function open(t: TestContext): Promise<Scene> {
  const folder = await makeFolder(t);
  const script = JSON.parse(await readFile(scriptPath(ROOT, 'park'), 'utf8')) as Answers;
  const [toys, model] = await Promise.all([startToys(), startScriptedModel(script)]);
  t.after(() => Promise.all([toys.close(), model.close()]));
  const services = { ...toys.variables, CHUKWA_LLM_BASE_URL: model.url, CHUKWA_LLM_API_KEY: 'loopback-needs-no-key' };
  const run = async (words: readonly string[], where: Variables, code: number) => {
    const terminal = openTestTerminal({ working_folder: folder });
    const composition = await compose({ ...services, XDG_CONFIG_HOME: join(folder, 'user'), ...where });
    assert.equal(await runCommandLine(composition, words, terminal), code, terminal.error_text());
    return terminal;
  };
  const chukwa: Scene['chukwa'] = async (words, where, code = 0) => {
    const terminal = await run(words, where, code);
    return terminal.out_text() + terminal.error_text();
  };
  const workflows = join(ROOT, 'workflows');
  return {
    folder,
    services,
    chukwa,
    json: async (words, where) => JSON.parse((await run([...words, '--json'], where, 0)).out_text()) as never,
    async play(where) {
      await chukwa(['world', 'create', 'park', '--scenario', join(workflows, 'park'), '--root', workflows], where);
      await chukwa(['run', 'park'], where);
    },
  };
}

/** What both verifiers say of a file, without a database. */
async function verifyTwice({ chukwa, folder }: Scene, file: string, key: string): Promise<string> {
  const program = join(ROOT, 'docs', 'verify.py');
  const python = spawnSync('python3', ['-I', program, join(folder, file), '--key', key], { encoding: 'utf8' });
  const ours = await chukwa(['evidence', 'verify', file, '--key', key], { CHUKWA_DATA_DIR: join(folder, 'none') });
  if (python.error === undefined) {
    assert.equal(python.status, 0, python.stdout + python.stderr);
    assert.equal(ours.split('\n')[0], python.stdout.split('\n')[0]);
  }
  return ours;
}

test('a park is proved by files, its restored back-up signs nothing, and its removal is found', {
  timeout: 300_000,
}, async (t) => {
  const scene = await open(t);
  const { chukwa, json, folder } = scene;
  const anchor = join(folder, 'anchor.txt');
  const here = { CHUKWA_DATA_DIR: join(folder, 'here'), CHUKWA_ANCHOR: anchor };
  await scene.play(here);
  const { key, checkpoint } = await json<MadeCheckpoint>(['checkpoint'], here);
  assert.equal(await readFile(anchor, 'utf8'), checkpoint);
  const key_file = join(here.CHUKWA_DATA_DIR, 'signing-key.pem');
  assert.equal((await stat(key_file)).mode & 0o777, 0o600);

  const { attempt_id = '' } =
    (await json<{ attempts: { attempt_id: string }[] }>(['attempts', 'park'], here)).attempts[0] ?? {};
  const whole = ['evidence', 'park', '--output', 'park.json'];
  const printed = await chukwa(whole, here);
  assert.match(
    printed,
    /It holds: world park, with 1 seal over \d+ entries\.\nIt shows 9 texts, and has of 0 the hash alone\./,
  );
  await chukwa(['evidence', attempt_id, '--output', 'attempt.json'], here);
  await chukwa([...whole.slice(0, 3), 'hidden.json', '--redact', 'prompts,answers,patches'], here);
  await chukwa(['evidence', 'proof', 'park', 'Ant', '--output', 'ant.tlog-proof'], here);
  assert.match(await verifyTwice(scene, 'park.json', key), /Signed by the key that was given/);
  assert.match(await verifyTwice(scene, 'attempt.json', key), new RegExp(`attempt ${attempt_id} of world park`));
  assert.match(await verifyTwice(scene, 'hidden.json', key), /It shows 0 texts/);
  assert.match(
    await verifyTwice(scene, 'ant.tlog-proof', key),
    /turn 1 of world park gave ant this state, by patch 2, of ant:/,
  );
  assert.match(await chukwa(whole, here, 1), /FILE_EXISTS/);
  assert.match(await chukwa(['evidence', 'proof', 'park', 'plate', '--output', 'x'], here, 1), /NOTHING_TO_PROVE/);
  const secret = (await readFile(key_file, 'utf8')).split('\n')[1] ?? '';
  for (const file of ['park.json', 'ant.tlog-proof', 'anchor.txt'])
    assert.ok(!(await readFile(join(folder, file), 'utf8')).includes(secret));

  copyFolder(here.CHUKWA_DATA_DIR, join(folder, 'back-up'));
  await chukwa(['run', 'park'], here);
  assert.equal((await json<MadeCheckpoint>(['checkpoint'], here)).tree_size, 2);
  const restored = { ...here, CHUKWA_DATA_DIR: join(folder, 'back-up') };
  assert.match(
    await chukwa(['checkpoint'], restored, 1),
    /has 2 seals, and the log of this database only 1\.[^]*LOG_SHRUNK/,
  );
  // Another second turn than the one that was signed.
  await chukwa(['run', 'park'], restored);
  assert.match(await chukwa(['checkpoint'], restored, 1), /The first 2 seals of the log are not those[^]*LOG_SHRUNK/);

  await chukwa(['world', 'delete', 'park', '--yes'], here);
  const { missing } = await json<MadeCheckpoint>(['checkpoint'], here);
  assert.deepEqual(missing, [{ world_slug: 'park', how: 'removed', seals: 2 }]);
  assert.match(await chukwa(['evidence', 'park', '--output', 'gone.json'], here), /The world was removed: of 2 seals/);
  await verifyTwice(scene, 'gone.json', key);
  await verifyTwice(scene, 'ant.tlog-proof', key);
});

test('on a server the operator names the key and an anchor, whose failure is said and made up for', {
  timeout: 300_000,
}, async (t) => {
  const database = await openTestDatabase('PostgreSQL');
  t.after(() => database.close());
  const scene = await open(t);
  const { chukwa, json, folder } = scene;
  const server = { CHUKWA_DATA_DIR: join(folder, 'none'), CHUKWA_DATABASE_URL: database.url ?? '' };
  await scene.play(server);
  assert.match(await chukwa(['checkpoint'], server, 4), /CHUKWA_SIGNING_KEY names no file[^]*SIGNING_KEY_UNUSABLE/);
  const key_file = join(folder, 'keys', 'signing.pem');
  const named = { ...server, CHUKWA_SIGNING_KEY: key_file };
  await chukwa(['checkpoint'], named);
  assert.equal((await stat(key_file)).mode & 0o777, 0o600);
  await chmod(key_file, 0o640);
  assert.match(await chukwa(['checkpoint'], named, 4), /other users may read[^]*SIGNING_KEY_UNUSABLE/);
  await chmod(key_file, 0o600);

  const kept = join(folder, 'kept.txt');
  const failing = { ...named, CHUKWA_ANCHOR: '| cat > /dev/null; exit 3' };
  assert.match(await chukwa(['checkpoint'], failing, 4), /its command ended with 3[^]*ANCHOR_FAILED/);
  const anchored = { ...named, CHUKWA_ANCHOR: `| cat > '${kept}'` };
  const { checkpoint } = await json<MadeCheckpoint>(['checkpoint'], anchored);
  assert.equal(await readFile(kept, 'utf8'), checkpoint);

  await rm(kept);
  const made = await serveUntilCheckpoint({ ...scene.services, ...anchored, XDG_CONFIG_HOME: join(folder, 'user') });
  assert.ok(made.ok);
  assert.equal(await readFile(kept, 'utf8'), made.value.checkpoint);
});

/** Serves until the first checkpoint. */
async function serveUntilCheckpoint(variables: Variables): Promise<Outcome<MadeCheckpoint>> {
  const ended = new AbortController();
  const made: Outcome<MadeCheckpoint>[] = [];
  const served = await serve(await compose(variables), {
    place: { port: 0 },
    concurrency: 1,
    grace_ms: 1_000,
    lease_ms: 10_000,
    signal: ended.signal,
    onEvent: () => {},
    onReady: () => {},
    onCheckpoint: (done) => {
      made.push(done);
      ended.abort();
    },
  });
  assert.ok(served.ok);
  const [first] = made;
  assert.ok(first !== undefined);
  return first;
}

test('a record, a seal or a log that somebody has altered in the database proves nothing', {
  timeout: 300_000,
}, async (t) => {
  const database = await openTestDatabase('PostgreSQL');
  t.after(() => database.close());
  const scene = await open(t);
  const { chukwa, json, folder } = scene;
  const named = {
    CHUKWA_DATA_DIR: join(folder, 'none'),
    CHUKWA_DATABASE_URL: database.url ?? '',
    CHUKWA_SIGNING_KEY: join(folder, 'signing.pem'),
  };
  await scene.play(named);
  await chukwa(['checkpoint'], named);
  const asSuperuser = async (text: string) => {
    await database.outside?.query(`SET session_replication_role = replica`);
    await database.outside?.query(text);
    await database.outside?.query(`SET session_replication_role = DEFAULT`);
  };
  await asSuperuser(`UPDATE world_patches SET narration = narration || '!' WHERE patch_seq = 2`);
  assert.match(await chukwa(['evidence', 'park', '--output', 'x.json'], named, 1), /RECORD_UNSEALED/);
  await asSuperuser(`UPDATE world_patches SET narration = rtrim(narration, '!') WHERE patch_seq = 2`);
  await chukwa(['evidence', 'park', '--output', 'park.json'], named);

  await asSuperuser(`UPDATE seals SET root = sha256(root)`);
  const { missing } = await json<MadeCheckpoint>(['checkpoint'], named);
  assert.deepEqual(missing, [{ world_slug: 'park', how: 'altered', seals: 1 }]);
  await asSuperuser(`DELETE FROM log_leaves; DELETE FROM seals`);
  assert.match(await chukwa(['checkpoint'], named, 1), /in the database has 1 seals[^]*LOG_SHRUNK/);

  const file = join(folder, 'park.json');
  await writeFile(file, (await readFile(file, 'utf8')).replace('SESSION_ENDED', 'SESSION_ENDEE'));
  assert.match(
    await chukwa(['evidence', 'verify', 'park.json'], {}, 1),
    /at \/seals\/0\/entries\/\d+[^]*EVIDENCE_ALTERED/,
  );
});
