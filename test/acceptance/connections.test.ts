import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { request as ask } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { ListedConnection } from '../../engine/operations/connections/index.js';
import { compose } from '../../engine/main.js';
import { runCommandLine } from '../../engine/surfaces/cli/command-line.js';
import { startScriptedModel } from '../../fixtures/toys/scripted-model/index.js';
import { startHttpServer } from '../plugins/mcp-servers.js';
import { serve } from '../sources/harness.js';
import { openTestTerminal } from '../surfaces/cli/test-terminal.js';
import { type Ended } from './command.js';
import { makeFolder } from '../support/folder.js';

const SECRET = 'canary-4f0e77a1-post';

interface Desk {
  /** Runs a command of a user with a folder of their own. @param input of standard input; a terminal where it is left out */
  readonly run: (line: string, input?: string, more?: Readonly<Record<string, string>>) => Promise<Ended>;
  readonly file: string;
}

async function openDesk(t: TestContext, given: Readonly<Record<string, string>> = {}): Promise<Desk> {
  const folder = await makeFolder(t);
  const own = { XDG_CONFIG_HOME: folder, CHUKWA_CONNECTIONS_KEY: randomBytes(32).toString('hex'), ...given };
  return {
    file: join(folder, 'chukwa', 'connections.sealed'),
    run: async (line, input, more = {}) => {
      const terminal = openTestTerminal(input === undefined ? {} : { readInput: async () => input });
      const composition = await compose({ ...own, ...more });
      const code = await runCommandLine(composition, line.split(' '), terminal);
      const ended = { code, stdout: terminal.out_text(), stderr: terminal.error_text() };
      assert.ok(!JSON.stringify(ended).includes('canary'), JSON.stringify(ended));
      return ended;
    },
  };
}

const ADD = 'connections add post --kind bearer --origin https://post.example:8443';

async function listOf(desk: Desk, more?: Readonly<Record<string, string>>): Promise<readonly ListedConnection[]> {
  const { stdout } = await desk.run('connections list --json', undefined, more);
  return (JSON.parse(stdout) as { readonly connections: readonly ListedConnection[] }).connections;
}

const LISTED = { id: 'post', kind: 'bearer', origin: 'https://post.example:8443' };

test('a secret comes from standard input into a sealed file of mode 0600, and no command shows it', async (t) => {
  const desk = await openDesk(t);
  assert.equal((await desk.run(ADD, `${SECRET}\n`)).code, 0);
  assert.equal((await stat(desk.file)).mode & 0o777, 0o600);
  const kept = await readFile(desk.file);
  const opened = Buffer.from(kept.toString('utf8'), 'base64').toString('latin1');
  for (const text of [SECRET, 'post', 'bearer']) assert.ok(!kept.includes(text) && !opened.includes(text), text);
  assert.deepEqual(await listOf(desk), [{ ...LISTED, store: 'file' }]);
  assert.match((await desk.run('connections list')).stdout, /post\s+bearer\s+https:\/\/post\.example:8443\s+file/);
});

test('a secret comes from a variable, and one of an id that is taken replaces nothing, unless that is wanted', async (t) => {
  const desk = await openDesk(t);
  assert.equal((await desk.run(`${ADD} --replace`, 'canary-the-first-0001')).stdout.split(' ')[0], 'Added');
  const kept = await readFile(desk.file, 'utf8');
  const second = `${ADD.replace('8443', '9443')} --from A_KEY`;
  const refused = await desk.run(second, undefined, { A_KEY: SECRET });
  assert.deepEqual([refused.code, await readFile(desk.file, 'utf8')], [1, kept]);
  assert.match(refused.stderr, /The connection "post" already exists\. Nothing was changed\.[^]*--replace/);
  const replaced = await desk.run(`${second} --replace`, undefined, { A_KEY: SECRET });
  assert.deepEqual([replaced.code, replaced.stdout.split(' ')[0]], [0, 'Replaced'], replaced.stderr);
  assert.deepEqual(await listOf(desk), [{ ...LISTED, origin: 'https://post.example:9443', store: 'file' }]);
  assert.equal((await desk.run(`${ADD} --from NO_KEY`)).code, 2);
  assert.equal((await desk.run(ADD)).code, 2, 'a terminal would show what is typed');
});

