import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { compose } from '../../../engine/main.js';
import { CLOSED_TOYS } from '../../support/closed-toys.js';
import type { Composition } from '../../../engine/operations/composition.js';
import type { RunReport } from '../../../engine/operations/running/run-turns.js';
import { runCommandLine } from '../../../engine/surfaces/cli/command-line.js';
import { emptyDatabase } from '../../support/databases.js';
import { openTestTerminal, type TestTerminalSettings } from './test-terminal.js';
import { makeFolder } from '../../support/folder.js';

const database = await emptyDatabase({ after });
const CONTROL = /(?!\n)[\p{Cc}\p{Cf}]/u;
/** Colours and the erased line: the escape sequences that this program writes itself. */
const ESCAPE = String.fromCharCode(27);
const OWN = new RegExp(`${ESCAPE}\\[\\d+m|\\r${ESCAPE}\\[2K`, 'g');
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

const folder = await makeFolder({ after });
let composition: Composition;

before(async () => {
  composition = await compose({ CHUKWA_DATA_DIR: join(folder, 'data'), ...database });
});

async function chukwa(words: string, settings: TestTerminalSettings = {}) {
  const terminal = openTestTerminal(settings);
  const code = await runCommandLine(composition, words.split(' '), terminal);
  return { code, out: terminal.out_text(), error: terminal.error_text(), terminal };
}

async function report(words: string): Promise<{ readonly code: number; readonly run: RunReport }> {
  const { code, out } = await chukwa(`${words} --json`);
  return { code, run: JSON.parse(out) as RunReport };
}

async function write(name: string, value: unknown): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, JSON.stringify(value, null, 2));
  return path;
}

