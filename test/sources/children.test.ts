import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import { boundCall } from '../../engine/sources/call-bounds.js';
import { openChildren } from '../../engine/sources/children.js';
import { timerAlarm } from '../../engine/sources/timer-alarm.js';
import { parseCommand } from '../../engine/sources/command.js';
import type { Log, Sources } from '../../engine/sources/index.js';
import { resolveOrigin } from '../../engine/sources/origin.js';
import {
  ask,
  isAlive,
  jsonCall,
  makeRecorder,
  openTestSources,
  serve,
  summary,
  untilDead,
  writePlugin,
} from './harness.js';
import { makeFolder } from '../support/folder.js';

/** Hands each request to the program as a line, and takes its first line as the answer. */
const LINE_PLUGIN = `export default { open: (definition, { spawn }) => ({
  invoke: async (request) => {
    const child = await spawn();
    await child.write(JSON.stringify(request) + '\\n');
    let text = '';
    for await (const piece of child.output) {
      text += new TextDecoder().decode(piece);
      if (text.includes('\\n')) return { value: JSON.parse(text) };
    }
    const { message, last_words } = await child.ended;
    return { value: { ended: message, last_words: new TextDecoder().decode(last_words), text } };
  },
}) };`;

/** Waits until the program has said something, and then writes until it takes no more. */
const PUSH_PLUGIN = `export default { open: (definition, { spawn }) => ({
  invoke: async () => {
    const child = await spawn();
    for await (const _ of child.output) break;
    for (;;) await child.write('again\\n');
  },
}) };`;

const SPAWNS = { origin: { variables: ['CHUKWA_TEST_PROGRAM'] }, spawn: true };

interface ProgramParts {
  readonly log?: Log;
  readonly variables?: Readonly<Record<string, string>>;
  readonly more?: readonly string[];
}

/** Sources whose one plugin talks to a program: the given JavaScript, run by this Node. */
async function openProgram(
  t: TestContext,
  script: string,
  { log, variables, more = [] }: ProgramParts = {},
): Promise<Sources> {
  const folder = await makeFolder(t);
  await writePlugin(folder, 'line', LINE_PLUGIN, SPAWNS);
  const command = JSON.stringify([process.execPath, '-e', script, ...more]);
  return openTestSources(t, {
    folders: [folder],
    overlay: { CHUKWA_TEST_PROGRAM: command },
    lookUp: (name) => variables?.[name],
    ...(log ? { log } : {}),
  });
}

async function openPushing(t: TestContext, script: string): Promise<Sources> {
  const folder = await makeFolder(t);
  await writePlugin(folder, 'push', PUSH_PLUGIN, SPAWNS);
  const command = JSON.stringify([process.execPath, '-e', script]);
  return openTestSources(t, { folders: [folder], overlay: { CHUKWA_TEST_PROGRAM: command } });
}

async function askLine(sources: Sources, request: Json = null): Promise<JsonObject> {
  const outcome = await ask(sources, jsonCall({ request }, { name: 'line' }));
  assert.equal(outcome.status, 'succeeded', JSON.stringify(outcome));
  return outcome.view as JsonObject;
}

test('words reach the program as they are, and no shell reads them', async (t) => {
  const words = ['$HOME', '`id`', '; exit 1', '*', 'a b', ''];
  const script = 'console.log(JSON.stringify({ words: process.argv.slice(1) }))';
  assert.deepEqual(await askLine(await openProgram(t, script, { more: words })), { words });
});

test('a program is handed where to find things, and no other variable', async (t) => {
  const variables = {
    PATH: '/usr/bin:/bin',
    LANG: 'C',
    NODE_EXTRA_CA_CERTS: '/etc/ours.pem',
    CHUKWA_LLM_API_KEY: 'canary-1234',
    DATABASE_URL: 'canary-5678',
  };
  const sources = await openProgram(t, 'console.log(JSON.stringify(process.env))', { variables });
  const environment = await askLine(sources);
  assert.equal(environment['PATH'], '/usr/bin:/bin');
  assert.equal(environment['LANG'], 'C');
  assert.equal(environment['NODE_EXTRA_CA_CERTS'], '/etc/ours.pem');
  assert.doesNotMatch(JSON.stringify(environment), /canary|CHUKWA/);
});

