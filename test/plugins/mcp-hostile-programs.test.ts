import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import type { Sources, SourcesParts } from '../../engine/sources/index.js';
import { ask, makeRecorder, openTestSources, summary, untilDead, type Wanted } from '../sources/harness.js';
import { makeFolder } from '../support/folder.js';
import { waitUntil } from '../support/wait-until.js';
import { bodyOf, commandOfScript, failureOf, fakeServer, toolCall } from './mcp-servers.js';

function open(t: TestContext, command: string, parts: Partial<SourcesParts> = {}): Promise<Sources> {
  return openTestSources(t, { overlay: { CHUKWA_MCP_TEST: command }, ...parts });
}

async function valueOf(sources: Sources, request: Json = {}): Promise<Json> {
  const outcome = await ask(sources, toolCall('do', request));
  assert.equal(outcome.status, 'succeeded', JSON.stringify(outcome));
  return (outcome.view as JsonObject)['value'] ?? null;
}

interface Hostile {
  readonly name: string;
  readonly command: string;
  readonly failed: string;
  readonly message: RegExp;
  readonly wanted?: Wanted;
  /** The kept part of its output. */
  readonly body?: RegExp;
}

const SHORT: Wanted = { deadline_ms: 700 };

const HOSTILE: readonly Hostile[] = [
  {
    name: 'dies before it has greeted',
    command: commandOfScript(`console.error('no such disk'); process.exit(4)`),
    failed: 'transport',
    message: /CHUKWA_MCP_TEST names ended \(code 4\)/,
    body: /^no such disk\n$/,
  },
  {
    name: 'dies before anybody can write to it',
    command: '["sh", "-c", "echo boom >&2; exit 3"]',
    failed: 'transport',
    message: /CHUKWA_MCP_TEST names ended \(code 3\)/,
    body: /^boom\n$/,
  },
  {
    name: 'dies in the middle of a call',
    command: fakeServer(`'tools/call': () => { console.error('out of luck'); process.exit(3) }`),
    failed: 'transport',
    message: /ended \(code 3\)/,
    body: /out of luck/,
  },
  {
    name: 'never greets',
    command: fakeServer(`initialize: () => {}`),
    failed: 'timeout',
    message: /within 700 ms/,
    wanted: SHORT,
  },
  {
    name: 'never answers',
    command: fakeServer(`'tools/call': () => {}`),
    failed: 'timeout',
    message: /within 700 ms/,
    wanted: SHORT,
  },
  ...['null', '7', '[]', '{}, "error": {"code": "x"}'].map((said) => ({
    name: `answers with a result that is none (${said})`,
    command: fakeServer(
      `'tools/call': ({ id }) => { process.stdout.write('{"jsonrpc":"2.0","id":' + id + ',"result":${said}}\\n'); }`,
    ),
    failed: 'transport',
    message: /not of the protocol/,
    body: /"result":/,
  })),
  {
    name: 'says nothing that is a message',
    command: commandOfScript(`setInterval(() => console.log('busy 100% [}'), 5)`),
    failed: 'timeout',
    message: /within 700 ms/,
    wanted: SHORT,
  },
  {
    name: 'closes its output and stays',
    command: fakeServer(`'tools/call': () => { require('node:fs').closeSync(1); setInterval(() => {}, 1000); }`),
    failed: 'transport',
    message: /CHUKWA_MCP_TEST names ended/,
  },
  {
    name: 'says 5 MB without an end of line',
    command: fakeServer(`'tools/call': () => { process.stdout.write('x'.repeat(5_000_000)); }`),
    failed: 'result_too_large',
    message: /at once, and was ended/,
  },
  {
    name: 'says 50 MB without an end of line, a piece at a time, and stays',
    command: fakeServer(`'tools/call': () => {
      setInterval(() => {}, 1000);
      const more = (left) => left > 0 && process.stdout.write('x'.repeat(50_000), () => more(left - 50_000));
      more(50_000_000);
    }`),
    failed: 'result_too_large',
    message: /at once, and was ended/,
  },
  {
    name: 'answers another call than was asked, in several ways',
    command: fakeServer(`'tools/call': ({ id }) => {
      for (const other of [id + 1, -id, id + 0.5, null, { id }]) say({ id: other, result: content('of another call') });
      say({ result: content('of no call') });
    }`),
    failed: 'timeout',
    message: /within 700 ms/,
    wanted: SHORT,
  },
  {
    name: 'complains without end and never answers',
    command: fakeServer(`'tools/call': () => { setInterval(() => console.error('x'.repeat(10_000)), 1); }`),
    failed: 'timeout',
    message: /within 700 ms/,
    wanted: SHORT,
  },
  {
    name: 'asks 8,000 things, and reads no answer',
    command: fakeServer(
      `'tools/call': () => { readNoMore(); process.stdout.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\\n'.repeat(8_000)); }`,
    ),
    failed: 'transport',
    message: /CHUKWA_MCP_TEST names left 4001 messages unread \(\d+ bytes\), and was ended$/,
  },
  {
    name: 'asks 50 long things, and reads no answer',
    command: fakeServer(`'tools/call': () => {
      readNoMore();
      const asked = JSON.stringify({ jsonrpc: '2.0', id: 'x'.repeat(1_000_000), method: 'sampling/createMessage' });
      for (let i = 0; i < 50; i += 1) process.stdout.write(asked + '\\n');
    }`),
    failed: 'transport',
    message: /CHUKWA_MCP_TEST names left \d\d messages unread \(1\d{7} bytes\), and was ended$/,
  },
  {
    name: 'says a result that is too large',
    command: fakeServer(`'tools/call': () => content('x'.repeat(40_000))`),
    failed: 'result_too_large',
    message: /32768/,
  },
  {
    name: 'names a member of its result twice',
    command: fakeServer(
      `'tools/call': ({ id }) => { process.stdout.write('{"jsonrpc":"2.0","id":' + id + ',"result":{"content":[],"structuredContent":{"a":1,"a":2}}}\\n'); }`,
    ),
    failed: 'non_json',
    message: /twice/,
  },
  {
    name: 'nests its result deeply',
    command: fakeServer(
      `'tools/call': ({ id }) => { process.stdout.write('{"jsonrpc":"2.0","id":' + id + ',"result":{"content":[],"structuredContent":' + '['.repeat(50_000) + ']'.repeat(50_000) + '}}\\n'); }`,
    ),
    failed: 'non_json',
    message: /nested deeper than 64 levels/,
  },
  {
    name: 'refuses the parameters',
    command: fakeServer(
      `'tools/call': ({ id }) => say({ id, error: { code: -32602, message: 'canary: no such argument', data: { a: 1 } } })`,
    ),
    failed: 'tool_error',
    message: /error -32602 \(invalid parameters\); it said: .*no such argument/,
    body: /canary: no such argument.*"data":\{"a":1\}/,
  },
  {
    name: 'claims that its connection was closed',
    command: fakeServer(
      `'tools/call': ({ id }) => say({ id, error: { code: -32000, message: 'Connection closed', data: { lost_request: 2 } } })`,
    ),
    failed: 'internal_error',
    message: /-32000/,
  },
  {
    name: 'answers with no result of a tool',
    command: fakeServer(`'tools/call': () => ({ done: true })`),
    failed: 'transport',
    message: /no result of a tool/,
    body: /done/,
  },
  {
    name: 'speaks another version of the protocol',
    command: fakeServer(
      `initialize: () => ({ protocolVersion: '1999-01-01', capabilities: {}, serverInfo: { name: 'old', version: '0' } })`,
    ),
    failed: 'transport',
    message: /not of the protocol/,
  },
  {
    name: 'lists its tools without an end, and never this one',
    command: fakeServer(`'tools/list': () => ({ tools: [{ name: 'other' }], nextCursor: 'more' })`),
    failed: 'unavailable',
    message: /has no tool do; it has other/,
  },
];

