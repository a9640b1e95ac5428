import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { CallOutcome } from '../../engine/ports/sources.js';
import { createExamineOrigin } from '../../engine/sources/examine-origin.js';
import { findProxy } from '../../engine/sources/proxy.js';
import { ask, findFreeOrigin, jsonCall, openTestSources, serve, storedText, summary } from './harness.js';
import { makeFolder } from '../support/folder.js';

const PASSWORD = 'pass-of-the-proxy-1';

/** Listens on the loopback address until the test ends; gives the port. */
async function listen(t: TestContext, server: Server): Promise<number> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => void open.add(socket));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A proxy that answers by itself in place of every service, or connects to a port; gives what it was asked for. */
async function openProxy(t: TestContext, { status = 200, to = 0 } = {}) {
  const asked: string[] = [];
  const note = ({ method, url, headers }: IncomingMessage): void =>
    void asked.push(`${method} ${url} ${headers.host} ${headers['proxy-authorization'] ?? ''}`.trim());
  const proxy = createServer((request, response) => {
    note(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end('{"via":"proxy"}');
  });
  proxy.on('connect', (request, socket) => {
    note(request);
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    socket.write('HTTP/1.1 200 Connected\r\n\r\n');
    const service = connect(to, '127.0.0.1');
    service
      .on('error', () => socket.destroy())
      .pipe(socket.on('error', () => service.destroy()))
      .pipe(service);
  });
  return { port: await listen(t, proxy), asked };
}

/** A service of https whose certificate only its own authority has signed; gives its port and the file of that. */
async function openSecure(t: TestContext, name = 'localhost') {
  const folder = await makeFolder(t);
  const [key, cert] = [join(folder, 'a.key'), join(folder, 'a.crt')];
  const words = `req -new -x509 -days 2 -nodes -out ${cert} -keyout ${key} -subj /CN=${name} -addext subjectAltName=DNS:${name}`;
  execFileSync('openssl', words.split(' '), { stdio: 'ignore' });
  const server = createSecureServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_request, response) =>
    response.setHeader('content-type', 'application/json').end('{"secure":true}'),
  );
  return { port: await listen(t, server), cert };
}

async function askAt(t: TestContext, url: string, variables: Readonly<Record<string, string>> = {}) {
  const sources = await openTestSources(t, { lookUp: (name) => ({ CHUKWA_TEST_URL: url, ...variables })[name] });
  return ask(sources, jsonCall({ call: { effect: 'external_side_effect' } }));
}

const messageOf = (outcome: CallOutcome): string => (outcome.status === 'failed' ? outcome.failure_message : '');

test('a service of http is asked through the proxy, which is told user and password, and is recorded as itself', async (t) => {
  const { port, asked } = await openProxy(t);
  const outcome = await askAt(t, 'http://service.example:8080/v1', {
    HTTP_PROXY: `http://user:${PASSWORD}@127.0.0.1:${port}`,
  });
  assert.deepEqual(summary(outcome), { succeeded: { via: 'proxy' } });
  const authorization = `Basic ${Buffer.from(`user:${PASSWORD}`).toString('base64')}`;
  assert.deepEqual(asked, [`POST http://service.example:8080/v1/answer service.example:8080 ${authorization}`]);
});

test('a service of https is asked through a tunnel of the proxy, and has to prove its own name', async (t) => {
  const { port: to } = await openSecure(t);
  const { port, asked } = await openProxy(t, { to });
  const outcome = await askAt(t, 'https://service.example', { https_proxy: `127.0.0.1:${port}` });
  assert.equal(outcome.status === 'failed' && outcome.failure_class, 'call_rejected');
  assert.match(messageOf(outcome), /service\.example .*through the proxy .*https_proxy.*no known authority/);
  assert.deepEqual(asked, ['CONNECT service.example:443 service.example']);
});

for (const [url, status, failed, message] of [
  [
    'http://service.example',
    407,
    'http_status',
    /the proxy http:\/\/127\.0\.0\.1:\d+ \(HTTP_PROXY\) answered with status 407/,
  ],
  ['http://service.example', 502, 'http_status', /the proxy \S+ \(HTTP_PROXY\) answered with status 502 in place of/],
  ['https://service.example', 407, 'call_rejected', /the proxy \S+ \(HTTPS_PROXY\) did not connect to .* status 407/],
  ['https://service.example', 502, 'transport', /the proxy \S+ \(HTTPS_PROXY\) did not connect to .* status 502/],
] as const)
  test(`status ${status} of a proxy of ${url} is said as the proxy's`, async (t) => {
    const { port } = await openProxy(t, { status });
    const proxy = `http://user:${PASSWORD}@127.0.0.1:${port}`;
    const outcome = await askAt(t, url, { HTTP_PROXY: proxy, HTTPS_PROXY: proxy });
    assert.deepEqual(summary(outcome), { failed, refused: false });
    assert.match(messageOf(outcome), message);
    assert.ok(!storedText(outcome).includes(PASSWORD));
  });

test('a proxy that is not there, or is none, is named with its variable', async (t) => {
  const nobody = await findFreeOrigin();
  for (const url of ['http://service.example', 'https://service.example']) {
    const outcome = await askAt(t, url, { HTTP_PROXY: nobody, HTTPS_PROXY: nobody });
    assert.match(messageOf(outcome), /^the proxy \S+ \(HTTPS?_PROXY\) refused the connection/);
  }
  const odd = await askAt(t, 'http://service.example', { HTTP_PROXY: 'socks5://127.0.0.1:1' });
  assert.match(messageOf(odd), /HTTP_PROXY does not hold an http or https URL/);
});