const STUBBORN = `process.on('SIGTERM', () => {});
const script = "process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 1000)";
const grandchild = require('node:child_process').spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
grandchild.stdout.once('data', () => console.log(JSON.stringify({ pid: process.pid, grandchild: grandchild.pid })));
setInterval(() => {}, 1000);`;

test('closing ends a program and what it started, though both ignore being asked, and leaves no listener', async (t) => {
  const listeners = process.listenerCount('exit');
  const sources = await openProgram(t, STUBBORN);
  const { pid, grandchild } = await askLine(sources);
  assert.ok(isAlive(pid) && isAlive(grandchild));
  assert.equal(process.listenerCount('exit'), listeners + 1);
  await sources.close();
  await Promise.all([untilDead(pid), untilDead(grandchild)]);
  assert.equal(process.listenerCount('exit'), listeners);
});

test('one variable has one program: another start ends the one before', async (t) => {
  const sources = await openProgram(t, STUBBORN);
  const first = await askLine(sources);
  const second = await askLine(sources, 'again');
  assert.ok(isAlive(second['pid']));
  await Promise.all([untilDead(first['pid']), untilDead(first['grandchild'])]);
});

test('a program that dies leaves its last words, and what it started dies with it', async (t) => {
  const script = `const started = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
    process.stdout.write(String(started.pid));
    console.error('no disk'); process.exitCode = 3; setTimeout(() => process.exit(), 20);`;
  const { ended, last_words, text } = await askLine(await openProgram(t, script));
  assert.equal(ended, 'the program that CHUKWA_TEST_PROGRAM names ended (code 3)');
  assert.equal(last_words, 'no disk\n');
  await untilDead(text);
});

/** Closes its input at once, is still a while about its last words, and then ends. */
const TURNS_AWAY = `require('node:fs').closeSync(0); process.stdout.write('away\\n');
  setTimeout(() => { console.error('boom'); process.exitCode = 3; }, 100);`;

test('a program that takes no more is asked how it ended, and what it said last is kept', async (t) => {
  const sources = await openPushing(t, TURNS_AWAY);
  const outcome = await ask(sources, jsonCall({}, { name: 'push' }));
  assert.ok(outcome.status === 'failed');
  assert.equal(outcome.failure_message, 'the program that CHUKWA_TEST_PROGRAM names ended (code 3)');
  assert.equal(Buffer.from(outcome.response_body ?? []).toString(), 'boom\n');
});

test('a program that reads no more and stays alive makes writes fail', async (t) => {
  const sources = await openPushing(t, `${TURNS_AWAY.split('\n')[0]} setInterval(() => {}, 1000);`);
  const outcome = await ask(sources, jsonCall({}, { name: 'push' }));
  assert.ok(outcome.status === 'failed');
  assert.equal(outcome.failure_message, 'the program that CHUKWA_TEST_PROGRAM names takes no more');
});

test('a program that floods its standard error is read to a limit, without its secrets', async (t) => {
  const lines: string[] = [];
  const script = `console.error('my key is canary-1234');
    for (let i = 0; i < 5000; i += 1) console.error('x'.repeat(5000));
    process.stderr.write('', () => console.log('{"done":true}'));`;
  const more = ['API_KEY=canary-1234'];
  assert.deepEqual(await askLine(await openProgram(t, script, { log: ({ message }) => lines.push(message), more })), {
    done: true,
  });
  assert.equal(lines[0], 'CHUKWA_TEST_PROGRAM: my key is [secret:CHUKWA_TEST_PROGRAM]');
  assert.equal(lines.length, 201);
  assert.equal(Math.max(...lines.map((line) => line.length)), 'CHUKWA_TEST_PROGRAM: '.length + 1_000);
});