for (const { name, command, failed, message, wanted, body } of HOSTILE) {
  test(`a program that ${name} fails the call as ${failed}`, async (t) => {
    const sources = await open(t, command);
    const outcome = failureOf(await ask(sources, toolCall('do', {}, wanted)));
    assert.equal(outcome.failure_class, failed, outcome.failure_message);
    assert.match(outcome.failure_message, message);
    if (failed !== 'tool_error') assert.doesNotMatch(outcome.failure_message, /canary/);
    if (body) assert.match(bodyOf(outcome), body);
  });
}

test('of two answers to one call the first counts, and the second answers no other call', async (t) => {
  const twice = `'tools/call': ({ id, params }) => {
    for (const which of ['first', 'second']) say({ id, result: content(which + ' of ' + params.arguments.n) });
  }`;
  const sources = await open(t, fakeServer(twice));
  for (const n of [1, 2, 3]) assert.equal(await valueOf(sources, { n }), `first of ${n}`);
});

test('null is read as a member that a program left out', async (t) => {
  const nulls = fakeServer(`
    initialize: ({ params }) => ({ protocolVersion: params.protocolVersion, capabilities: { tools: { listChanged: null } }, serverInfo: { name: 'fake', version: '1' }, instructions: null }),
    'tools/list': () => ({ _meta: null, tools: [{ name: 'do', title: null, inputSchema: { type: 'object' } }] }),
    'tools/call': ({ id, params }) => {
      if (params.arguments.fails) return void say({ id, result: null, error: { code: -32602, message: 'no', data: null } });
      say({ id, error: null, result: { _meta: null, structuredContent: { value: null }, content: null } });
    }`);
  const sources = await open(t, nulls);
  assert.equal(await valueOf(sources), null);
  assert.equal(failureOf(await ask(sources, toolCall('do', { fails: true }))).failure_class, 'tool_error');
});

