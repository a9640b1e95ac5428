import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createExamineOrigin } from '../../engine/sources/examine-origin.js';

const examineOrigin = createExamineOrigin(() => undefined);

const EXAMPLE = 'http://127.0.0.1:8080';

/** The port of a server that accepts connections until it closes; it counts what it is sent. */
async function listen(t: TestContext): Promise<{ port: number; sent: () => number; close: () => Promise<void> }> {
  let sent = 0;
  const server = createServer((socket) => {
    socket.on('data', ({ length }) => {
      sent += length;
    });
    socket.on('error', () => {});
  });
  const close = (): Promise<void> => new Promise((resolve) => void server.close(() => resolve()));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.after(close);
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return { port: address.port, sent: () => sent, close };
}

test('a service that accepts connections is found at its origin, and is sent nothing', async (t) => {
  const { port, sent, close } = await listen(t);
  const origin = `http://127.0.0.1:${port}`;
  assert.deepEqual(await examineOrigin('CHUKWA_TEST_URL', `${origin}/below/`, EXAMPLE), { ok: true, origin });
  await close();
  assert.equal(sent(), 0);
});

test('a service that has ended cannot be reached, and the repair names its variable', async (t) => {
  const { port, close } = await listen(t);
  await close();
  const report = await examineOrigin('CHUKWA_TEST_URL', `http://127.0.0.1:${port}`, EXAMPLE);
  assert.deepEqual(report, {
    ok: false,
    message: `http://127.0.0.1:${port} cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}`,
    repair: 'Start the service, or correct CHUKWA_TEST_URL.',
  });
});

for (const [url, port] of [
  ['http://127.0.0.2', 80],
  ['https://127.0.0.2', 443],
] as const)
  test(`a service at ${url} is looked for at port ${port}`, async () => {
    const report = await examineOrigin('CHUKWA_TEST_URL', url, EXAMPLE);
    assert.match(report.ok ? '' : report.message, new RegExp(`connect ECONNREFUSED 127\\.0\\.0\\.2:${port}$`));
  });

test('a service at a name of several addresses is refused with the reason of the first', async (t) => {
  const { port, close } = await listen(t);
  await close();
  const report = await examineOrigin('CHUKWA_TEST_URL', `http://localhost:${port}`, EXAMPLE);
  assert.match(report.ok ? '' : report.message, new RegExp(`cannot be reached: connect ECONNREFUSED \\S+:${port}$`));
});

test('a value that is no URL is refused with an example of one', async () => {
  const report = await examineOrigin('CHUKWA_TEST_URL', 'not a URL', EXAMPLE);
  assert.ok(!report.ok);
  assert.match(report.message, /CHUKWA_TEST_URL/);
  assert.equal(report.repair, `Set CHUKWA_TEST_URL to a URL such as ${EXAMPLE}`);
});
