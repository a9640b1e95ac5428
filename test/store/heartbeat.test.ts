import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { after, describe, test } from 'node:test';
import { v7 } from 'uuid';
import { renewLeases } from '../../engine/store/heartbeat/renew-leases.js';
import { startThreadHeartbeat } from '../../engine/store/heartbeat/thread-heartbeat.js';
import { openTestDatabase } from '../support/databases.js';
import { waitUntil } from '../support/wait-until.js';
import { begin, makeWorld } from './record-fixtures.js';

const PROGRAM = fileURLToPath(new URL('../../dist/engine/store/heartbeat/beat-thread.js', import.meta.url));
const LEASE_MS = 500;

/** Waits far longer than a lease, and then says whether it holds: run by another process, while this one is stuck. */
const LOOK = `
  const [url, world] = process.argv.slice(1);
  const { default: pg } = await import('pg');
  await new Promise((resume) => setTimeout(resume, ${LEASE_MS * 4}));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('SELECT lease_until > clock_timestamp() AS holds FROM worlds WHERE world_slug = $1', [world]);
  await client.end();
  console.log(rows[0].holds);`;

/** Keeps a lease, handles SIGTERM, and then blocks its thread in an endless loop. */
const HANG = `
  const { startThreadHeartbeat } = await import('./dist/engine/store/heartbeat/thread-heartbeat.js');
  process.on('SIGTERM', () => {});
  startThreadHeartbeat(process.argv[1], JSON.parse(process.env.SETTINGS)).keep(JSON.parse(process.env.LEASE), () => {});
  process.stdout.write('it hangs', () => { for (;;); });`;