test('an answer is a failure wherever its server says so in any way', async (t) => {
  const sources = await open(t, fakeServer(`'tools/call': () => ({ isError: 'true', content: [] })`));
  assert.equal(failureOf(await ask(sources, toolCall('do'))).failure_class, 'tool_error');
});

test('a program that stays when it is told to end is gone after closing, and so is what it started', async (t) => {
  const stubborn = fakeServer(
    `'tools/call': () => content([process.pid, child.pid])`,
    `process.on('SIGTERM', () => {});
     process.exit = () => setInterval(() => console.error('still here'), 1);
     const child = require('node:child_process').spawn('sh', ['-c', 'trap "" TERM; while :; do sleep 1; done'], { stdio: 'inherit' });`,
  );
  const sources = await open(t, stubborn);
  const pids = await valueOf(sources);
  await sources.close();
  assert.equal((pids as readonly Json[]).length, 2);
  for (const pid of pids as readonly Json[]) await untilDead(pid);
});

test('a program that greets on standard output is understood all the same', async (t) => {
  const lines: string[] = [];
  const command = fakeServer('', `console.log('fake server 1.0, ready'); console.log('42');`);
  const sources = await open(t, command, { log: ({ message }) => lines.push(message) });
  assert.equal(typeof (await valueOf(sources)), 'number');
  assert.equal(lines.filter((line) => /no message/.test(line)).length, 2);
});

test('a program that goes on talking between calls is left unread, and is the same at the next call', async (t) => {
  const command = fakeServer(`'tools/call': () => {
    const notification = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x'.repeat(100_000) } });
    if (seen.length === 4) setTimeout(() => process.stdout.write((notification + '\\n').repeat(20)), 100);
    setTimeout(() => console.error(process.stdout.writableLength, 'bytes are unread'), 500);
    return content(process.pid);
  }`);
  let say = (_line: string): void => {};
  const said = new Promise<string>((resolve) => {
    say = resolve;
  });
  const sources = await open(t, command, { log: ({ message }) => say(message) });
  const first = await valueOf(sources);
  assert.match(await said, /\d{7} bytes are unread$/);
  assert.equal(await valueOf(sources), first);
});

test('of the lines of a program that are no messages, 200 are logged', async (t) => {
  const lines: string[] = [];
  const command = fakeServer(
    `'tools/call': () => { console.log('busy\\n\\n'.repeat(1_000)); return content('done'); }`,
  );
  const sources = await open(t, command, { log: ({ message }) => lines.push(message) });
  assert.equal(await valueOf(sources), 'done');
  assert.equal(lines.length, 201);
});

