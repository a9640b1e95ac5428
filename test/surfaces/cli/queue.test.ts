import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { compose } from '../../../engine/main.js';
import { runCommandLine } from '../../../engine/surfaces/cli/command-line.js';
import { emptyDatabase } from '../../support/databases.js';
import { openTestTerminal } from './test-terminal.js';
import { makeFolder } from '../../support/folder.js';

const database = await emptyDatabase({ after });
const data = await makeFolder({ after });

async function chukwa(words: string) {
  const terminal = openTestTerminal();
  const code = await runCommandLine(await compose({ CHUKWA_DATA_DIR: data, ...database }), words.split(' '), terminal);
  return { code, out: terminal.out_text(), error: terminal.error_text() };
}

async function makeWorld(slug: string): Promise<void> {
  const made = await chukwa(`world create ${slug} --scenario workflows/simple/scenario.json`);
  assert.equal(made.code, 0, made.error);
}

const QUEUED =
  /3 turns are queued, for a worker to run: npx chukwa worker\.\nTake back: +npx chukwa stop busy --queued\n/;

test('queued turns are shown wherever their world is shown, and can be removed', async () => {
  await makeWorld('busy');
  assert.doesNotMatch((await chukwa('world list')).out, /queued/);
  assert.equal((await chukwa('run busy --queue')).out.split('\n')[0], 'Queued 1 turn of busy.');
  const queued = await chukwa('run busy --queue --turns 2');
  assert.match(queued.out, /^Queued 2 turns of busy; with earlier ones, 3 are queued\.\n/);
  const attempts = await chukwa('attempts busy');
  assert.match(attempts.out, /^No turn of busy has been tried yet\.\n/);
  assert.match(attempts.out, QUEUED);
  assert.match((await chukwa('world show busy')).out, QUEUED);
  assert.match((await chukwa('world list')).out, /scenario +queued\n +0 +busy +queued .* 3\n/);
  const taken = await chukwa('stop busy --queued');
  assert.deepEqual([taken.code, taken.out], [0, 'Took back 3 turns of busy.\n']);
  assert.equal(
    (await chukwa('stop busy --queued')).out,
    'Nothing changes (late): busy has no queued turn that has not begun.\n',
  );
  assert.match(
    (await chukwa('attempts busy')).out,
    /^No turn of busy has been tried. Try one:\n {2}npx chukwa run busy /,
  );
});

test('programs get the queue as well', async () => {
  await makeWorld('told');
  await chukwa('run told --queue --turns 2');
  for (const words of ['attempts told', 'world show told']) {
    const { queued_turns, put_off } = JSON.parse((await chukwa(`${words} --json`)).out) as Record<string, unknown>;
    assert.deepEqual([queued_turns, put_off], [2, null], words);
  }
  const { worlds } = JSON.parse((await chukwa('world list --json')).out) as { readonly worlds: readonly object[] };
  assert.deepEqual(
    worlds.flatMap((world) => ('world_slug' in world && world.world_slug === 'told' ? [world] : [])).map(toQueued),
    [2],
  );
  const taken: unknown = JSON.parse((await chukwa('stop told --queued --json')).out);
  assert.deepEqual(taken, { accepted: true, message: 'Took back 2 turns of told.', world: 'told' });
});

test('a turn that is queued in no world is refused', async () => {
  const refused = await chukwa('stop nowhere --queued');
  assert.equal(refused.code, 1);
  assert.match(refused.error, /There is no world "nowhere"/);
});

const toQueued = (world: object): unknown => ('queued_turns' in world ? world.queued_turns : undefined);
