import { execFileSync } from 'node:child_process';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { compose } from '../../../engine/main.js';
import type { RunReport } from '../../../engine/operations/running/run-turns.js';
import type { AttemptRecord, InvocationRecord } from '../../../engine/ports/records.js';
import { runCommandLine } from '../../../engine/surfaces/cli/command-line.js';
import { startScriptedModel } from '../../../fixtures/toys/scripted-model/index.js';
import { startToys, type Toys } from '../../../fixtures/toys/index.js';
import { emptyDatabase } from '../../support/databases.js';
import { loadScript } from '../../support/park-stage.js';
import { openTestTerminal } from './test-terminal.js';

const database = await emptyDatabase({ after });
const MOMENT = String.raw`\d{4}-\d\d-\d\d\s+\d\d:\d\d(:\d\d)?\s+UTC`;

const ANSWER = JSON.stringify({ status: 'answered', from: 'Emil', body: 'I come.', postage: 'paid' });
const NOBODY = '0198c3b0-0000-7000-8000-000000000000';

let data = '';
let toys: Toys;
let variables: Readonly<Record<string, string>> = {};
const closing: (() => Promise<unknown>)[] = [];

before(async () => {
  data = await mkdtemp(join(tmpdir(), 'chukwa-later-'));
  toys = await startToys();
  const model = await startScriptedModel(await loadScript('letters'));
  closing.push(
    () => toys.close(),
    () => model.close(),
    () => rm(data, { recursive: true, force: true }),
  );
  variables = {
    ...toys.variables,
    XDG_CONFIG_HOME: join(data, 'user'),
    CHUKWA_DATA_DIR: data,
    ...database,
    CHUKWA_LLM_BASE_URL: model.url,
    CHUKWA_LLM_API_KEY: 'loopback-needs-no-key',
  };
});
after(async () => {
  for (const close of closing) await close();
});

async function chukwa(...words: readonly string[]) {
  const terminal = openTestTerminal();
  const code = await runCommandLine(await compose(variables), words, terminal);
  return { code, out: terminal.out_text(), error: terminal.error_text() };
}

/** A world whose first turn rests until a letter is answered. */
async function makeSuspended(slug: string) {
  await chukwa('world', 'create', slug, '--scenario', 'workflows/letters/scenario.json');
  const ran = await chukwa('run', slug, '--json');
  const { turns, awaited } = JSON.parse(ran.out) as RunReport;
  const [[turn], [call]] = [turns, awaited ?? []];
  assert.ok(turn && call, ran.error);
  return { code: ran.code, attempt: turn.attempt_id, call: call.source_invocation_id, alias: call.correlation_alias };
}

test('a run of a suspended turn says each time which calls it awaits, their deadlines, and how to answer them', async () => {
  const { code, attempt, call, alias } = await makeSuspended('rests');
  assert.equal(code, 5);
  const again = await chukwa('run', 'rests');
  assert.equal(again.code, 5);
  assert.match(again.out, new RegExp(` 1 +suspended +0 +2 +${attempt}\n`));
  assert.match(again.out, toAwaited(alias));
  assert.match(again.out, toCommand(`report ${call} --result FILE`));
  assert.match(again.out, toCommand(`stop ${attempt}`));
  assert.match(again.out, toCommand(`attempt ${attempt}`));
  assert.match(again.out, /npx chukwa run rests resumes it, and so does a running worker or serve/);
});

test('a suspended attempt shows its deadline and the next commands on every page of the record', async () => {
  const { attempt, call, alias } = await makeSuspended('looked-at');
  const shown = await chukwa('attempt', attempt);
  assert.match(shown.out, toAwaited(alias));
  assert.match(shown.out, toCommand(`report ${call} --result FILE`));
  assert.match(shown.out, toCommand('run looked-at --llm scripted --script FILE'));
  const called = await chukwa('invocation', call);
  assert.match(called.out, new RegExp(`calls it ${alias}; waited\\s+for\\s+until\\s+${MOMENT}\n`));
  assert.match(called.out, toCommand(`report ${call} --result FILE`));
  const { agent_turns, awaited } = JSON.parse((await chukwa('attempt', attempt, '--json')).out) as AttemptRecord;
  const { pended } = JSON.parse((await chukwa('invocation', call, '--json')).out) as InvocationRecord;
  const [waited] = awaited;
  assert.deepEqual(pended, { correlation_alias: alias, pended_at: waited?.pended_at, deadline: waited?.deadline });
  const turn = await chukwa('agent-turn', agent_turns[0]?.agent_turn_id ?? '');
  assert.match(turn.out, new RegExp(`waits for the answer of\\s+invocation ${call}`));
  assert.match(turn.out, /the schema of its answer {2}[0-9a-f]{12}/);
  assert.match((await chukwa('agents', 'looked-at')).out, /waits until \(UTC\) +\d{4}-\d\d-\d\d \d\d:\d\d\n/);
});