test('a program that dies between calls, with words unread, is started again by the next call', async (t) => {
  const command = fakeServer(`'tools/call': () => {
    setTimeout(() => console.log('bye'), 50);
    setTimeout(() => { console.log('bye'.repeat(1_000)); process.exit(); }, 100);
    return content(process.pid);
  }`);
  const sources = await open(t, command);
  const first = await valueOf(sources);
  await untilDead(first);
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.notEqual(await valueOf(sources), first);
});

test('a program that died is started again by the next call', async (t) => {
  const command = fakeServer(
    `'tools/call': ({ params }) => params.arguments.die ? process.exit(1) : content(process.pid)`,
  );
  const sources = await open(t, command);
  const first = await valueOf(sources);
  assert.equal(await valueOf(sources), first, 'it is the same program');
  const died = await ask(sources, toolCall('do', { die: true }));
  assert.deepEqual(summary(died), { failed: 'transport', refused: false });
  assert.notEqual(await valueOf(sources), first);
});

test('a program that hangs after a call was cut is ended, and the next call starts another', async (t) => {
  const command = fakeServer(
    `'tools/call': ({ params }) => { while (params.arguments.hang); return content(process.pid); }`,
  );
  const sources = await open(t, command);
  const first = await valueOf(sources);
  const hung = await ask(sources, toolCall('do', { hang: true }, SHORT));
  assert.deepEqual(summary(hung), { failed: 'timeout', refused: false });
  assert.notEqual(await valueOf(sources), first);
});

test('a call that is cut is taken back by its id, and others go on', async (t) => {
  const command = fakeServer(`'tools/call': ({ id, params }) => {
    const asked = params.arguments;
    if (asked.report) return content(seen.filter(({ method }) => method === 'notifications/cancelled').map(({ params }) => params.requestId === methods.waiting));
    if (asked.wait) { methods.waiting = id; return undefined; }
    setTimeout(() => say({ id, result: content('late') }), 1200);
  }`);
  const sources = await open(t, command);
  assert.deepEqual(await valueOf(sources, { report: true }), []);
  const slow = valueOf(sources, {});
  const cut = await ask(sources, toolCall('do', { wait: true }, SHORT));
  assert.deepEqual(summary(cut), { failed: 'timeout', refused: false });
  assert.equal(await slow, 'late');
  assert.deepEqual(await valueOf(sources, { report: true }), [true], 'what was answered is not taken back');
});

test('calls that come while a session is being opened wait for it, and outlive the one that opened it', async (t) => {
  const command = fakeServer(`initialize: ({ id, params }) => {
    const { protocolVersion } = params;
    const result = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'slow', version: '1' } };
    setTimeout(() => say({ id, result }), 600);
  }`);
  const sources = await open(t, command);
  const stop = new AbortController();
  const recorder = makeRecorder({ started: async () => void setTimeout(() => stop.abort(), 200) });
  const opening = sources.callSource(
    toolCall('do'),
    { client_request_id: 'x', correlation_id: 'call-1', signal: stop.signal },
    recorder,
  );
  await new Promise((resolve) => setTimeout(resolve, 50));
  const waiting = [valueOf(sources), valueOf(sources)];
  assert.deepEqual(summary(await opening), { failed: 'stopped', refused: false });
  const [one, other] = await Promise.all(waiting);
  assert.equal(one, other, 'both were asked of one program');
});

test('a program that starts slower than a call may take is started once, and a later call reaches it', async (t) => {
  const file = join(await makeFolder(t), 'starts');
  const command = fakeServer(
    `initialize: ({ id, params }) => {
      const { protocolVersion } = params;
      const result = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'slow', version: '1' } };
      const look = setInterval(() => {
        if (!fs.existsSync(${JSON.stringify(file)} + '.go')) return;
        clearInterval(look);
        say({ id, result });
      }, 10);
    }`,
    `const fs = require('node:fs'); fs.appendFileSync(${JSON.stringify(file)}, 'start ');`,
  );
  const sources = await open(t, command);
  const early = await ask(sources, toolCall('do', {}, SHORT));
  assert.deepEqual(summary(early), { failed: 'timeout', refused: false });
  await writeFile(`${file}.go`, '');
  assert.equal(typeof (await valueOf(sources)), 'number');
  assert.equal(await readFile(file, 'utf8'), 'start ');
});

