import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { emptyDatabase } from '../support/databases.js';
import { waitUntil } from '../support/wait-until.js';
import { runHere, startHere, whileRunning } from './command.js';
import { makeFolder } from '../support/folder.js';

const OPERATOR = 'an-operator-of-worlds-with-32-characters';

interface ShownWorld {
  readonly turn: number;
  readonly story: readonly unknown[];
}

for (const words of [['park'], ['run', 'any']])
  test(`${words[0]} --serve tries its port before any turn is played`, async (t) => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    t.after(() => taken.close());
    const port = String((taken.address() as AddressInfo).port);
    const refused = await runHere([...words, '--serve', '--port', port, '--json'], await emptyDatabase(t));
    assert.equal(refused.code, 4);
    assert.match(refused.stdout + refused.stderr, /"PORT_TAKEN"/);
    assert.doesNotMatch(refused.stdout + refused.stderr, /committed|WORLD_UNKNOWN/);
  });

test('park --serve plays turns that are queued from a page, with the services and the model of the park', async (t) => {
  const variables = {
    ...(await emptyDatabase(t)),
    CHUKWA_DATA_DIR: await makeFolder(t),
    CHUKWA_OPERATOR_TOKEN: OPERATOR,
  };
  const running = startHere(['park', '--turns', '1', '--port', '0'], variables);
  t.after(() => running.interrupt());
  await whileRunning(
    running,
    waitUntil(() => running.complained().includes('ticket=')),
  );
  const [, url = ''] = /(http:\S+)\/sign-in/.exec(running.complained()) ?? [];
  const headers = { authorization: `Bearer ${OPERATOR}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ turns: 2, reason: 'to see the candy sold' });
  const queued = await fetch(`${url}/worlds/park/turns`, { method: 'POST', headers, body });
  assert.equal(queued.status, 202);
  const read = async (): Promise<ShownWorld> =>
    (await (await fetch(`${url}/worlds/park?format=json`, { headers })).json()) as ShownWorld;
  await whileRunning(
    running,
    waitUntil(async () => (await read()).turn === 3),
  );
  assert.match(JSON.stringify((await read()).story), /last candy bar/);
  running.interrupt();
  assert.equal((await running.ended).code, 0);
});
