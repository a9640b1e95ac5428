import assert from 'node:assert/strict';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { compose } from '../../engine/main.js';
import type { RunReport } from '../../engine/operations/running/run-turns.js';
import type { ShownWorld } from '../../engine/operations/worlds/worlds.js';
import type { AttemptRecord } from '../../engine/ports/records.js';
import { userName } from '../../engine/operations/people/person-here.js';
import { runCommandLine } from '../../engine/surfaces/cli/command-line.js';
import { emptyDatabase } from '../support/databases.js';
import { copyFolder, ROOT } from '../support/park-stage.js';
import { openTestTerminal } from '../surfaces/cli/test-terminal.js';
import { makeFolder } from '../support/folder.js';

const database = await emptyDatabase({ after });
// A world of documents that its author keeps editing.
const folder = await makeFolder({ after });
const variables = () => ({ CHUKWA_DATA_DIR: join(folder, 'data'), ...database });
const file = (...names: readonly string[]) => join(folder, 'workflows', ...names);

before(async () => {
  copyFolder(join(ROOT, 'workflows', 'simple'), file('simple'));
  for (const shared of ['sources', 'prompts']) copyFolder(join(ROOT, 'workflows', shared), file(shared));
});

async function chukwa(...words: readonly string[]) {
  const terminal = openTestTerminal({ working_folder: folder });
  const code = await runCommandLine(await compose(variables()), words, terminal);
  return { code, out: terminal.out_text(), error: terminal.error_text() };
}

async function edit(path: string, change: (text: string) => string): Promise<void> {
  const text = await readFile(path, 'utf8');
  const changed = change(text);
  assert.notEqual(changed, text, 'the edit changes nothing');
  await writeFile(path, changed);
}

const scenario = () => ['--scenario', file('simple', 'scenario.json'), '--root', file()] as const;
const run = async (...words: readonly string[]): Promise<RunReport> => {
  const { code, out, error } = await chukwa('run', 'pond', '--script', 'simple', '--json', ...words);
  assert.equal(code, 0, error);
  return JSON.parse(out) as RunReport;
};
const show = async () => JSON.parse((await chukwa('world', 'show', 'pond', '--json')).out) as ShownWorld;
const scenarioOf = async ({ turns: [turn] }: RunReport): Promise<string> => {
  const { out } = await chukwa('attempt', turn?.attempt_id ?? '', '--json');
  return (JSON.parse(out) as AttemptRecord).scenario_hash;
};

test('run names the edited files once, and adopts them only on request', async () => {
  const made = await chukwa('world', 'create', 'pond', ...scenario());
  assert.equal(made.code, 0, made.error);
  const first = await run();
  assert.equal(first.edited_files, undefined);
  const first_hash = await scenarioOf(first);
  await edit(file('simple', 'workflow.json'), (text) => `${text}\n`);
  assert.equal((await run()).edited_files, undefined, 'white space is no edit of a document');
  await edit(file('simple', 'workflow.json'), (text) => text.trimEnd().concat('\n'));

  await edit(file('prompts', 'plain.user.md'), (text) => text.replace('What does', 'What on earth does'));
  const ran = await chukwa('run', 'pond', '--script', 'simple');
  assert.equal(ran.code, 0, ran.error);
  assert.match(ran.out, /This file has changed since[^\n]*:\n {2}workflows\/prompts\/plain\.user\.md\n/);
  assert.equal(ran.out.split('workflows/prompts/plain.user.md').length, 2);
  assert.match(
    ran.out,
    /To adopt what it says: npx chukwa run pond --script simple --scenario workflows\/simple\/scenario\.json --root workflows\n/,
  );
  assert.equal((await show()).scenario_hash, first_hash);

  const adopted = await run(...scenario());
  assert.equal(adopted.edited_files, undefined);
  assert.equal(adopted.scenario_adopted_from_turn, 4);
  const shown = await show();
  assert.notEqual(shown.scenario_hash, first_hash);
  assert.equal(await scenarioOf(adopted), shown.scenario_hash);
  assert.deepEqual(
    shown.scenarios.map(({ from_turn, scenario_hash }) => [from_turn, scenario_hash]),
    [
      [1, first_hash],
      [4, shown.scenario_hash],
    ],
  );
  assert.match((await chukwa('world', 'show', 'pond')).out, /from turn 4 +scenario simple/);
  const after_it = await run();
  assert.deepEqual([after_it.edited_files, after_it.scenario_adopted_from_turn], [undefined, undefined]);
  for (const hash of [first_hash, shown.scenario_hash])
    assert.match((await chukwa('uses', 'scenario', hash)).out, /pond/);
});