const WEAK = [
  'canary',
  'canaryca',
  'aaaaaaaaaaaaaaaaaaab',
  '            ',
  '',
  'Bearer canary',
  'canary\u200B-4f0e77a1',
  'canary-4f0e\u00e977a1',
];

for (const secret of WEAK)
  test(`${JSON.stringify(secret)} is no secret of a connection, and is not kept`, async (t) => {
    const desk = await openDesk(t);
    const { code, stderr } = await desk.run(ADD, secret);
    assert.equal(code, 1);
    assert.match(stderr, /The connection in "post" cannot be used: its secret/);
    assert.deepEqual(await listOf(desk), []);
  });

const WRONG_ADDS = [
  'connections add Post --kind bearer --origin https://post.example',
  'connections add post --kind bearer --origin https://post.example/path',
  'connections add post --kind bearer --origin https://clerk@post.example',
  'connections add post --kind bearer --origin ftp://post.example',
  'connections add post --kind basic --origin https://post.example',
  'connections add post --kind header --origin https://post.example --name canary:x',
  'connections add post --kind client_credentials --origin https://post.example --client-id a',
];

for (const { name, named = name.toLowerCase() } of [
  { name: 'Host' },
  { name: 'content-length' },
  { name: 'Transfer-Encoding' },
  { name: 'connection' },
  { name: 'Content-Type' },
  { name: 'proxy-authorization' },
  { name: 'TE' },
  { name: 'Sec-Fetch-Mode', named: 'sec-\\*' },
  { name: 'X-Chukwa-World', named: 'x-chukwa-\\*' },
])
  test(`a connection gives no secret in the header ${name}, from the file or from a variable`, async (t) => {
    const desk = await openDesk(t);
    const add = 'connections add post --kind header --origin https://post.example --name';
    const { code, stderr } = await desk.run(`${add} ${name}`, SECRET);
    assert.equal(code, 1);
    assert.match(stderr.replace(/\s+/g, ' '), new RegExp(`cannot be used: the header ${named} is not for secrets`));
    const header = JSON.stringify({ kind: 'header', name, origin: 'https://post.example', secret: SECRET });
    const [listed] = await listOf(desk, { CHUKWA_CONNECTION_POST: header });
    assert.match(listed?.problem ?? '', new RegExp(`the header ${named} is not for secrets`));
    assert.equal((await desk.run(`${add} X-${name}`, SECRET)).code, 0);
  });

for (const line of WRONG_ADDS)
  test(`"${line}" adds nothing`, async (t) => {
    const desk = await openDesk(t);
    assert.equal((await desk.run(line, SECRET)).code, 1);
    assert.deepEqual(await listOf(desk), []);
  });

test('without its key, or with another, the file is neither opened nor replaced', async (t) => {
  const desk = await openDesk(t);
  await desk.run(ADD, SECRET);
  const kept = await readFile(desk.file, 'utf8');
  for (const key of ['', 'short', randomBytes(32).toString('base64'), randomBytes(31).toString('hex')]) {
    const other = { CHUKWA_CONNECTIONS_KEY: key };
    const { code, stderr } = await desk.run(ADD.replace('post', 'mail'), SECRET, other);
    assert.equal(code, 4, key);
    assert.match(stderr, /CHUKWA_CONNECTIONS_KEY/);
    assert.match((await desk.run('connections list', undefined, other)).stderr, /CHUKWA_CONNECTIONS_KEY/);
  }
  assert.equal(await readFile(desk.file, 'utf8'), kept);
});

test('a connection is removed from the file alone: others stay, and the next of its id is added anew', async (t) => {
  const desk = await openDesk(t);
  await desk.run(ADD, SECRET);
  await desk.run(ADD.replace('post', 'mail'), SECRET);
  const kept = await readFile(desk.file, 'utf8');
  const other = { CHUKWA_CONNECTIONS_KEY: randomBytes(32).toString('hex') };
  assert.equal((await desk.run('connections remove post', undefined, other)).code, 4);
  assert.equal(await readFile(desk.file, 'utf8'), kept);
  const unknown = await desk.run('connections remove psot');
  assert.deepEqual([unknown.code, /Did you mean post\?/.test(unknown.stderr)], [1, true]);
  assert.equal(await readFile(desk.file, 'utf8'), kept);
  const removed = await desk.run('connections remove post');
  assert.deepEqual([removed.code, removed.stdout], [0, 'Removed the connection post.\n']);
  assert.equal((await stat(desk.file)).mode & 0o777, 0o600);
  assert.deepEqual(await listOf(desk), [{ ...LISTED, id: 'mail', store: 'file' }]);
  assert.equal((await desk.run('connections remove post')).code, 1);
  assert.equal((await desk.run(ADD, SECRET)).code, 0);
  assert.deepEqual(
    (await listOf(desk)).map(({ id }) => id),
    ['mail', 'post'],
  );
});

