import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { chooseDoorbell } from '../../engine/doorbells/choose-doorbell.js';
import { openNatsDoorbell } from '../../engine/doorbells/nats.js';
import { parseNatsUrl } from '../../engine/doorbells/nats-url.js';
import { openProcessDoorbell } from '../../engine/doorbells/process.js';
import type { Doorbell } from '../../engine/ports/doorbell.js';
import { openServerDoorbell } from '../../engine/store/doorbell/server-doorbell.js';
import { openTestDatabase } from '../support/databases.js';
import { freePort } from '../support/free-port.js';
import { NEEDS_NATS, startNats } from '../support/nats-server.js';
import { waitUntil } from '../support/wait-until.js';

/** A doorbell, and its rings so far. */
function listenTo(doorbell: Doorbell): { readonly rung: (string | undefined)[]; readonly stop: () => void } {
  const rung: (string | undefined)[] = [];
  return { rung, stop: doorbell.listen((world_slug) => rung.push(world_slug)) };
}

/** Without a fault, a ring arrives. */
async function untilItRings({ findFault }: Doorbell): Promise<void> {
  await waitUntil(() => findFault() === undefined);
}

function nats(url: string): Doorbell {
  const address = parseNatsUrl(url);
  assert.ok(address.ok);
  return openNatsDoorbell(address.value);
}