test('files that were moved have not changed: nothing is to be adopted from where they were', async () => {
  await rename(file('simple'), file('moved'));
  assert.equal((await run()).edited_files, undefined);
  await rename(file('moved'), file('simple'));
});

test('run --scenario says from which turn on the world goes by the new scenario, in the head of the run', async () => {
  await edit(file('prompts', 'plain.user.md'), (text) => text.replace('What on earth does', 'What then does'));
  const ran = await chukwa('run', 'pond', '--script', 'simple', ...scenario());
  assert.equal(ran.code, 0, ran.error);
  assert.match(ran.out, /^The new scenario is adopted from turn 7 on\.$/m);
  const again = await chukwa('run', 'pond', '--script', 'simple', ...scenario());
  assert.doesNotMatch(again.out, /adopted/, 'a scenario that the world has already is not adopted again');
});

test('run --queue --scenario says from which turn on the world adopts the new scenario, too', async () => {
  await edit(file('prompts', 'plain.user.md'), (text) => text.replace('What then does', 'And what does'));
  const queued = await chukwa('run', 'pond', '--queue', ...scenario());
  assert.match(queued.out, /^The new scenario is adopted from turn 9 on\.\nQueued 1 turn of pond\.\n/, queued.error);
  const again = await chukwa('run', 'pond', '--queue', ...scenario());
  assert.match(again.out, /^Queued 1 turn of pond; with earlier ones, 2 are queued\.\n/);
  assert.equal((await chukwa('stop', 'pond', '--queued')).code, 0);
});

test('an edited scenario with another roster or time is refused at its place, and the world stays as it is', async () => {
  const before_it = await show();
  const original = await readFile(file('simple', 'scenario.json'), 'utf8');
  await edit(file('simple', 'scenario.json'), (text) => text.replace(/"chronon_seconds": \d+/, '"chronon_seconds": 7'));
  const { code, error } = await chukwa('run', 'pond', '--script', 'simple', ...scenario());
  await writeFile(file('simple', 'scenario.json'), original);
  assert.equal(code, 1);
  assert.match(error, /^workflows\/simple\/scenario\.json:\d+:\d+ {2}SCENARIO_DIFFERS {2}chronon_seconds is 7/m);
  assert.deepEqual(await show(), before_it);
});

test('an exported world keeps its lineage, and leaves the paths of its files behind', async (context) => {
  const { scenarios } = await show();
  const moved = join(folder, 'pond.jsonl');
  assert.equal((await chukwa('world', 'export', 'pond', '--out', moved)).code, 0);
  assert.equal((await readFile(moved, 'utf8')).includes(folder), false);
  const elsewhere = openTestTerminal({ working_folder: folder });
  const there = await compose(await emptyDatabase(context));
  assert.equal(await runCommandLine(there, ['world', 'import', moved], elsewhere), 0, elsewhere.error_text());
  const shown = openTestTerminal({ working_folder: folder });
  assert.equal(await runCommandLine(there, ['world', 'show', 'pond', '--json'], shown), 0);
  assert.deepEqual((JSON.parse(shown.out_text()) as ShownWorld).scenarios, scenarios);
});