test('what is on this machine is never asked through a proxy', async (t) => {
  const url = await serve(t, (_request, response) => response.setHeader('content-type', 'application/json').end('7'));
  assert.deepEqual(summary(await askAt(t, url, { HTTP_PROXY: await findFreeOrigin() })), { succeeded: 7 });
});

const PROXIED: readonly (readonly [url: string, left_out: string, is_proxied: boolean])[] = [
  ['http://a.example', '', true],
  ['http://a.example', '*', false],
  ['http://a.example', 'b.example, a.example', false],
  ['http://x.a.example', 'A.example', false],
  ['http://x.a.example', '.a.example', false],
  ['http://xa.example', 'a.example', true],
  ['http://a.example:8080', 'a.example:80', true],
  ['https://a.example', '*.example:443', false],
  ['http://10.1.2.3', '10.0.0.0/8', false],
  ['http://11.1.2.3', '10.0.0.0/8', true],
  ['http://[fd00::1]:8080', 'fd00::/8', false],
  ['http://[fd00::1]', 'FD00:0:0:0:0:0:0:1', false],
  ['http://[fd00::1]:80', '[fd00:0::1]:80', false],
  ['http://[fd00::2]', 'fd00::1', true],
  ['http://10.1.2.3', '10.1.2.3', false],
  ['http://10.1.2.33', '10.1.2.3', true],
  ['http://[::1]:8080', '', false],
  ['http://[::ffff:127.0.0.1]:8080', '', false],
  ['http://127.8.8.8', '', false],
  ['http://localhost:1', '', false],
];

for (const [url, no_proxy, is_proxied] of PROXIED)
  test(`${url} is ${is_proxied ? '' : 'not '}asked through a proxy where NO_PROXY is "${no_proxy}"`, () => {
    const variables: Readonly<Record<string, string>> = {
      HTTP_PROXY: 'http://p:1',
      https_proxy: 'p:2',
      NO_PROXY: no_proxy,
    };
    const found = findProxy(new URL(url), (name) => variables[name]);
    assert.equal(found.ok && found.origin !== undefined, is_proxied);
  });

test('doctor says through which proxy a service is asked, and looks for the proxy itself', async (t) => {
  const { port, asked } = await openProxy(t);
  const variables: Readonly<Record<string, string>> = { HTTP_PROXY: `http://user:${PASSWORD}@127.0.0.1:${port}` };
  const examine = createExamineOrigin((name) => variables[name]);
  const proxy = await examine('HTTP_PROXY', variables['HTTP_PROXY'] ?? '', 'x');
  assert.deepEqual(proxy, { ok: true, origin: `http://127.0.0.1:${port}` });
  const service = await examine('CHUKWA_TEST_URL', 'http://service.example', 'x');
  assert.deepEqual(service, { ok: true, origin: 'http://service.example, through the proxy of HTTP_PROXY' });
  assert.deepEqual(asked, []);
});

test('a certificate of an authority of its own, of another name, and a port without TLS are not asked again in vain', async (t) => {
  const { port } = await openSecure(t);
  const plain = await serve(t, (_request, response) => response.end());
  const examine = createExamineOrigin(() => undefined);
  for (const [url, message] of [
    [`https://localhost:${port}`, /no known authority has signed: set NODE_EXTRA_CA_CERTS/],
    [plain.replace('http:', 'https:'), /does not speak TLS at this port: write http:\/\/ in CHUKWA_TEST_URL/],
  ] as const) {
    const outcome = await askAt(t, url);
    assert.deepEqual(summary(outcome), { failed: 'call_rejected', refused: false });
    assert.match(messageOf(outcome), message);
    assert.doesNotMatch(messageOf(outcome), /unknown whether/, 'nothing was sent');
    const report = await examine('CHUKWA_TEST_URL', url, 'x');
    assert.match(report.ok ? '' : report.message, message);
  }
  assert.match(messageOf(await askAt(t, `http://localhost:${port}`)), /where it speaks TLS at this port, write https:/);
  const alerting = await listen(
    t,
    createTcpServer((socket) =>
      socket.on('error', () => {}).once('data', () => socket.end('\u0015\u0003\u0001\u0000\u0002\u0002F')),
    ),
  );
  const alerted = await askAt(t, `http://localhost:${alerting}`);
  assert.match(messageOf(alerted), /speaks TLS at this port: write https:\/\/ in CHUKWA_TEST_URL/);
});

/** Asks a service for JSON, and a server of MCP for its handshake, and prints how both ended. */
const CHILD = `
  import { openTestSources, jsonCall, ask } from '${new URL('./harness.js', import.meta.url).href}';
  import { toolCall } from '${new URL('../plugins/mcp-servers.js', import.meta.url).href}';
  const sources = await openTestSources({ after() {} }, { lookUp: () => process.argv[1] });
  const outcomes = [await ask(sources, jsonCall()), await ask(sources, toolCall('echo'))];
  console.log(JSON.stringify(outcomes.map((outcome) => outcome.failure_message ?? outcome.view)));
  await sources.close();
`;

test('an authority in NODE_EXTRA_CA_CERTS is known to every source', async (t) => {
  const { port, cert } = await openSecure(t);
  const said = await new Promise<string>((resolve, reject) => {
    execFile(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '-e', CHILD, `https://localhost:${port}`],
      { cwd: fileURLToPath(new URL('../..', import.meta.url)), env: { ...process.env, NODE_EXTRA_CA_CERTS: cert } },
      (error, stdout, stderr) => (error ? reject(new Error(stderr)) : resolve(stdout)),
    );
  });
  const [json, mcp] = JSON.parse(said) as readonly unknown[];
  assert.deepEqual(json, { secure: true });
  assert.match(String(mcp), /not of the protocol/, 'it was reached');
});
