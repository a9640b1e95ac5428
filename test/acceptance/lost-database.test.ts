import type { Refused } from '../../engine/contract/problem.js';
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { compose } from '../../engine/main.js';
import { type RunReport, runTurns } from '../../engine/operations/running/run-turns.js';
import { findFault, LockLost } from '../../engine/store/database-fault.js';
import { runCommandLine } from '../../engine/surfaces/cli/command-line.js';
import { type ScriptedModel, startScriptedModel } from '../../fixtures/toys/scripted-model/index.js';
import { startToys } from '../../fixtures/toys/index.js';
import { loadScript, type ParkStage, sharedStage } from '../support/park-stage.js';
import { openTestTerminal } from '../surfaces/cli/test-terminal.js';
import { startPostgres, type TestServer } from '../../tools/postgres-server.js';

describe('a PostgreSQL that goes away in the middle of a run', () => {
  let server: TestServer;
  let model: ScriptedModel;
  let is_gone = false;
  const stop = async (): Promise<void> => {
    if (is_gone) return;
    is_gone = true;
    await server.stop();
  };

  before(async () => {
    [server, model] = await Promise.all([startPostgres(), loadScript('simple').then(startScriptedModel)]);
  });
  after(() => Promise.all([stop(), model.close()]));

  async function chukwa(...words: readonly string[]) {
    const terminal = openTestTerminal();
    const variables = { CHUKWA_DATABASE_URL: server.url('postgres'), CHUKWA_LLM_BASE_URL: model.url };
    const code = await runCommandLine(await compose(variables), words, terminal);
    return { code, out: terminal.out_text(), error: terminal.error_text() };
  }

  test('a PostgreSQL that goes away in the middle of a run ends it with 4, names the last committed turn, and says how to continue', async () => {
    const made = await chukwa('world', 'create', 'brittle', '--scenario', 'workflows/simple/scenario.json');
    assert.equal(made.code, 0, made.error);
    let asked = 0;
    model.onRequest(async () => {
      asked += 1;
      if (asked === 2) await stop();
    });
    const { code, out, error } = await chukwa('run', 'brittle', '--turns', '3', '--json');
    assert.equal(asked, 2, error);
    assert.equal(code, 4, error);
    const message = error.replaceAll(/\s+/g, ' ');
    assert.match(message, /^error: The connection to the database \(PostgreSQL at .*\/postgres\) was lost: /);
    assert.match(message, /Turn 1 of brittle is the last that is known to be committed\./);
    assert.match(message, /what to do: Wait until it answers.* Then: npx chukwa run brittle\./);
    assert.doesNotMatch(message, /UNEXPECTED/);
    const [problem] = (JSON.parse(out) as { readonly problems: readonly { code: string; details: object }[] }).problems;
    assert.equal(problem?.code, 'DATABASE_UNREACHABLE');
    assert.deepEqual(problem?.details, { world_slug: 'brittle', last_committed_turn: 1 });
  });
});