test('world delete asks at a terminal, and elsewhere wants --yes', async () => {
  const at = async (types: readonly string[] | undefined, ...words: readonly string[]) => {
    const terminal = openTestTerminal({ working_folder: folder, ...(types === undefined ? {} : { types }) });
    const code = await runCommandLine(await compose(variables()), ['world', 'delete', 'pond', ...words], terminal);
    return { code, out: terminal.out_text(), error: terminal.error_text(), asked: terminal.asked };
  };
  const unasked = await at(undefined);
  assert.equal(unasked.code, 2);
  assert.match(unasked.error, /Add --yes/);
  const unwilling = await at(['n']);
  assert.deepEqual([unwilling.code, unwilling.asked.length], [0, 1]);
  assert.match(unwilling.out, /Nothing was deleted/);
  assert.equal((await show()).world_slug, 'pond');
  assert.match((await at(['y'], '--reason', 'it is over')).out, /Deleted pond/);
  const gone = await at(undefined, '--yes');
  assert.match(gone.error, /WORLD_UNKNOWN/);
  assert.ok(
    gone.error.replace(/\s+/g, ' ').includes(`There is no world "pond". ${userName()} deleted it at 20`),
    gone.error,
  );
});

test('a fork, a world that is shown and a page take the scenario that the turn had, and say which', async () => {
  const at = async (slug: string, ...words: readonly string[]) =>
    JSON.parse((await chukwa('world', 'show', slug, ...words, '--json')).out) as ShownWorld;
  const play = async (slug: string, ...words: readonly string[]) => {
    const { code, error } = await chukwa('run', slug, '--script', 'simple', ...words);
    assert.equal(code, 0, error);
  };
  await chukwa('world', 'create', 'brook', ...scenario());
  await play('brook', '--turns', '2');
  for (const asks of ['What now does', 'So what does']) {
    await edit(file('prompts', 'plain.user.md'), (text) => text.replace(/\w+ \w+ does/, asks));
    await play('brook', ...scenario());
  }
  const { scenarios, turn: last } = await at('brook');
  const [first, second, third] = scenarios.map(({ scenario_hash }) => scenario_hash);
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  const played = JSON.parse((await chukwa('attempts', 'brook', '--json')).out) as { attempts: AttemptRecord[] };
  for (const { attempted_turn, attempt_id } of played.attempts) {
    const { out } = await chukwa('attempt', attempt_id, '--json');
    const attempt = JSON.parse(out) as AttemptRecord;
    assert.equal(
      (await at('brook', '--turn', `${attempted_turn}`)).scenario_hash,
      attempt.scenario_hash,
      `turn ${attempted_turn}`,
    );
  }
  assert.equal((await at('brook', '--turn', '0')).scenario_hash, first);

  const forked = await chukwa('world', 'fork', 'brook', '--at', '2', '--as', 'child', '--reason', 'what if');
  assert.equal(forked.code, 0, forked.error);
  const said = forked.out.replaceAll(/\s+/g, ' ');
  assert.ok(said.includes(`fork of brook at turn 2, by the scenario simple (${first.slice(0, 12)}) of turn 2.`), said);
  assert.ok(said.includes(`brook now has the scenario simple (${third.slice(0, 12)})`), said);
  const fork = async (...words: readonly string[]) => {
    const { out, error } = await chukwa('world', 'fork', ...words, '--json');
    assert.equal(error, '');
    return (JSON.parse(out) as ShownWorld).scenario_hash;
  };
  assert.equal(await fork('brook', '--at', `${last}`, '--as', 'latest'), third);
  assert.equal(await fork('brook', '--at', '2', '--as', 'named', '--scenario', second), second);
  assert.equal(await fork('child', '--at', '1', '--as', 'grandchild'), first);
  assert.equal(await fork('named', '--at', '2', '--as', 'of-named'), first, 'turn 2 was played before the fork');
  const ran = await chukwa('run', 'named', '--script', 'simple');
  assert.equal(ran.code, 0, ran.error);
  assert.equal(await fork('named', '--at', '3', '--as', 'of-named-later'), second);
  assert.equal(await fork('brook', '--at', '0', '--as', 'from-the-start'), first);
  assert.equal((await at('from-the-start', '--turn', '0')).scenario_hash, first);
});