test('a program that ends while it starts tells those who wait why, and the next call starts another', async (t) => {
  const file = join(await makeFolder(t), 'starts');
  const before = `const fs = require('node:fs'); fs.appendFileSync(${JSON.stringify(file)}, 'start ');
    if (fs.readFileSync(${JSON.stringify(file)}, 'utf8') === 'start ') setTimeout(() => { console.error('no such disk'); process.exit(4); }, 400);`;
  const sources = await open(t, fakeServer(`initialize: () => undefined`, before));
  const [early, late] = await Promise.all([
    ask(sources, toolCall('do', {}, { settings: { timeout_ms: 200 } })),
    ask(sources, toolCall('do')),
  ]);
  assert.deepEqual(summary(early), { failed: 'timeout', refused: false });
  assert.equal(failureOf(late).failure_class, 'transport');
  assert.match(bodyOf(late), /no such disk/);
  await ask(sources, toolCall('do', {}, { settings: { timeout_ms: 400 } }));
  await waitUntil(async () => (await readFile(file, 'utf8')) === 'start start ');
});

test('a tool of a list that is nested too deeply hides no other', async (t) => {
  const deep = `JSON.parse('{"a":'.repeat(70) + '1' + '}'.repeat(70))`;
  const sources = await open(
    t,
    fakeServer(`'tools/list': () => ({ tools: [{ name: 'deep', inputSchema: ${deep} }, { name: 'do' }] })`),
  );
  assert.equal(typeof (await valueOf(sources)), 'number');
});

test('requests of a server, and its claims about its tools, are neither granted nor believed', async (t) => {
  const command = fakeServer(`'tools/call': ({ id, params }) => {
    if (params.arguments.report) return content({
      answers: seen.filter((message) => message.method === undefined).map(({ id, error }) => [id, error?.code]),
      listed: seen.filter(({ method }) => method === 'tools/list').length,
      offered: seen[0].params.capabilities,
    });
    say({ id: 'a', method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } });
    say({ id: 'b', method: 'roots/list' });
    say({ id: 'c', method: 'elicitation/create', params: { message: 'password?', requestedSchema: { type: 'object', properties: {} } } });
    say({ method: 'notifications/tools/list_changed' });
    setTimeout(() => say({ id, result: content('done') }), 50);
  }`);
  const sources = await open(t, command);
  assert.equal(await valueOf(sources), 'done');
  assert.deepEqual(await valueOf(sources, { report: true }), {
    answers: [
      ['a', -32601],
      ['b', -32601],
      ['c', -32601],
    ],
    // It has said that its list has changed.
    listed: 2,
    offered: {},
  });
});

test('a text is parsed where the server declares an output schema, whatever that schema is', async (t) => {
  const command = fakeServer(`
    'tools/list': () => ({ tools: [{ name: 'do', inputSchema: { type: 'object' }, outputSchema: { type: 'object', properties: { a: { pattern: '(a+)+$', $ref: 'http://evil.test/' } } } }] }),
    'tools/call': () => ({ content: [{ type: 'text', text: '{"value":{"a":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"}}' }] }),`);
  assert.deepEqual(await valueOf(await open(t, command)), { a: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' });
});

test('the call is named to the server, and secrets of the command are in no record', async (t) => {
  const script = JSON.parse(
    fakeServer(`'tools/call': ({ params }) => content([params._meta, process.argv])`),
  ) as string[];
  const sources = await open(t, JSON.stringify([...script, 'API_KEY=canary-1234']));
  const outcome = await ask(sources, toolCall('do'));
  assert.doesNotMatch(JSON.stringify(outcome) + bodyOf(outcome), /canary/);
  const text = JSON.stringify(outcome.status === 'succeeded' ? outcome.answer : undefined);
  assert.match(text, /API_KEY=\[secret:CHUKWA_MCP_TEST\]/);
  assert.match(text, /"chukwa.dev\/client-request-id":"park\/turn-1\/bob\/act\/round-1\/try-1"/);
});

test('a variable that is not set is unavailable, and says what it may hold', async (t) => {
  const outcome = failureOf(await ask(await openTestSources(t), toolCall('do')));
  assert.deepEqual([outcome.failure_class, outcome.refused], ['unavailable', true]);
  assert.match(outcome.failure_message, /CHUKWA_MCP_TEST is not set.*URL.*command/);
});