test('a line that a program says in two pieces is logged as one, and so is a last one without an end', async (t) => {
  const lines: string[] = [];
  const script = `process.stderr.write('half a '); setTimeout(() => process.stderr.write('line\\n \\nthe end', () => console.log('{}')), 100);`;
  const sources = await openProgram(t, script, { log: ({ message }) => lines.push(message) });
  await askLine(sources);
  await sources.close();
  assert.deepEqual(lines, ['CHUKWA_TEST_PROGRAM: half a line', 'CHUKWA_TEST_PROGRAM: the end']);
});

test('of the last words of a program its last 4096 bytes are kept', async (t) => {
  const { last_words } = await askLine(await openProgram(t, `process.stderr.write('a' + 'b'.repeat(4_096));`));
  assert.equal(last_words, 'b'.repeat(4_096));
});

test('a program that cannot be started is unavailable, with the reason', async (t) => {
  const folder = await makeFolder(t);
  await writePlugin(folder, 'line', LINE_PLUGIN, SPAWNS);
  const overlay = { CHUKWA_TEST_PROGRAM: `${process.execPath}/canary-program` };
  const outcome = await ask(await openTestSources(t, { folders: [folder], overlay }), jsonCall({}, { name: 'line' }));
  assert.equal(
    outcome.status === 'failed' && outcome.failure_message,
    'the program that CHUKWA_TEST_PROGRAM names cannot be started (ENOTDIR)',
  );
});

test('nothing is started once the programs have ended', async () => {
  const children = openChildren(() => undefined, timerAlarm);
  const command = { variable: 'CHUKWA_TEST_PROGRAM', file: process.execPath, arguments: ['-e', ''], secrets: [] };
  const start = children.bind(command, () => {});
  await children.close();
  const { within } = boundCall(AbortSignal.abort(), { left: () => 1, max_response_bytes: 1 }, {});
  await assert.rejects(
    within(() => start()),
    { message: 'a program is started only for a call' },
  );
});

test('a missing program is unavailable, and its command is not shown', async (t) => {
  const folder = await makeFolder(t);
  await writePlugin(folder, 'line', LINE_PLUGIN, SPAWNS);
  const sources = await openTestSources(t, {
    folders: [folder],
    overlay: { CHUKWA_TEST_PROGRAM: '/nowhere/canary-program --fast' },
  });
  const outcome = await ask(sources, jsonCall({}, { name: 'line' }));
  assert.deepEqual(summary(outcome), { failed: 'unavailable', refused: false });
  assert.ok(outcome.status === 'failed');
  assert.match(outcome.failure_message, /CHUKWA_TEST_PROGRAM.*does not exist/);
  assert.doesNotMatch(JSON.stringify(outcome), /canary/);
});

test('nothing is started outside a call', async (t) => {
  const folder = await makeFolder(t);
  const early = `let started; export default { open: (definition, { spawn }) => {
    started = spawn().then(() => 'started', (failure) => failure.message);
    return { invoke: async () => ({ value: await started }) };
  } };`;
  await writePlugin(folder, 'line', early, SPAWNS);
  const sources = await openTestSources(t, { folders: [folder], overlay: { CHUKWA_TEST_PROGRAM: process.execPath } });
  const outcome = await ask(sources, jsonCall({}, { name: 'line' }));
  assert.deepEqual(summary(outcome), { succeeded: 'a program is started only for a call' });
});

const COMMANDS: readonly (readonly [string, string, readonly string[] | RegExp])[] = [
  ['CHUKWA_X', ' npx  -y server ', ['npx', '-y', 'server']],
  ['CHUKWA_X', '["a b", "", "\\"c\\""]', ['a b', '', '"c"']],
  ['CHUKWA_X', '[]', /neither/],
  ['CHUKWA_X', '["a", 1]', /neither/],
  ['CHUKWA_X', '["a"', /neither/],
  ['CHUKWA_X', '[""]', /neither/],
  ['CHUKWA_X', '["a\\u0000"]', /neither/],
  ['CHUKWA_X', '   ', /neither/],
  ['SHELL', '/bin/bash', /only variables that begin with CHUKWA_/],
  ['XCHUKWA_X', 'server', /only variables that begin with CHUKWA_/],
];