test('a connection of the environment is not removed, and a removal says where one stays', async (t) => {
  const desk = await openDesk(t);
  await desk.run(ADD, SECRET);
  const set = {
    CHUKWA_CONNECTION_POST: JSON.stringify({ kind: 'bearer', origin: 'http://127.0.0.1:7', secret: SECRET }),
  };
  const removed = await desk.run('connections remove post', undefined, set);
  assert.match(removed.stdout, /Removed the connection post\. CHUKWA_CONNECTION_POST still sets one\./);
  const again = await desk.run('connections remove post', undefined, set);
  assert.deepEqual([again.code, /Unset CHUKWA_CONNECTION_POST\./.test(again.stderr)], [1, true]);
});

test('a file that was changed, or that others may read, is refused', async (t) => {
  const desk = await openDesk(t);
  await desk.run(ADD, SECRET);
  const kept = Buffer.from(await readFile(desk.file, 'utf8'), 'base64');
  await chmod(desk.file, 0o644);
  assert.match((await desk.run('connections list')).stderr, /may\s+be\s+read\s+by\s+other\s+users/);
  await chmod(desk.file, 0o600);
  for (const at of [0, 20, kept.length - 1]) {
    const changed = Buffer.from(kept);
    changed[at] = (changed[at] ?? 0) ^ 1;
    await writeFile(desk.file, changed.toString('base64'));
    assert.match((await desk.run('connections list')).stderr, /cannot\s+be\s+opened/);
  }
  await writeFile(desk.file, 'canary');
  assert.equal((await desk.run(ADD, SECRET)).code, 4);
});

test('a connection of the environment precedes the file, and a broken one is listed without its value', async (t) => {
  const desk = await openDesk(t);
  await desk.run(ADD, SECRET);
  const bearer = { kind: 'bearer', origin: 'http://127.0.0.1:7', secret: SECRET };
  const set = { CHUKWA_CONNECTION_POST: JSON.stringify(bearer), CHUKWA_CONNECTION_MAIL: `{"secret": "${SECRET}"` };
  const listed = await listOf(desk, set);
  assert.deepEqual(
    listed.map(({ id, store, origin }) => [id, store, origin]),
    [
      ['mail', 'environment', undefined],
      ['post', 'environment', 'http://127.0.0.1:7'],
    ],
  );
  assert.match(listed[0]?.problem ?? '', /CHUKWA_CONNECTION_MAIL.*it is no JSON/);
  assert.match((await desk.run(ADD, SECRET, set)).stderr, /CHUKWA_CONNECTION_POST would hide it/);
});

for (const [status, code, says] of [
  [200, 0, 'works'],
  [404, 0, 'works'],
  [401, 1, 'is refused'],
  [403, 1, 'is refused'],
  [503, 4, 'cannot be asked now'],
] as const)
  test(`connections test makes one request, and says of status ${status} that the connection ${says}`, async (t) => {
    const asked: unknown[] = [];
    const url = await serve(t, ({ method, url: path, headers }, response) => {
      asked.push([method, path, headers['x-key']]);
      response.writeHead(status).end(`canary ${String(headers['x-key'])}`);
    });
    const desk = await openDesk(t);
    await desk.run(`connections add post --kind header --name X-Key --origin ${url}`, SECRET);
    const ended = await desk.run('connections test post --path /me');
    assert.equal(ended.code, code, ended.stderr);
    assert.match(ended.stdout, new RegExp(`The connection post ${says}: ${url} answered with status ${status}`));
    assert.deepEqual(asked, [['GET', '/me', SECRET]]);
  });