test('a report says what follows from it, once; afterwards that nothing does, which is no fault', async () => {
  const { attempt, call } = await makeSuspended('reported');
  const file = join(data, 'answer.json');
  await writeFile(file, ANSWER);
  const first = await chukwa('report', call, '--result', file);
  assert.equal(first.code, 0);
  assert.match(first.out, /^The report is stored, and the attempt continues with it\.\n/);
  assert.match(first.out, toCommand(`attempt ${attempt}`));
  assert.match(first.out, toCommand('run reported'));
  assert.match(first.out, toCommand('run reported --llm scripted --script FILE'));
  const again = await chukwa('report', call, '--failed', 'no van');
  assert.equal(again.code, 0);
  assert.match(again.out, /^Nothing changes \(duplicate\): This call has been reported or settled before/);
  assert.doesNotMatch(again.out, /chukwa run/);
  assert.match((await chukwa('run', 'reported')).out, / 1 +committed +1 +3 /);
});

test('a report whose file is not there, is none, or is too large, is refused, and nothing is reported', async () => {
  const { attempt, call } = await makeSuspended('slipped');
  assert.deepEqual(await refusalOf('report', call, '--result', join(data, 'nowhere.json')), [1, 'FILE_UNREADABLE']);
  assert.deepEqual(await refusalOf('report', call, '--result', data), [1, 'NOT_A_FILE']);
  const pipe = join(data, 'pipe');
  execFileSync('mkfifo', [pipe]);
  assert.deepEqual(await refusalOf('report', call, '--result', pipe), [1, 'NOT_A_FILE']);
  assert.deepEqual(await refusalOf('attempt', 'settle', attempt, '--result', pipe), [1, 'NOT_A_FILE']);
  const garbled = join(data, 'garbled.json');
  await writeFile(garbled, Buffer.from([0x22, 0xff, 0x22]));
  assert.deepEqual(await refusalOf('report', call, '--result', garbled), [1, 'NOT_UTF8']);
  const large = join(data, 'large.json');
  await writeFile(large, `"${'x'.repeat(1_048_576)}"`);
  assert.deepEqual(await refusalOf('report', call, '--result', large), [1, 'FILE_TOO_LARGE']);
  assert.match((await chukwa('report', call, '--result', '{"half": ')).error, /^--result:1:\d+ {2}INVALID_JSON/);
  const long = 'x'.repeat(2_001);
  assert.deepEqual(await refusalOf('report', call, '--failed', long), [2, 'REASON_TOO_LONG']);
  const settle = ['attempt', 'settle', attempt, '--not-performed', '--reason', long];
  assert.deepEqual(await refusalOf(...settle), [2, 'REASON_TOO_LONG']);
  assert.match((await chukwa('report', call, '--result', ANSWER)).out, /^The report is stored/);
});

test('a report whose answer is no JSON, or does not fit, is refused with its place, and the call waits on', async () => {
  const { call } = await makeSuspended('misfit');
  const file = join(data, 'misfit.json');
  for (const [text, place, code] of [
    ['{ "status": "answered",\n  }', /misfit\.json:2:3 {2}INVALID_JSON /, 'INVALID_JSON'],
    [
      '{ "status":\n  "eaten by the dog" }',
      /misfit\.json:1:3 {2}UNEXPECTED_VALUE .*\(at \/status\)/,
      'UNEXPECTED_VALUE',
    ],
  ] as const) {
    await writeFile(file, text);
    const refused = await chukwa('report', call, '--result', file);
    assert.deepEqual([refused.code, refused.out], [1, '']);
    assert.match(refused.error, place);
    const { findings } = JSON.parse((await chukwa('report', call, '--result', file, '--json')).out) as {
      readonly findings: readonly { readonly code: string; readonly repair?: string }[];
    };
    assert.equal(findings[0]?.code, code);
  }
  await writeFile(file, ANSWER);
  assert.match((await chukwa('report', call, '--result', file)).out, /^The report is stored/);
  assert.match((await chukwa('run', 'misfit')).out, / 1 +committed /);
});

test('a report that names no call, a call that is not awaited, or several, is refused with what to write', async () => {
  const { attempt, call } = await makeSuspended('misnamed');
  const unknown = await chukwa('report', 'nope', '--failed', 'x');
  assert.deepEqual([unknown.code, unknown.out], [1, '']);
  assert.match(
    unknown.error,
    /There is no call with the id or the alias "nope"\.*\n {2}what to do: Find its id: npx chukwa attempts SLUG/,
  );
  const { invocations } = JSON.parse((await chukwa('attempt', attempt, '--json')).out) as AttemptRecord;
  const generation = invocations[0]?.source_invocation_id ?? '';
  assert.deepEqual(await refusalOf('report', generation, '--failed', 'x'), [1, 'CALL_NOT_AWAITED']);
  toys.post.countAnew();
  const one = await makeSuspended('namesake-1');
  toys.post.countAnew();
  const two = await makeSuspended('namesake-2');
  assert.equal(one.alias, two.alias);
  const ambiguous = await chukwa('report', two.alias ?? '', '--failed', 'x');
  assert.equal(ambiguous.code, 1);
  const said = ambiguous.error.replaceAll(/\s+/g, ' ');
  assert.match(said, /what to do: Use the id of the one that is meant: npx chukwa attempts SLUG/);
  for (const hidden of [one.call, two.call, call, 'namesake-1', 'namesake-2']) assert.ok(!said.includes(hidden), said);
});