for (const [variable, value, expected] of COMMANDS) {
  test(`${variable}=${JSON.stringify(value)} is ${String(expected)}`, () => {
    const parsed = parseCommand(variable, value);
    if (expected instanceof RegExp) {
      assert.ok(!parsed.ok);
      assert.match(parsed.message, expected);
    } else {
      assert.ok(parsed.ok);
      assert.deepEqual([parsed.command.file, ...parsed.command.arguments], expected);
    }
  });
}

test('values behind telling names are secrets', () => {
  const parsed = parseCommand(
    'CHUKWA_X',
    'env API_KEY=one-key FILE=two srv --token three-keys --auth-token=four-keys --depth 5',
  );
  assert.ok(parsed.ok);
  assert.deepEqual(
    parsed.command.secrets.map(({ value }) => value),
    ['one-key', 'three-keys', 'four-keys'],
  );
});

const MANIFEST = {
  version: 1,
  name: 'x',
  description: '',
  contract_version: 1,
  speaks: 'json',
  interface_schema: './i',
  entry: './e.js',
  origin: { variables: ['CHUKWA_X'] },
} as const;

test('a command is one only where the manifest asks for it, and a URL stays a URL', () => {
  const resolved = (spawn: boolean, value: string): unknown => {
    const outcome = resolveOrigin({ ...MANIFEST, spawn }, {}, () => value);
    return outcome.ok ? (outcome.command?.file ?? outcome.origin?.url) : outcome.message;
  };
  assert.equal(resolved(true, 'server --fast'), 'server');
  assert.equal(resolved(true, 'http://one.test/mcp'), 'http://one.test/mcp');
  assert.match(String(resolved(true, 'postgres://user:canary@host/db')), /does not hold an http or https URL/);
  assert.match(String(resolved(false, 'server --fast')), /does not hold an http or https URL/);
});

const FAREWELLS = `const post = (origin, path, keepalive) => origin.fetch(origin.url + path, { method: 'POST', keepalive }).catch(() => {});
export default { open: (definition, { origin }) => ({
  invoke: (request, { signal }) => new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => { void post(origin, '/late', false); void post(origin, '/farewell', true); reject(signal.reason); });
    void post(origin, '/asked', false);
  }),
  close: () => post(origin, '/closed', false),
}) };`;

test('a call that is cut may take back what it asked, and a source may say that it closes; nothing else is sent', async (t) => {
  const folder = await makeFolder(t);
  await writePlugin(folder, 'polite', FAREWELLS, { origin: { variables: ['CHUKWA_TEST_URL'] } });
  const received: string[] = [];
  const stop = new AbortController();
  const farewell = new AbortController();
  const url = await serve(t, (request, response) => {
    received.push(request.url ?? '');
    if (request.url === '/asked') return stop.abort();
    response.end();
    if (request.url === '/farewell') farewell.abort();
  });
  const sources = await openTestSources(t, { folders: [folder], overlay: { CHUKWA_TEST_URL: url } });
  const surroundings = { client_request_id: 'x', correlation_id: 'call-1', signal: stop.signal };
  const said = once(farewell.signal, 'abort');
  const outcome = await sources.callSource(jsonCall({}, { name: 'polite' }), surroundings, makeRecorder());
  assert.deepEqual(summary(outcome), { failed: 'stopped', refused: false });
  await said;
  await sources.close();
  assert.deepEqual(received, ['/asked', '/farewell', '/closed']);
});

test('a source that never finishes closing blocks nothing', async (t) => {
  const folder = await makeFolder(t);
  const endless = `export default { open: () => ({ invoke: async () => ({ value: 1 }), close: () => new Promise(() => {}) }) };`;
  await writePlugin(folder, 'endless', endless);
  const sources = await openTestSources(t, { folders: [folder] });
  assert.deepEqual(summary(await ask(sources, jsonCall({}, { name: 'endless' }))), { succeeded: 1 });
  await sources.close();
});
