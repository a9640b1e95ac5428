import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { startPostgres, type TestServer } from '../../tools/postgres-server.js';
import { waitUntil } from '../support/wait-until.js';
import { type RunningHere, runHere, startHere, whileRunning } from './command.js';

describe('a PostgreSQL that is away when a command starts', () => {
  let server: TestServer;
  let variables: Readonly<Record<string, string>>;
  before(async () => {
    server = await startPostgres();
    variables = { CHUKWA_DATABASE_URL: server.url('postgres') };
    assert.equal((await runHere(['migrate'], variables)).code, 0);
  });
  after(() => server.stop());

  const says = (running: RunningHere, text: string): Promise<void> =>
    whileRunning(
      running,
      waitUntil(async () => `${running.said()}${running.complained()}`.includes(text)),
    );

  async function end(running: RunningHere): Promise<void> {
    running.interrupt();
    const { code, stderr } = await running.ended;
    assert.equal(code, 0, stderr);
  }

  for (const words of [['worker'], ['serve', '--port', '0']])
    test(`is waited for by ${words[0]}, which says so once and works when it is there`, async () => {
      await server.halt('fast');
      const running = startHere([...words, '--wait', '600'], variables);
      await says(running, '(--wait)');
      await server.resume();
      await says(running, words[0] === 'serve' ? 'serving at' : 'working');
      assert.equal(running.complained().split('(--wait)').length, 2);
      await end(running);
    });

  test('and goes away as soon as a worker has begun is waited for by it', async () => {
    const running = startHere(['worker'], variables);
    await says(running, 'working');
    await server.halt('immediate');
    await says(running, 'waiting for the database');
    await server.resume();
    await says(running, 'the database answers again');
    await end(running);
  });

  test('is waited for no longer than the option says, and then reported with 4', async () => {
    await server.halt('fast');
    const { code, stderr } = await runHere(['run', 'nobody', '--wait', '1'], variables);
    await server.resume();
    assert.equal(code, 4, stderr);
    assert.match(stderr, /\(--wait\)[^]*error: PostgreSQL at .* cannot be reached/);
  });

  test('is not waited for where waiting cures nothing', async () => {
    const client = new pg.Client({ connectionString: server.url('postgres') });
    await client.connect();
    await client.query('CREATE ROLE barred NOLOGIN');
    await client.end();
    const barred = new URL(server.url('postgres'));
    barred.username = 'barred';
    for (const url of [server.url('no_such_database'), barred.href, 'postgres://x@no-such-host.invalid/x']) {
      const { code, stderr } = await runHere(['world', 'list', '--wait', '600'], { CHUKWA_DATABASE_URL: url });
      assert.equal(code, 4, stderr);
      assert.doesNotMatch(stderr, /--wait/);
    }
  });
});