test('a stop ends a suspended attempt at once; a second one is no fault, and an unknown id is refused', async () => {
  const { attempt } = await makeSuspended('stopped');
  const first = await chukwa('stop', attempt, '--reason', 'the post is on strike');
  assert.equal(first.code, 0, first.error);
  assert.match((await chukwa('attempt', attempt)).out, /stopped on request: the post is on strike/);
  assert.match(first.out, /^The attempt has been stopped\.\n/);
  assert.match(first.out, toCommand(`attempt ${attempt}`));
  assert.doesNotMatch(first.out, /go on|continue|chukwa run/);
  const again = await chukwa('stop', attempt);
  assert.equal(again.code, 0);
  assert.match(again.out, /^Nothing changes \(duplicate\): The attempt has been asked to stop before\.\n/);
  for (const [id, repair] of [
    [NOBODY, 'See npx chukwa attempts SLUG\\.'],
    ['nope', 'Name an attempt that npx chukwa attempts nope lists'],
  ] as const) {
    const unknown = await chukwa('stop', id);
    assert.deepEqual([unknown.code, unknown.out], [1, '']);
    assert.match(unknown.error, new RegExp(`There is no attempt "${id}"\\.\n {2}what to do: ${repair}`));
  }
  assert.deepEqual(await refusalOf('stop', NOBODY), [1, 'ATTEMPT_UNKNOWN']);
});

test('a server prints its address, shows new tokens once, logs its work, and ends in order', async () => {
  const { call } = await makeSuspended('served');
  const file = join(data, 'served.json');
  await writeFile(file, ANSWER);
  const reported = await chukwa('report', call, '--result', file);
  assert.equal(reported.code, 0, reported.error);
  const first = await serveUntil(/served: turn 1 committed/);
  assert.match(
    first.out,
    /Z {2}\S+:\d+ {2}serving at http:\/\/127\.0\.0\.1:\d+; PostgreSQL at \S+; tokens in \S+\/chukwa\/tokens\/[0-9a-f]{16}\.json\n/,
  );
  assert.match(first.error, /New tokens were made\. They are shown only once:\n {2}CHUKWA_TOKEN {11}[\w-]{43}\n/);
  assert.match(
    first.out,
    /served: turn 1 continues, because it was answered; 1 call from the record \(attempt \S+\)\n/,
  );
  assert.match(first.out, /Z {2}\S+:\d+ {2}stopped\n$/);
  assert.doesNotMatch(first.out, /doorbell/);
  const second = await serveUntil(/serving at/);
  assert.match(
    second.error,
    /^To look at the records in a browser, open this link\. [^\n]+\n {2}http:\S+\/sign-in\?ticket=\S+\n$/,
  );
  assert.deepEqual([first.code, second.code], [0, 0]);
});

test('a port that is taken, or is none, ends a server with what to do', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const port = String((holder.address() as AddressInfo).port);
  const taken = await chukwa('serve', '--port', port);
  holder.close();
  assert.equal(taken.code, 4);
  assert.match(taken.error, /what to do: .*--port/);
  const none = await chukwa('serve', '--port', 'x');
  assert.equal(none.code, 2);
  assert.match(none.error, /Write a whole number from 0 to 65535\..*chukwa serve --help/s);
});

/** Serves until a text is printed, and then presses Ctrl-C. */
async function serveUntil(said: RegExp) {
  let hasStopped = false;
  const terminal = openTestTerminal({
    onWrite(written) {
      if (hasStopped || !said.test(written.out_text())) return;
      hasStopped = true;
      written.interrupt();
    },
  });
  const code = await runCommandLine(await compose(variables), ['serve', '--port', '0'], terminal);
  return { code, out: terminal.out_text(), error: terminal.error_text() };
}

/** The exit code, and the code of the problem that `--json` tells of. */
async function refusalOf(...words: readonly string[]) {
  const { code, out } = await chukwa(...words, '--json');
  const { problems } = JSON.parse(out) as { readonly problems: readonly { readonly code: string }[] };
  return [code, problems[0]?.code];
}

const toCommand = (words: string): RegExp => new RegExp(`npx chukwa ${words}( |\n)`);

const toAwaited = (alias: string | null): RegExp =>
  new RegExp(`It waits for:\n  post_office, which calls it ${alias}; asked by nora/act/\\S+,\\s+until\\s+${MOMENT}\n`);