describe('a PostgreSQL that is lost while a turn waits for its model, and comes back', () => {
  const opened = Promise.all([startPostgres(), startToys(), loadScript('tools').then(startScriptedModel)]);
  after(async () => {
    const [server, toys, model] = await opened;
    await Promise.all([server.stop(), toys.close(), model.close()]);
  });

  async function queryAt(server: TestServer, sql: string): Promise<void> {
    const client = new pg.Client(server.url('postgres'));
    await client.connect();
    await client.query(sql);
    await client.end();
  }

  /** Plays the first turn of a world, and loses the database at its second generation. */
  async function play(world_slug: string, lose: (server: TestServer) => Promise<void>) {
    const [server, toys, model] = await opened;
    toys.reset();
    const variables = {
      ...toys.variables,
      CHUKWA_DATABASE_URL: server.url('postgres'),
      CHUKWA_LLM_BASE_URL: model.url,
    };
    const chukwa = async (...words: readonly string[]) => {
      const terminal = openTestTerminal();
      const code = await runCommandLine(await compose(variables), words, terminal);
      return { code, out: terminal.out_text(), error: terminal.error_text() };
    };
    const made = await chukwa('world', 'create', world_slug, '--scenario', 'workflows/tools/scenario.json');
    assert.equal(made.code, 0, made.error);
    let asked = 0;
    model.onRequest(async () => {
      asked += 1;
      if (asked === 2) await lose(server);
    });
    const run = () => chukwa('run', world_slug, '--json');
    const countAsked = () => asked;
    return { server, run, countAsked, served: toys.vending.served, lost: await run() };
  }

  test('all its connections cut: the run goes on with new ones, and calls nothing twice', async () => {
    const { lost, countAsked, served } = await play('cut', (server) =>
      queryAt(
        server,
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL',
      ),
    );
    assert.equal(lost.code, 0, lost.error);
    assert.deepEqual([countAsked(), served.length], [2, 1]);
  });

  for (const how of ['fast', 'immediate'] as const)
    test(`stopped (${how}) and started: the run says so, and the next one continues the turn and repeats no side effect`, async () => {
      const { lost, run, countAsked, served, server } = await play(`stopped-${how}`, (halted) => halted.halt(how));
      assert.equal(lost.code, 4, lost.error);
      const message = lost.error.replaceAll(/\s+/g, ' ');
      assert.match(message, /The connection to the database .* was lost: .*Turn 0 of stopped-\w+ is the last/);
      assert.match(message, /Wait until it answers.* Then: npx chukwa run stopped-/);
      await server.resume();
      const early = await run();
      assert.match(early.error, /WORLD_BUSY/);
      assert.match(early.error.replaceAll(/\s+/g, ' '), /A dead driver's hold ends at 2/);
      await queryAt(
        server,
        `UPDATE worlds SET lease_until = now() - interval '1 minute' WHERE lease_until IS NOT NULL`,
      );
      const done = await run();
      assert.equal(done.code, 0, done.error);
      const { turns } = JSON.parse(done.out) as RunReport;
      assert.deepEqual(
        turns.map(({ status, invocations }) => [
          status,
          invocations.filter((call) => call.status !== 'succeeded').length,
        ]),
        [['committed', 1]],
      );
      assert.equal(served.length, 1, 'the side effect took place twice');
      assert.equal(countAsked(), 3, 'only the generation whose answer was lost is made again');
    });
});

/** Every end of a call is broken off, as by `pg_cancel_backend` or a timeout. */
const BROKEN_OFF = `
  CREATE FUNCTION broken_off() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE 'canceling statement due to user request' USING ERRCODE = '57014'; END $$;
  CREATE TRIGGER broken_off BEFORE UPDATE ON source_invocations EXECUTE FUNCTION broken_off()`;

describe('a PostgreSQL that fails in the middle of a turn', () => {
  const open = sharedStage('PostgreSQL');

  async function fail(stage: ParkStage, sql: string): Promise<Refused> {
    const { world_slug } = await stage.makeWorld({ scenario: 'simple' });
    stage.model.setScript(await loadScript('simple'));
    stage.model.onRequest(async () => {
      await stage.outside?.query(sql.replaceAll('$WORLD', world_slug));
    });
    const signal = new AbortController().signal;
    const done = await runTurns(stage.engine, { world_slug, turns: 1, signal, onProgress: () => {} });
    return done.ok ? assert.fail('the turn was played') : done;
  }

  test('a PostgreSQL without room in the middle of a turn is reported with the way to continue', async () => {
    const stage = await open();
    const { because, problems } = await fail(
      stage,
      `CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE 'could not extend file' USING ERRCODE = '53100'; END $$;
       CREATE TRIGGER no_room BEFORE UPDATE ON source_invocations EXECUTE FUNCTION no_room()`,
    );
    await stage.outside?.query('DROP FUNCTION no_room CASCADE');
    assert.deepEqual([because, problems[0]?.code], ['environment', 'DATABASE_FULL']);
    assert.match(problems[0]?.message ?? '', /could not extend file.* Turn 0 of .* is the last/);
    assert.match(problems[0]?.repair ?? '', /^Make room .* Then: chukwa run /);
  });

  test('a PostgreSQL that fails in the middle of a turn by breaking off a statement is reported, and the turn continues without a second side effect', async () => {
    const stage = await open();
    const world = await stage.makeWorld({ scenario: 'tools' });
    const { world_slug } = world;
    stage.model.setScript(await loadScript('tools'));
    let asked = 0;
    stage.model.onRequest(async () => {
      asked += 1;
      if (asked === 2) await stage.outside?.query(BROKEN_OFF);
    });
    const { signal } = new AbortController();
    const done = await runTurns(stage.engine, { world_slug, turns: 1, signal, onProgress: () => {} });
    await stage.outside?.query('DROP FUNCTION broken_off CASCADE');
    assert.ok(!done.ok);
    assert.deepEqual([done.because, done.problems[0]?.code], ['environment', 'DATABASE_BUSY']);
    assert.equal(stage.toys.vending.served.length, 1);
    assert.equal((await stage.run(world)).report.turns[0]?.status, 'committed');
    assert.equal((await stage.engine.store.records.attempts(world_slug)).length, 1, 'another attempt was begun');
    assert.equal(stage.toys.vending.served.length, 1, 'the side effect took place twice');
  });

  test('the world of an overtaken driver is named, and where to look', async () => {
    const stage = await open();
    const { because, problems } = await fail(
      stage,
      `UPDATE worlds SET lease_epoch = lease_epoch + 1 WHERE world_slug = '$WORLD'`,
    );
    assert.deepEqual([because, problems[0]?.code], ['environment', 'WORLD_OVERTAKEN']);
    assert.match(problems[0]?.repair ?? '', /chukwa attempts simple-/);
  });
});

const says = (message: string, more: object): Error => Object.assign(new Error(message), more);

const FAULTS: Readonly<Record<NonNullable<ReturnType<typeof findFault>>['kind'] | 'none', readonly unknown[]>> = {
  none: [
    says('duplicate key', { code: '23505' }),
    says('no such file', { code: 'ENOENT', syscall: 'open' }),
    new Error('a promise was broken'),
    'text',
  ],
  lock_lost: [new LockLost()],
  lost: [
    says('terminating connection due to administrator command.', { code: '57P01' }),
    says('sorry, too many clients already', { code: '53300' }),
    says('terminating connection due to idle-in-transaction timeout', { code: '25P03' }),
    says('connect ECONNREFUSED', { code: 'ECONNREFUSED', syscall: 'connect' }),
    new AggregateError([says('read ECONNRESET', { code: 'ECONNRESET', syscall: 'read' })]),
    new Error('Connection terminated unexpectedly'),
    new Error('Query read timeout'),
    says('password authentication failed for user "chukwa"', { code: '28P01' }),
    says('role "chukwa" is not permitted to log in', { code: '28000' }),
    says('database "chukwa" does not exist', { code: '3D000' }),
    says('database "chukwa" is not currently accepting connections', { code: '55000' }),
  ],
  refused: [
    says('cannot execute UPDATE in a read-only transaction', { code: '25006' }),
    says('permission denied for table worlds', { code: '42501' }),
  ],
  busy: [
    says('canceling statement due to user request', { code: '57014' }),
    says('canceling statement due to lock timeout', { code: '55P03' }),
    says('deadlock detected', { code: '40P01' }),
    says('could not serialize access due to concurrent update', { code: '40001' }),
  ],
  full: [
    says('could not extend file "base/5/16812": No space left on device', { code: '53100' }),
    says('no space left on device, write', { code: 'ENOSPC', syscall: 'write' }),
  ],
  descriptors: [
    says('EMFILE: too many open files, open', { code: 'EMFILE', syscall: 'open' }),
    says('could not open file "base/5/2650": Too many open files', { code: '53000' }),
    says('could not open file "base/5/2650": No file descriptors available', { code: '58030' }),
  ],
  troubled: [
    says('could not open file "base/5/2650": No such file or directory', { code: '58P01' }),
    says('could not read block', { code: '58030' }),
    says('invalid page in block 3', { code: 'XX001' }),
    says('i/o error, read', { code: 'EIO', syscall: 'read' }),
  ],
};

for (const [kind, errors] of Object.entries(FAULTS))
  for (const error of errors)
    test(`the fault of a database of which is said "${String(error)}" is ${kind}`, () => {
      const fault = findFault(error);
      assert.equal(fault?.kind ?? 'none', kind);
      assert.doesNotMatch(fault?.reason ?? '', /[.]$/);
    });
