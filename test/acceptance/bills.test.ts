import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { emptyDatabase } from '../support/databases.js';
import { ROOT } from '../support/park-stage.js';
import { runChukwa, runHere } from './command.js';
import { makeFolder } from '../support/folder.js';

// The scenario with a person in it, as the README runs it: between two commands nothing runs and nothing is connected.

const README = await readFile(join(ROOT, 'README.md'), 'utf8');

/** The commands of the README's section about it, in their order. */
const COMMANDS = [
  ...(/## A person decides\n[^]*?```sh\n([^]*?)```/.exec(README)?.[1] ?? '').matchAll(/^npx chukwa (.*)$/gm),
].map(([, words = '']) => words.replace(/ +#.*$/, ''));

/** @param run runs a command: each as a process of its own, or within this one */
async function openHouse(context: TestContext, run: typeof runChukwa) {
  const variables = { CHUKWA_DATA_DIR: await makeFolder(context), ...(await emptyDatabase(context)) };
  return async (line: string, code: number) => {
    const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    const ended = await run(words, variables);
    assert.equal(ended.code, code, `${line}\n${ended.stdout}\n${ended.stderr}`);
    return ended.stdout;
  };
}

describe('the scenario with a person in it', { timeout: 900_000 }, () => {
  test('the README has its commands: run, approve, resume, read', () => {
    assert.deepEqual(
      COMMANDS.map((words) => words.split(' ')[0]),
      ['park', 'approve', 'run', 'world'],
    );
  });

  test('a small bill is paid, a run suspends with 5 and says what waits, and an approval lets it finish', async (t) => {
    const chukwa = await openHouse(t, runChukwa);
    const [park = '', approve = '', run = '', story = ''] = COMMANDS;
    const suspended = await chukwa(park, 5);
    assert.match(suspended, /pay_bill \{amount: 480, payee: "Harbour Legal Services", .* for ida/);
    assert.match(suspended, /asked because the payee is none that the boatyard knows/);
    const [, id = ''] = / approve (\S+)/.exec(suspended) ?? [];
    assert.match(await chukwa(`approval ${id}`, 0), /waited +[\d.]+ m?s\n[^]*left +7\.0 days/);
    assert.match(suspended, new RegExp(` deny ${id} --reason TEXT`));
    assert.ok(suspended.includes(` ${run} resumes it`), suspended);
    await chukwa(approve.replace('ID', id), 0);
    const finished = await chukwa(run, 0);
    assert.match(finished, /turn 1 committed/);
    assert.match(await chukwa(story, 0), /Ida pays both bills/);
  });

  test('a denial gives the model the reason, and the turn goes on without the payment', async (t) => {
    const chukwa = await openHouse(t, runHere);
    const [park = '', , run = '', story = ''] = COMMANDS;
    const [, id = ''] = / approve (\S+)/.exec(await chukwa(park, 5)) ?? [];
    await chukwa(`deny ${id} --reason 'we never ordered that letter'`, 0);
    assert.match(await chukwa(run, 0), /we never ordered that letter/);
    assert.match(await chukwa(story, 0), /puts the lawyers' notice back into the tray, unpaid/);
  });
});
