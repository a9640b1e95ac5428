import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { compose } from '../../engine/main.js';
import type { WorldAttempts } from '../../engine/operations/browse/records.js';
import type { AttemptSummary } from '../../engine/ports/records.js';
import { runCommandLine } from '../../engine/surfaces/cli/command-line.js';
import { sumCosts } from '../../engine/core/cost/cost.js';
import { attemptListLines } from '../../engine/surfaces/cli/render/attempt.js';
import { paint } from '../../engine/surfaces/cli/render/paint.js';
import { emptyDatabase } from '../support/databases.js';
import { copyFolder, ROOT } from '../support/park-stage.js';
import { openTestTerminal } from '../surfaces/cli/test-terminal.js';

const database = await emptyDatabase({ after });
let folder = '';

const chukwa = (...words: readonly string[]) => chukwaWith({}, ...words);

async function chukwaWith(others: Readonly<Record<string, string>>, ...words: readonly string[]) {
  const terminal = openTestTerminal({ working_folder: folder });
  // Nobody listens there: the model is out of reach, which is a transient failure.
  const variables = {
    CHUKWA_DATA_DIR: join(folder, 'data'),
    ...database,
    CHUKWA_LLM_BASE_URL: 'http://127.0.0.1:9/v1',
    ...others,
  };
  const code = await runCommandLine(await compose(variables), words, terminal);
  return { code, out: terminal.out_text(), error: terminal.error_text() };
}

let failed = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chukwa-attempts-'));
  copyFolder(join(ROOT, 'fixtures/templates/agent'), join(folder, 'tower'));
  const made = await chukwa('world', 'create', 'tower', '--scenario', 'tower/scenario.json');
  assert.equal(made.code, 0, made.error);
  // The model of a new world has retries after a failure in transport; this test need not wait for them.
  const model = JSON.parse(await readFile(join(folder, 'tower/model.json'), 'utf8')) as { readonly retry?: unknown };
  const { retry: _, ...impatient } = model;
  await writeFile(join(folder, 'tower/model.json'), JSON.stringify(impatient));
  failed = (await chukwa('run', 'tower', '--scenario', 'tower/scenario.json', '--tools', '', '--connections', '')).out;
  const committed = await chukwa('run', 'tower', '--script', 'tower/answers.json', '--llm', 'scripted');
  assert.equal(committed.code, 0, committed.error);
});

test('a turn that failed for something transient says how a run tries it again, and how a source does', () => {
  assert.match(failed, /npx chukwa run tower --tools '' --connections '' --retries 5\s/);
  assert.match(failed, /"retry"/);
});

test('a run without a key names the ways to run the world without a model, with its other options', async () => {
  await chukwa('world', 'create', 'keyless', '--scenario', 'tower/scenario.json');
  const { out } = await chukwaWith({ CHUKWA_LLM_BASE_URL: '' }, 'run', 'keyless', '--tools', '');
  assert.match(out, /no key is set/);
  assert.match(out, /npx chukwa run keyless --tools '' --llm scripted --script FILE/);
  assert.match(out, /npx chukwa run keyless --tools '' --llm ask/);
});

test('a failure of a call is reported once', () => {
  assert.match(failed, /turn 1 failed, transport\n +subject /);
  assert.equal(failed.split('refused the connection').length, 2, failed);
});

test('a run of which no turn is told yet does not lead to the story of its world', () => {
  assert.match(failed, /npx chukwa world show tower/);
  assert.doesNotMatch(failed, /world story/);
});

test('the sources of the models of new worlds say which failures are tried again', async () => {
  for (const shape of ['agent', 'place', 'village']) {
    const text = await readFile(join(ROOT, 'fixtures/templates', shape, 'model.json'), 'utf8');
    const { retry } = JSON.parse(text) as { readonly retry?: { readonly on: readonly string[] } };
    assert.deepEqual(retry?.on, ['timeout', 'transport', 'http_429', 'http_5xx'], shape);
  }
});

const CASES: readonly (readonly [words: readonly string[], statuses: readonly string[]])[] = [
  [[], ['committed', 'failed']],
  [['--status', 'failed'], ['failed']],
  [['--status', 'committed', '--turn', '1'], ['committed']],
  [['--turn', '2'], []],
  [['--failure', 'transport'], ['failed']],
  [['--failure', 'timeout'], []],
];

for (const [words, statuses] of CASES)
  test(`attempts ${words.join(' ')} lists ${statuses.join(' and ') || 'none'}`, async () => {
    const listed = JSON.parse((await chukwa('attempts', 'tower', '--json', ...words)).out) as WorldAttempts;
    assert.deepEqual(
      listed.attempts.map(({ status }) => status),
      statuses,
    );
  });

test('a list of attempts that a filter leaves empty says so, and suggests no run', async () => {
  const { out } = await chukwa('attempts', 'tower', '--turn', '2');
  assert.match(out, /^No attempt of tower fits\.$/m);
});

test('attempts refuses a status that no attempt has', async () => {
  assert.equal((await chukwa('attempts', 'tower', '--status', 'broken')).code, 2);
});

const FAILED: AttemptSummary = {
  attempt_id: '01890a5d-ac96-774b-bcce-b302099a8057',
  world_slug: 'tower',
  attempted_turn: 1,
  status: 'failed',
  failure_class: 'a_class_of_a_plugin_that_has_a_very_long_name',
  failure_message: null,
  failed_subject_entity_id: null,
  failed_node_id: null,
  failed_source_invocation_id: null,
  source_invocation_count: 3,
  calls_in_doubt: 2,
  is_driven: false,
  started_at: '2026-05-01T09:00:00Z',
  ended_at: null,
};

function summarise(attempt: AttemptSummary): string {
  const cost = sumCosts([], () => null);
  const lines = attemptListLines({
    world_slug: 'tower',
    attempts: [{ ...attempt, cost }],
    queued_turns: 0,
    put_off: null,
  });
  return paint(lines, { width: 160, has_colours: false, program: 'npx chukwa' });
}

test('a list of attempts says of an open one without a driver that the next run goes on with it', () => {
  const open = { ...FAILED, status: 'running', failure_class: null, calls_in_doubt: 0 } as const;
  assert.match(
    summarise(open),
    / driver gone .*\n\nThe driver of turn 1 is gone\. .*\n +npx chukwa run tower .*\n[^]*--llm ask .*\n$/,
  );
  assert.match(summarise({ ...open, is_driven: true }), / running /);
  assert.doesNotMatch(summarise({ ...open, is_driven: true }), /gone/);
});

test('a list of attempts cuts a long failure, so that the columns behind it keep their place', () => {
  const text = summarise(FAILED);
  assert.match(text, /a_class_of_a_plugin_that_has_a_very\S*… +3 /);
  assert.doesNotMatch(text, /long_name/);
});

test('a turn that used up its retries says so, and is not offered for a retry', async () => {
  const { out } = await chukwa('run', 'tower', '--retries', '1');
  assert.match(out, /This failure outlasted 1 retry\./);
  assert.doesNotMatch(out, /"retry"/);
});