test('connections test of a port without a server, and of a token endpoint that refuses, say which it is', async (t) => {
  const url = await serve(t, (_, response) => response.writeHead(401).end('{"canary": 1}'));
  const desk = await openDesk(t);
  await desk.run('connections add far --kind bearer --origin http://127.0.0.1:9', SECRET);
  const far = await desk.run('connections test far');
  assert.deepEqual([far.code, /cannot be asked now/.test(far.stdout)], [4, true]);
  const client = '--kind client_credentials --client-id clerk';
  await desk.run(`connections add bank ${client} --origin http://127.0.0.1:9 --token-url ${url}/token`, SECRET);
  const bank = await desk.run('connections test bank');
  assert.deepEqual([bank.code, /is refused: the token endpoint/.test(bank.stdout)], [1, true]);
  assert.match((await desk.run('connections test bnak')).stderr, /Did you mean bank\?/);
});

test('connections test shows no token that no header may have', async (t) => {
  const token = JSON.stringify({ access_token: 'canary-token\nX-Evil: 1', token_type: 'Bearer' });
  const url = await serve(t, (_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(token),
  );
  const desk = await openDesk(t);
  const client = `--kind client_credentials --client-id clerk --origin ${url} --token-url ${url}/token`;
  await desk.run(`connections add bank ${client}`, SECRET);
  const bank = await desk.run('connections test bank');
  assert.deepEqual([bank.code, /is refused:/.test(bank.stdout)], [1, true], bank.stdout);
});

/** A way to a server that asks for a secret. */
async function guard(t: TestContext, upstream: string): Promise<string> {
  return serve(t, (request, response) => {
    if (request.headers['x-key'] !== SECRET) return response.writeHead(401).end('who is there?');
    const { host: _host, ...headers } = request.headers;
    const { pathname, origin } = new URL(upstream);
    const path = request.url === '/' ? pathname : request.url;
    const passed = ask(`${origin}${path}`, { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    return request.pipe(passed);
  });
}

test('calls of no binding get the secret of the connection that their command names: tools, pins, and a model', async (t) => {
  const url = await guard(t, await startHttpServer(t));
  const { origin } = new URL(url);
  const desk = await openDesk(t, { CHUKWA_MCP_GUARDED: url, CHUKWA_DATA_DIR: await makeFolder(t) });
  await desk.run(`connections add post --kind header --name X-Key --origin ${origin}`, SECRET);
  const listed = await desk.run('mcp tools CHUKWA_MCP_GUARDED --connection post');
  assert.deepEqual([listed.code, /echo/.test(listed.stdout)], [0, true], listed.stderr);
  assert.equal((await desk.run('mcp tools CHUKWA_MCP_GUARDED')).code, 4);
  assert.equal((await desk.run('mcp tools CHUKWA_MCP_GUARDED --connection mail')).code, 4);
  const file = join(await makeFolder(t), 'echo.json');
  const echo = { name: 'mcp_tool', server_env: 'CHUKWA_MCP_GUARDED', tool_name: 'echo' };
  await writeFile(file, JSON.stringify({ version: 1, label: 'echo', interface: echo }));
  const pin = await desk.run(`mcp diff ${file} --connection post`);
  assert.deepEqual([pin.code, (await desk.run(`mcp diff ${file}`)).code], [0, 4], pin.stderr);

  const model = await startScriptedModel({ version: 1, label: 'silent', turns: {} });
  t.after(() => model.close());
  const behind = await guard(t, model.url);
  await desk.run(`connections add model --kind header --name X-Key --origin ${new URL(behind).origin}`, SECRET);
  const chat = { name: 'llm_chat', model: 'tiny', schema_delivery: 'prompt', tool_calling: 'json_control' };
  await writeFile(file, JSON.stringify({ version: 1, label: 'chat', interface: chat }));
  const at = { CHUKWA_LLM_BASE_URL: `${behind}${new URL(model.url).pathname}`, CHUKWA_LLM_API_KEY: 'loopback' };
  await desk.run(`model try ${file}`, undefined, at);
  assert.equal(model.requests.length, 0);
  await desk.run(`model try ${file} --connection model`, undefined, at);
  assert.ok(model.requests.length > 0);
});