test('park shows a fresh world turn by turn, in plain text without a terminal, with ids for the next commands', async () => {
  const { code, out, error } = await chukwa('park --turns 2');
  assert.equal(code, 0, error);
  assert.match(out, /^world park {2}scenario park · model scripted \(park\) · 2 turns\n/);
  assert.match(out, /park_weather +temperature_f 64 · condition windy/);
  assert.match(out, /park_pa +announcements "Attention park visitors/);
  assert.match(out, /messages \(from Unknown .* kind\s+spam\)/);
  assert.match(out, /buy_candy \{.*button: C\} -> status dispensed/);
  assert.match(out, /bob: memory \+ "/);
  assert.match(out, /turn 2 committed: 2 patches, \d+ calls, \d+ tokens/);
  assert.doesNotMatch(out, CONTROL);
  for (const command of ['attempt', 'llm-call', 'invocation']) {
    const [, id] = new RegExp(`npx chukwa ${command} (${UUID})`).exec(out) ?? [];
    const shown = await chukwa(`${command} ${id}`);
    assert.equal(shown.code, 0, `${command} ${id}: ${shown.error}`);
    assert.ok(shown.out.includes(id ?? ''), shown.out);
    assert.doesNotMatch(shown.out, CONTROL);
    const json = JSON.parse((await chukwa(`${command} ${id} --json`)).out) as Record<string, unknown>;
    const name =
      { attempt: 'attempt_id', 'llm-call': 'llm_call_id', invocation: 'source_invocation_id' }[command] ?? '';
    assert.equal(json[name], id);
  }
});

test('the agents of a world and one of their turns are shown, with what was given, done and left', async () => {
  const { run } = await report('park --turns 1');
  const listed = await chukwa(`agents ${run.world}`);
  assert.equal(listed.code, 0, listed.error);
  assert.match(listed.out, /^ +agent +status +epoch +tokens +latest turn +agent turn\n/);
  assert.match(listed.out, new RegExp(`bob +idle +1 +[\\d,]+ +success +${UUID}\n`));
  const { agents } = JSON.parse((await chukwa(`agents ${run.world} --json`)).out) as { agents: unknown[] };
  assert.ok(agents.length > 1);
  const attempt = await chukwa(`attempt ${run.turns[0]?.attempt_id}`);
  const [, id] = new RegExp(`bob +success .* (${UUID})\n`).exec(attempt.out) ?? [];
  const shown = await chukwa(`agent-turn ${id}`);
  assert.equal(shown.code, 0, shown.error);
  for (const said of [
    `bob in turn 1 of ${run.world}  agent turn\nsuccess`,
    `id           ${id}`,
    'What it was given',
    'the workflow that it ran',
    'a reading',
    'What it did, and what it left',
    'what it left',
    'evt.agent.bob.task',
  ])
    assert.ok(shown.out.includes(said), said);
  assert.match(shown.out, /\n {2}join +response /);
  assert.doesNotMatch(shown.out, CONTROL);
  const json = JSON.parse((await chukwa(`agent-turn ${id} --json`)).out) as Record<string, unknown>;
  assert.equal(json['agent_turn_id'], id);
  const unknown = await chukwa('agent-turn nobody');
  assert.equal(unknown.code, 1);
  assert.match(unknown.error, /AGENT_TURN_UNKNOWN|There is no agent turn/);
});

test('an LLM call shows what it was asked by role and origin, what it said, and how that streamed in', async () => {
  const { run } = await report('park --turns 1');
  const id = run.turns[0]?.invocations.find(({ llm_call_id }) => llm_call_id !== null)?.llm_call_id;
  const { out } = await chukwa(`llm-call ${id}`);
  assert.match(out, /\n {2}system {2}\d+ characters: author \d+ · subject \d+\n {2}\| You decide what Bob does/);
  assert.match(out, /\n {2}user .*world\.projection \d+/);
  assert.match(out, /\n {2}streamed in +\d+ chunks, the first after [^]*\nWhat the model said\n {2}\S/);
  assert.match(out, /\n {2}tokens +\d+ in, \d+ out\n/);
  assert.match(out, /\n {2}accepted patch: the patch of what it said\n/);
});

test('a turn that fails ends with 3, leaves the world as it was, and is listed first', async () => {
  const answers = { version: 1, label: 'closed', turns: { '*': { 'bob/act/round-1/try-1': { status: 503 } } } };
  const path = await write('closed.json', answers);
  const { code, run } = await report(`park --script ${path}`);
  assert.equal(code, 3);
  assert.deepEqual(
    run.turns.map(({ status, failure_class }) => [status, failure_class]),
    [['failed', 'http_status']],
  );
  assert.match((await chukwa(`world show ${run.world}`)).out, new RegExp(`^world ${run.world} {2}at turn 0 `));
  const unready = await chukwa(`run ${run.world} --llm scripted --script ${path}`);
  assert.equal(unready.code, 4);
  assert.match(unready.error, /CHUKWA_TOY_WEATHER_URL is not set/);
  const elsewhere = await compose({ ...CLOSED_TOYS, CHUKWA_DATA_DIR: join(folder, 'data'), ...database });
  const again = openTestTerminal();
  const words = ['run', run.world, '--llm', 'scripted', '--script', path];
  assert.equal(await runCommandLine(elsewhere, words, again), 3);
  assert.match(again.out_text(), /turn 1 failed/);
  const listed = JSON.parse((await chukwa(`attempts ${run.world} --json`)).out) as {
    attempts: { attempt_id: string }[];
  };
  assert.equal(listed.attempts.length, 2);
  assert.equal(listed.attempts[1]?.attempt_id, run.turns[0]?.attempt_id);
});

test('text of a model cannot steer a terminal that people look at', async () => {
  const narration = 'Bob waits.\u001b]0;owned\u0007\u001b[2J\u009b31m';
  const patch = { kind: 'final_patch', patch: { narration, effects: [] } };
  const path = await write('hostile.json', {
    version: 1,
    label: 'hostile',
    turns: { '*': { 'bob/act/round-1/try-1': { json: patch }, 'ant/act/round-1/try-1': { json: patch } } },
  });
  const { code, out } = await chukwa(`park --turns 1 --script ${path}`, { is_live: true, columns: 100 });
  assert.equal(code, 0);
  assert.match(out, /Bob waits\.\\u\{1b\}\]0;owned/);
  const own = out.replaceAll(OWN, '');
  assert.doesNotMatch(own, CONTROL);
});

test('a world is made from a file, shown, listed and run by a script that ships', async () => {
  const made = await chukwa('world create plain --scenario workflows/simple/scenario.json');
  assert.equal(made.code, 0, made.error);
  assert.match(made.out, /^world plain {2}at turn 0 /);
  const ran = await chukwa('run plain --script simple');
  assert.equal(ran.code, 0, ran.error + ran.out);
  assert.match(ran.out, /turn 1 committed/);
  assert.match((await chukwa('world list')).out, /\n +1 {2}plain /);
  assert.match((await chukwa('world show plain --turn 0')).out, /^world plain {2}at turn 0 /);
  const taken = await chukwa('world create plain --scenario workflows/simple/scenario.json');
  assert.equal(taken.code, 1);
  assert.match(taken.error, /^error: The world plain already exists\.\n {2}what to do: Choose another name\.\n/);
});

test('a stored scenario is named by its hash', async () => {
  const { out } = await chukwa('put workflows/simple/scenario.json');
  const [, hash] = /^scenario +([0-9a-f]{64}) {2}workflows\/simple\/scenario\.json$/m.exec(out) ?? [];
  const made = await chukwa(`world create by-hash --scenario ${hash}`);
  assert.equal(made.code, 0, made.error);
  const short = await chukwa(`world create by-digits --scenario ${hash?.slice(0, 8)}`);
  assert.equal(short.code, 0, short.error);
  const wrong = await chukwa('world create nobody --scenario 00000000');
  assert.equal(wrong.code, 1);
  assert.match(wrong.error, /There is no scenario 00000000/);
  const unknown = await chukwa(`world create nobody --scenario ${'0'.repeat(64)}`);
  assert.equal(unknown.code, 1);
  assert.match(unknown.error, /no scenario 0{64}/);
});

test('a stored document is shown to people so that nothing in it can steer their terminal', async () => {
  const path = await write('steering.json', {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Steering',
    description: 'Right-to-left \u202e and delete \u007f.',
  });
  const { out: put } = await chukwa(`put ${path} --json`);
  const [, hash] = /"hash": ?"([0-9a-f]{64})"/.exec(put) ?? [];
  const seen = await chukwa(`get json_schema ${hash}`, { is_live: true });
  assert.equal(seen.code, 0, seen.error);
  assert.match(seen.out, /"description": "Right-to-left \\u\{202e\} and delete \\u\{7f\}\."/);
  assert.doesNotMatch(seen.out.replaceAll(OWN, ''), CONTROL);
  const json = await chukwa(`get json_schema ${hash} --json`);
  assert.doesNotMatch(json.out, CONTROL);
  assert.equal((JSON.parse(json.out) as { hash: string }).hash, hash);
  const piped = await chukwa(`get json_schema ${hash}`);
  assert.match(piped.out, /^\{.*\u202e.*\}$/);
});

test('a document is refused by what is wrong with its hash', async () => {
  await chukwa('put workflows/simple/scenario.json');
  const { out } = await chukwa('list scenario');
  const [, hash] = /([0-9a-f]{64}) {2}simple /.exec(out) ?? [];
  const short = await chukwa(`get scenario ${hash?.slice(0, 7)}`);
  assert.equal(short.code, 1);
  assert.match(short.error, /at least the first 8[\s\S]*COMPONENT_HASH_INVALID/);
  const elsewhere = await chukwa(`uses tool_policy ${hash?.slice(0, 8)}`);
  assert.equal(elsewhere.code, 1);
  assert.match(elsewhere.error, new RegExp(`one of another kind: scenario\\s+${hash}`));
  const capitals = await chukwa(`get scenario ${hash?.toUpperCase()} --json`);
  assert.equal((JSON.parse(capitals.out) as { hash: string }).hash, hash);
});

test('a difference is shown place by place, and its blame with commands that lead to the prompt', async () => {
  const { run } = await report('park --turns 2');
  const { code, out } = await chukwa(`world diff ${run.world} 1 2 --blame`);
  assert.equal(code, 0);
  assert.match(out, /\nFrom \S+ at turn 1 \(.*\) to \S+ at turn 2 \(.*\): \d+ changes\n/);
  assert.match(out, /\n {2}bob\n {4}state +- [^]+?\n +> /);
  assert.match(out, /\n {4}memory +\+ /);
  assert.match(out, /\n +by turn 2, patch 1, effect 1 \(set_entity_state\), from author, model/);
  assert.match(out, /\n +by turn 2, patch 1, effect 3 \(append_entity_memory\), from author, model/);
  assert.equal(out.split('\n  turn 2, patch 1 of bob in ').length, 2, 'each patch is told once');
  const [, id] = new RegExp(`npx chukwa llm-call (${UUID})\\s+what the model saw and said\\n`).exec(out) ?? [];
  assert.match((await chukwa(`llm-call ${id}`)).out, /\n {2}system {2}/);
  assert.doesNotMatch(out, CONTROL);
  assert.doesNotMatch((await chukwa(`world diff ${run.world} 1 2`)).out, /npx chukwa/);
  assert.match((await chukwa(`world diff ${run.world} 2 2`)).out, /: nothing\s+changed\n/);
  const json = JSON.parse((await chukwa(`world diff ${run.world} 0 2 --json`)).out) as {
    changes: readonly Record<string, unknown>[];
  };
  for (const change of json.changes) assert.ok(!('blame' in change));
});

test('a fork says where it comes from, and a scenario that cannot go on says why', async () => {
  const { run } = await report('park --turns 1');
  const forked = await chukwa(`world fork ${run.world} --at 1 --as branch`);
  assert.equal(forked.code, 0, forked.error);
  assert.match(forked.out, new RegExp(`^world branch {2}at turn 1 [\\s\\S]*\nforked from ${run.world} at turn 1\n`));
  assert.match(
    forked.out,
    /\nRun it:\n +npx chukwa run branch +asks the models of its sources\n +npx chukwa run branch --llm scripted /,
  );
  assert.match((await chukwa('world list')).out, new RegExp(`\n +1 {2}branch .* ${run.world} at 1\n`));
  assert.match(
    (await chukwa('attempts branch')).out,
    /No turn of branch has been tried\. Try one:\n {2}npx chukwa run branch /,
  );
  const other = 'workflows/simple/scenario.json';
  const { code, error } = await chukwa(`world fork ${run.world} --at 1 --as never --scenario ${other}`);
  assert.equal(code, 1);
  assert.match(
    error,
    /^workflows\/simple\/scenario\.json:\d+:\d+ {2}SCENARIO_DIFFERS {2}the entity ant is missing: the world has it, and it cannot be removed {2}\(at \/entities\)/m,
  );
});

test('an unknown name ends with 1, and the nearest name is offered', async () => {
  await chukwa('world create nearby --scenario workflows/simple/scenario.json');
  const { code, out, error } = await chukwa('run nearbi --json');
  assert.equal(code, 1);
  assert.match(error, /^error: There is no world "nearbi"\.\n {2}what to do: Did you mean nearby\?/);
  assert.equal((JSON.parse(out) as { ok: boolean }).ok, false);
  assert.match((await chukwa('run zzzzzzzz')).error, /what to do: See npx chukwa world list\./);
  assert.match((await chukwa('park --script zzzzzzzz')).error, /what to do: Shipped scripts: /);
  assert.equal((await chukwa('attempt nope')).code, 1);
  assert.equal((await chukwa('park --script prk')).code, 1);
});

test('validate needs no database, and reports success', async () => {
  const bare = await compose({ CHUKWA_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' });
  const terminal = openTestTerminal();
  assert.equal(await runCommandLine(bare, ['validate', 'workflows', '--json'], terminal), 0);
  assert.deepEqual(JSON.parse(terminal.out_text()), { ok: true, findings: [] });
});

test('a document that does not validate ends with 1, each finding at its place, put and validated alike', async () => {
  const path = await write('broken.json', {
    version: 1,
    label: 'broken',
    start_time: 'noon',
    environments: [],
    entities: [],
    cognition: [],
  });
  const shown = await chukwa(`validate ${path}`);
  assert.equal(shown.code, 1);
  const rows = shown.out.split('\n').filter((row) => row.startsWith(folder));
  assert.ok(rows.length >= 2, shown.out);
  for (const row of rows)
    assert.match(row, /broken\.json:\d+:\d+ {2}[A-Z_]+ {2}.+ {2}\(at (?:\/.*|the document's root)\)$/);
  const lines = rows.map((row) => Number(/broken\.json:(\d+):/.exec(row)?.[1]));
  assert.deepEqual(
    lines,
    lines.toSorted((a, b) => a - b),
  );
  const json = JSON.parse((await chukwa(`validate ${path} --json`)).out) as {
    ok: boolean;
    findings: Record<string, unknown>[];
  };
  assert.equal(json.ok, false);
  assert.equal(json.findings.length, rows.length);
  for (const member of ['file', 'line', 'column', 'pointer', 'code', 'message'])
    assert.ok(member in (json.findings[0] ?? {}), member);
  const put = await chukwa(`put ${path} --json`);
  assert.equal(put.code, 1);
  assert.deepEqual((JSON.parse(put.out) as typeof json).findings, json.findings);
});

test('a script that is none says where it is wrong', async () => {
  const path = await write('wrong.json', {
    version: 1,
    label: 'wrong',
    turns: { '*': { 'bob/act/round-1/try-1': { fault: 'hng' } } },
  });
  const { code, error } = await chukwa(`park --script ${path}`);
  assert.equal(code, 1);
  assert.match(error, /wrong\.json:\d+:\d+ {2}[A-Z_]+ {2}must be one of/);
});

test('the first Ctrl-C stops the attempt and ends with 130; the second leaves at once', async () => {
  let presses = 0;
  const press = (terminal: ReturnType<typeof openTestTerminal>): void => {
    if (presses > 0 || !terminal.out_text().includes('turn 1')) return;
    for (; presses < 2; presses++) terminal.interrupt();
  };
  const { code, out, error, terminal } = await chukwa('park', { onWrite: press });
  assert.equal(code, 130);
  assert.deepEqual(terminal.left, [130]);
  assert.match(out, /turn 1 failed, stopped/);
  assert.match(error, /^Stopping/);
});

test('the toys run until Ctrl-C, and print the variables that lead to them', async () => {
  const { code, out } = await chukwa('toys --script park', {
    onWrite: (terminal) => setImmediate(() => terminal.interrupt()),
  });
  assert.equal(code, 0);
  for (const name of ['CHUKWA_TOY_WEATHER_URL', 'CHUKWA_TOY_PHONE_URL', 'CHUKWA_LLM_BASE_URL']) {
    assert.match(out, new RegExp(`^export ${name}=http://127\\.0\\.0\\.1:\\d+`, 'm'));
  }
});

test('a database of another process ends with 4, and the process is named', async () => {
  const embedded = await compose({ ...CLOSED_TOYS, CHUKWA_DATA_DIR: join(folder, 'data') });
  const engine = await embedded.openEngine();
  assert.ok(engine.ok);
  try {
    const terminal = openTestTerminal();
    const code = await runCommandLine(embedded, ['world', 'list', '--wait', '0'], terminal);
    const error = terminal.error_text();
    assert.equal(code, 4);
    assert.match(error, new RegExp(`process\\s+${process.pid}`));
    assert.match(error, /what to do: /);
  } finally {
    await engine.value.close();
  }
});

test('a command that waits for its database is left by Ctrl-C as soon as it says so', async () => {
  const nobody = await compose({ CHUKWA_DATABASE_URL: 'postgres://reader@127.0.0.1:1/nowhere' });
  const terminal = openTestTerminal({ onErrorWrite: (written) => written.interrupt() });
  await runCommandLine(nobody, ['world', 'list', '--wait', '1'], terminal);
  assert.match(terminal.error_text(), /\(--wait\)[^]*Ctrl-C/);
  assert.deepEqual(terminal.left, [130]);
});

test('a throw-away database offers no ids that lead nowhere', async () => {
  const terminal = openTestTerminal();
  const fleeting = await compose({ CHUKWA_DATABASE_URL: 'memory:' });
  assert.equal(await runCommandLine(fleeting, ['park', '--turns', '1'], terminal), 0);
  assert.doesNotMatch(terminal.out_text(), /npx chukwa/);
  const maker = openTestTerminal();
  const words = ['world', 'create', 'brief', '--scenario', 'workflows/simple/scenario.json'];
  assert.equal(await runCommandLine(fleeting, words, maker), 0);
  assert.match(maker.out_text(), /in memory: the world is lost when this command ends/);
  assert.doesNotMatch(maker.out_text(), /npx chukwa/);
});

test('migrate and doctor report the state of the database', async () => {
  const migrated = JSON.parse((await chukwa('migrate --json')).out) as { applied: unknown[] };
  assert.deepEqual(migrated.applied, []);
  const { code, out } = await chukwa('doctor --json');
  assert.equal(code, 0);
  assert.equal((JSON.parse(out) as { ok: boolean }).ok, true);
});