describe('the heartbeat of a worker', { timeout: 60_000 }, () => {
  const opened = openTestDatabase('PostgreSQL');
  after(async () => (await opened).close());

  async function keep(world_slug: string, hang_ms: number, lease_ms = LEASE_MS) {
    const { store, outside, url = '' } = await opened;
    await makeWorld(store, world_slug);
    const { lease } = await begin(store, world_slug);
    const until = async (): Promise<number> => {
      const [row] = await outside.query<{ until: Date }>(
        'SELECT lease_until AS until FROM worlds WHERE world_slug = $1',
        [world_slug],
      );
      return row?.until.getTime() ?? 0;
    };
    const began = await until();
    const heartbeat = startThreadHeartbeat(PROGRAM, {
      connectionString: url,
      lease_ms,
      hang_ms,
      end_ms: 60_000,
    });
    const lost: (string | Error)[] = [];
    const drop = heartbeat.keep(lease, (why) => lost.push(why));
    // The lease that it began with was longer than those that the thread asks for.
    await waitUntil(async () => (await until()) < began);
    const look = () =>
      spawnSync(process.execPath, ['--input-type=module', '-e', LOOK, url, world_slug]).stdout.toString().trim();
    return { heartbeat, lease, lost, drop, look, until };
  }

  test('the heartbeat continues while the main thread is blocked', async () => {
    const { heartbeat, lost, look } = await keep('stuck', 60_000);
    assert.equal(look(), 'true');
    assert.deepEqual(lost, []);
    await heartbeat.close();
  });

  test('the heartbeat ends when the main thread has been blocked for too long', async () => {
    const { heartbeat, look } = await keep('hangs', LEASE_MS);
    assert.equal(look(), 'false');
    await heartbeat.close();
  });

  test('the heartbeat ends a process that hangs for good and handles no signal, and names what it drove', async (t) => {
    const { store, url = '' } = await opened;
    await makeWorld(store, 'for-good');
    const { lease } = await begin(store, 'for-good');
    const settings = { connectionString: url, lease_ms: LEASE_MS, hang_ms: LEASE_MS, end_ms: 1_000 };
    const child = spawn(process.execPath, ['--input-type=module', '-e', HANG, PROGRAM], {
      env: { ...process.env, SETTINGS: JSON.stringify(settings), LEASE: JSON.stringify(lease) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    t.after(() => child.kill('SIGKILL'));
    const said = text(child.stderr);
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    const [, signal] = await once(child, 'exit');
    assert.equal(signal, 'SIGKILL');
    assert.match(await said, new RegExp(`blocked by its own work for 1 s .* It drove ${lease.attempt_id};`));
  });

  test('the heartbeat of an attempt that is dropped ends', async () => {
    const { heartbeat, drop, look } = await keep('dropped', 60_000);
    drop();
    // A message that was sent before reaches the thread before this one blocks.
    await new Promise((resume) => setTimeout(resume, 50));
    assert.equal(look(), 'false');
    await heartbeat.close();
  });

  test('the heartbeat reports whose world another driver has claimed, and keeps the others', async () => {
    const { outside } = await opened;
    const { heartbeat, lost, look } = await keep('taken', 60_000);
    await outside.query(`UPDATE worlds SET lease_epoch = lease_epoch + 1 WHERE world_slug = 'taken'`);
    await waitUntil(() => lost.length > 0);
    assert.deepEqual(lost, ['overtaken']);
    assert.equal(look(), 'false');
    await heartbeat.close();
  });

  test('the heartbeat of an attempt that its process takes up again is not lost with the lease before', async () => {
    const { outside, database } = await opened;
    const { heartbeat, lease, drop, until } = await keep('again', 60_000, LEASE_MS * 10);
    const client = await database.pool.connect();
    await client.query('BEGIN; LOCK TABLE worlds');
    await waitUntil(async () => {
      const waiting = await outside.query(
        `SELECT FROM pg_stat_activity WHERE application_name = 'chukwa heartbeat' AND wait_event_type = 'Lock'`,
      );
      return waiting.length > 0;
    });
    const { rows } = await client.query<{ epoch: string }>(
      `UPDATE worlds SET lease_epoch = lease_epoch + 1, lease_until = now() WHERE world_slug = 'again'
       RETURNING lease_epoch AS epoch`,
    );
    drop();
    const lost: (string | Error)[] = [];
    heartbeat.keep({ ...lease, epoch: Number(rows[0]?.epoch) }, (why) => lost.push(why));
    await client.query('COMMIT');
    client.release();
    const taken = await until();
    await waitUntil(async () => lost.length > 0 || (await until()) > taken);
    assert.deepEqual(lost, []);
    await heartbeat.close();
  });

  test('the former lease of an attempt is reported while the new one is kept', async () => {
    const { store, outside, database } = await opened;
    await makeWorld(store, 'renewed');
    const { lease } = await begin(store, 'renewed');
    await outside.query(`UPDATE worlds SET lease_epoch = lease_epoch + 1 WHERE world_slug = 'renewed'`);
    const leases = [lease, { ...lease, epoch: lease.epoch + 1 }];
    assert.deepEqual(await renewLeases(database, leases, LEASE_MS), [lease]);
  });

  test('the leases of a thread that has ended are lost, and the next one has a thread of its own', async () => {
    const program = '/dev/null';
    const settings = { connectionString: '', lease_ms: LEASE_MS, hang_ms: 60_000, end_ms: 60_000 };
    const heartbeat = startThreadHeartbeat(program, settings);
    for (const epoch of [1, 2]) {
      const lost: (string | Error)[] = [];
      const lease = { world_slug: 'short', attempt_id: v7(), attempted_turn: 1, epoch, request_mark: '0123456789ab' };
      heartbeat.keep(lease, (why) => lost.push(why));
      await waitUntil(() => lost.length > 0);
      assert.match(String(lost[0]), /thread that keeps leases has ended/);
    }
    await heartbeat.close();
  });

  test('the heartbeat outlives its connection, and does not wait for a locked row', async () => {
    const { outside, database } = await opened;
    const { heartbeat, lost, look } = await keep('cut', 60_000);
    const client = await database.pool.connect();
    await client.query('BEGIN');
    await client.query(`SELECT FROM worlds WHERE world_slug = 'taken' FOR UPDATE`);
    await outside.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'chukwa heartbeat' AND datname = current_database()`,
    );
    assert.equal(look(), 'true');
    assert.deepEqual(lost, []);
    await client.query('ROLLBACK');
    client.release();
    await heartbeat.close();
  });
});