/** A NATS server that answers the first ping of a connection, with which it is made, and nothing after it. */
async function startSilentNats(): Promise<{ readonly url: string; pings(): number; stop(): void }> {
  let pings = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      const asked = bytes
        .toString()
        .split('\r\n')
        .filter((line) => line === 'PING').length;
      if (pings === 0 && asked > 0) socket.write('PONG\r\n');
      pings += asked;
    });
    socket.write('INFO {"server_id":"silent","version":"2.10.0","proto":1,"headers":true,"max_payload":1048576}\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `nats://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pings: () => pings,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

describe('every doorbell', { timeout: 60_000 }, () => {
  const opened = openTestDatabase('PostgreSQL');
  const served = NEEDS_NATS.skip === undefined ? startNats() : undefined;
  // Each test that needs it fails by it.
  served?.catch(() => {});
  after(async () => {
    await (await opened).close();
    await (await served?.catch(() => undefined))?.kill();
  });

  const DOORBELLS: Readonly<Record<string, () => Promise<Doorbell>>> = {
    'within the process': async () => openProcessDoorbell(),
    PostgreSQL: async () => openServerDoorbell((await opened).url ?? ''),
    NATS: async () => nats((await served)?.url ?? ''),
  };

  for (const [name, open] of Object.entries(DOORBELLS)) {
    test(
      `${name}: all listeners receive a ring, with its world, until they stop`,
      name === 'NATS' ? NEEDS_NATS : {},
      async () => {
        const doorbell = await open();
        const [one, other] = [listenTo(doorbell), listenTo(doorbell)];
        try {
          await untilItRings(doorbell);
          doorbell.ring('park-2');
          await waitUntil(() => one.rung.includes('park-2') && other.rung.includes('park-2'));
          one.stop();
          doorbell.ring('park-3');
          await waitUntil(() => other.rung.includes('park-3'));
          assert.ok(!one.rung.includes('park-3'));
        } finally {
          await doorbell.close();
        }
      },
    );
  }

  test('PostgreSQL: a connection that is cut is made anew, and says that rings may have been lost', async () => {
    const { outside, url } = await opened;
    const doorbell = openServerDoorbell(url ?? '');
    const { rung } = listenTo(doorbell);
    try {
      await untilItRings(doorbell);
      const before = rung.length;
      await outside.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name = 'chukwa doorbell' AND datname = current_database()`,
      );
      await waitUntil(() => rung.length > before);
      assert.equal(rung.at(-1), undefined);
      assert.equal(doorbell.findFault(), undefined);
      await outside.query(`SELECT pg_notify('chukwa_wakeup', 'after')`);
      await waitUntil(() => rung.includes('after'));
    } finally {
      await doorbell.close();
    }
  });

  test('NATS: a lost server is reported, and received from again when it is back', NEEDS_NATS, async () => {
    const server = await startNats();
    const [mine, theirs] = [nats(server.url), nats(server.url)];
    const { rung } = listenTo(mine);
    listenTo(theirs);
    try {
      await untilItRings(mine);
      await untilItRings(theirs);
      await server.kill();
      await waitUntil(() => mine.findFault() !== undefined);
      await server.start();
      await untilItRings(mine);
      await untilItRings(theirs);
      assert.equal(rung.at(-1), undefined);
      theirs.ring('park-9');
      await waitUntil(() => rung.includes('park-9'));
    } finally {
      await Promise.all([mine.close(), theirs.close()]);
      await server.kill();
    }
  });

  test(
    'NATS: a server that refuses connections is reported so for as long as it does, and received from when it does no more',
    NEEDS_NATS,
    async () => {
      const server = await startNats();
      const mine = nats(server.url.replace('nats://', 'nats://ann:right@'));
      const { rung } = listenTo(mine);
      const refuses = (): boolean => mine.findFault()?.startsWith('the server refuses the user or password') === true;
      const restart = async (password: string): Promise<void> => {
        await server.kill();
        await server.start(['--user', 'ann', '--pass', password]);
      };
      try {
        await restart('wrong');
        await waitUntil(refuses);
        await restart('right');
        await untilItRings(mine);
        // Refused on a connection that there was, the client gives it up for good.
        await restart('wrong');
        await waitUntil(refuses);
        await restart('right');
        await untilItRings(mine);
        mine.ring('park-5');
        await waitUntil(() => rung.includes('park-5'));
      } finally {
        await mine.close();
        await server.kill();
      }
    },
  );

  test('NATS: who only rings connects, rings and leaves', NEEDS_NATS, async () => {
    const url = (await served)?.url ?? '';
    const [listening, ringing] = [nats(url), nats(url)];
    const { rung } = listenTo(listening);
    try {
      await untilItRings(listening);
      ringing.ring('park-4');
      await ringing.close();
      await waitUntil(() => rung.includes('park-4'));
    } finally {
      await listening.close();
    }
  });

  test('NATS: a server that falls silent is not waited for, and never counts as connected', async () => {
    const silent = await startSilentNats();
    const doorbell = nats(silent.url);
    listenTo(doorbell);
    try {
      await waitUntil(() => silent.pings() === 2);
      assert.equal(doorbell.findFault(), 'not connected yet');
      await doorbell.close();
      // The third says goodbye. Those of a connection that goes on are ten seconds apart.
      assert.equal(silent.pings(), 3);
    } finally {
      silent.stop();
    }
  });

  test('NATS: where nobody answers, a ring is lost without a word and closing takes no longer', async () => {
    const doorbell = nats(`nats://127.0.0.1:${await freePort()}`);
    listenTo(doorbell);
    doorbell.ring('park');
    assert.notEqual(doorbell.findFault(), undefined);
    await doorbell.close();
  });
});

describe('the doorbell that is chosen', () => {
  const server = { openDoorbell: () => openServerDoorbell('postgres://nobody@nowhere/none') };
  const describeChoice = (kind: string, shared: typeof server | undefined, nats_url?: string): string | undefined => {
    const chosen = chooseDoorbell({ kind, ...(nats_url === undefined ? {} : { nats_url }) }, shared);
    return chosen.ok ? chosen.value.description : chosen.problems[0]?.code;
  };

  test('is the one of the database by itself, and any other by name', () => {
    assert.equal(describeChoice('auto', server), 'PostgreSQL, by LISTEN and NOTIFY');
    assert.equal(describeChoice('auto', undefined), 'within the process');
    assert.equal(describeChoice('process', server), 'within the process');
    assert.equal(describeChoice('nats', server, 'nats://user:secret@bell.example:4333'), 'NATS at bell.example:4333');
    assert.equal(describeChoice('nats', undefined, 'tls://bell.example'), 'NATS at bell.example:4222');
  });

  test('is refused where it cannot be', () => {
    assert.equal(describeChoice('postgres', undefined), 'DOORBELL_NOT_THERE');
    assert.equal(describeChoice('gong', server), 'DOORBELL_UNKNOWN');
    assert.equal(describeChoice('nats', server), 'NATS_URL_MISSING');
    for (const url of ['http://bell.example', 'nats://u:x%ZZ@127.0.0.1:1', 'nats://u%:x@127.0.0.1:1'])
      assert.equal(describeChoice('nats', server, url), 'NATS_URL_INVALID', url);
  });
});
