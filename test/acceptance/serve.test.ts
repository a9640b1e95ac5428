import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { once } from 'node:events';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import { compose } from '../../engine/main.js';
import { putScenario } from '../../engine/operations/authoring/author.js';
import type { Composition } from '../../engine/operations/composition.js';
import type { Engine } from '../../engine/operations/engine.js';
import { runTurns } from '../../engine/operations/running/run-turns.js';
import { queueTurns } from '../../engine/operations/running/run-worker.js';
import type { Deleted } from '../../engine/operations/worlds/delete-world.js';
import type { SettledCall } from '../../engine/operations/settling/settle-call.js';
import { serve } from '../../engine/operations/serving/serve.js';
import { report, stop, takeBack } from '../../engine/catalogue/here-or-there.js';
import { userName } from '../../engine/operations/people/person-here.js';
import { createWorld } from '../../engine/operations/worlds/worlds.js';
import type { WorldRecord } from '../../engine/ports/worlds.js';
import { runCommandLine } from '../../engine/surfaces/cli/command-line.js';
import { startScriptedModel } from '../../fixtures/toys/scripted-model/index.js';
import { startToys, type Toys } from '../../fixtures/toys/index.js';
import { freePort } from '../support/free-port.js';
import { type DatabaseKind, openTestDatabase } from '../support/databases.js';
import { loadScript, must, ROOT } from '../support/park-stage.js';
import { openTestTerminal } from '../surfaces/cli/test-terminal.js';
import { waitUntil } from '../support/wait-until.js';
import { startChukwa, startHere, whileRunning } from './command.js';
import { makeFolder } from '../support/folder.js';

/** A post office, a model, and a database that several programs open one after the other. */
interface Place {
  readonly composition: Composition;
  readonly toys: Toys;
  readonly data_dir: string;
  readonly public_url: string;
}

async function openPlace(
  t: { after(end: () => Promise<void>): void },
  kind: DatabaseKind,
  folder = tmpdir(),
): Promise<Place> {
  const database = kind === 'PostgreSQL' ? await openTestDatabase(kind) : undefined;
  const data_dir = await mkdtemp(join(folder, 'chukwa-serve-'));
  const [toys, model, port] = await Promise.all([
    startToys(),
    startScriptedModel(await loadScript('letters')),
    freePort(),
  ]);
  t.after(async () => {
    await Promise.all([toys.close(), model.close(), database?.close()]);
    await rm(data_dir, { recursive: true, force: true });
  });
  const public_url = `http://127.0.0.1:${port}`;
  const composition = await compose({
    ...toys.variables,
    ...(database?.url === undefined ? {} : { CHUKWA_DATABASE_URL: database.url }),
    CHUKWA_DATA_DIR: data_dir,
    XDG_CONFIG_HOME: join(data_dir, 'user'),
    CHUKWA_LLM_BASE_URL: model.url,
    CHUKWA_LLM_API_KEY: 'loopback-needs-no-key',
    CHUKWA_PUBLIC_URL: `${public_url}/`,
    CHUKWA_PORT: String(port),
  });
  return { composition, toys, data_dir, public_url };
}

/** Opens the engine for a while. */
async function briefly<Value>({ composition }: Place, task: (engine: Engine) => Promise<Value>): Promise<Value> {
  const engine = must(await composition.openEngine());
  try {
    return await task(engine);
  } finally {
    await engine.close();
  }
}

/** A world whose first turn rests. @returns its attempt */
function makeSuspended(
  place: Place,
  world_slug: string,
): Promise<{ attempt_id: string; call: string; alias: string | null }> {
  return briefly(place, async (engine) => {
    const root = join(ROOT, 'workflows');
    const file = join(root, 'letters', 'scenario.json');
    const scenario_hash = must(await putScenario(engine, file, { working_folder: root, root }));
    must(await createWorld(engine, { world_slug, scenario_hash }));
    const { signal } = new AbortController();
    const run = must(await runTurns(engine, { world_slug, turns: 1, signal, onProgress: () => {} }));
    const attempt_id = run.turns[0]?.attempt_id ?? '';
    const [awaited] = run.awaited ?? [];
    return { attempt_id, call: awaited?.source_invocation_id ?? '', alias: awaited?.correlation_alias ?? null };
  });
}

async function tokenFileOf({ data_dir }: Place): Promise<string> {
  const folder = join(data_dir, 'user', 'chukwa', 'tokens');
  const [name = ''] = await readdir(folder);
  return join(folder, name);
}

async function operatorTokenOf(place: Place): Promise<string> {
  const text = await readFile(await tokenFileOf(place), 'utf8');
  return (JSON.parse(text) as { readonly operator_token: string }).operator_token;
}

/** What a command says. */
async function sayIn({ composition }: Place, words: readonly string[]) {
  const terminal = openTestTerminal({ working_folder: ROOT });
  const code = await runCommandLine(composition, words, terminal);
  return { code, out: terminal.out_text(), error: terminal.error_text() };
}

/** Serves while a task is done, and until something has happened. */
async function serving(place: Place, task: () => Promise<unknown>, until?: string): Promise<readonly string[]> {
  const events: string[] = [];
  const ending = new AbortController();
  let open: () => void = () => {};
  const isOpen = new Promise<void>((resolve) => (open = resolve));
  let happened: () => void = () => {};
  const hasHappened = new Promise<void>((resolve) => (happened = resolve));
  const served = serve(place.composition, {
    place: {},
    concurrency: 2,
    grace_ms: 5_000,
    lease_ms: 10_000,
    signal: ending.signal,
    onEvent: ({ kind }) => {
      if (kind.startsWith('turn_')) events.push(kind);
      if (kind === until) happened();
    },
    onCheckpoint: () => {},
    onReady: () => open(),
  });
  // One that ends before it is ready says why.
  const ended = await Promise.race([isOpen, served]);
  if (ended !== undefined) must(ended);
  try {
    await task();
    if (until !== undefined) await Promise.race([hasHappened, served]);
  } finally {
    ending.abort();
  }
  must(await served);
  return events;
}

describe('a program that serves', () => {
  test('a program that serves takes a service’s answer over HTTP, and the turn that rested is committed', async (t) => {
    const place = await openPlace(t, 'PostgreSQL');
    const { call } = await makeSuspended(place, 'called-back');
    const [letter] = place.toys.post.letters;
    assert.ok(letter);
    assert.equal(letter.correlation_id, call);
    assert.match(letter.callback_url ?? '', new RegExp(`^${place.public_url}/callbacks/${call}\\?token=[\\w-]{43}$`));
    const statuses: number[] = [];
    const events = await serving(
      place,
      async () => {
        statuses.push((await place.toys.post.deliver(letter)).status, (await place.toys.post.deliver(letter)).status);
      },
      'turn_committed',
    );
    assert.deepEqual(statuses, [202, 200]);
    assert.deepEqual(events, ['turn_continued', 'turn_committed']);
    const world = await briefly(place, (engine) => engine.store.worlds.find('called-back'));
    assert.equal(world?.turn, 1);
    const record = await briefly(place, (engine) => engine.store.records.invocation(call, 'unredacted'));
    assert.equal(JSON.stringify(record).includes('?token='), false);
  });

  test('a report that is sent again to a program that serves is a duplicate, whatever it says, and changes nothing', async (t) => {
    const place = await openPlace(t, 'PostgreSQL');
    const { call } = await makeSuspended(place, 'called-again');
    const [letter] = place.toys.post.letters;
    assert.ok(letter);
    const said: unknown[] = [];
    const send = async (answer: Json, type?: string): Promise<void> => {
      const response = await place.toys.post.deliver(letter, answer, type);
      said.push([response.status, ((await response.json()) as { readonly reason?: string }).reason]);
    };
    const answer = (body: string) => ({ status: 'answered', from: 'Emil', body, postage: 'paid' });
    const failure = { type: 'about:blank', title: 'Lost', detail: 'The post van lies in a ditch.' };
    const sendAgain = async () => {
      await send(answer('first'));
      await send(answer('other'));
      await send({ status: 'eaten by the dog' });
      await send(failure, 'application/problem+json');
    };
    const again = Array.from({ length: 3 }, () => [200, 'duplicate']);
    await serving(place, sendAgain, 'turn_committed');
    assert.deepEqual(said.splice(0), [[202, undefined], ...again]);
    assert.deepEqual(await serving(place, sendAgain), []);
    assert.deepEqual(said, [[200, 'duplicate'], ...again]);
    await briefly(place, async (engine) => {
      const record = await engine.store.records.invocation(call, 'unredacted');
      assert.deepEqual(
        [record?.status, (record?.response_json as JsonObject | undefined)?.['body']],
        ['succeeded', 'first'],
      );
      assert.equal((await engine.store.worlds.find('called-again'))?.turn, 1);
    });
    assert.equal(place.toys.post.served.length, 1);
  });

  test('a program that serves that is gone and comes back finds what was reported meanwhile', async (t) => {
    const place = await openPlace(t, 'PostgreSQL');
    const { call } = await makeSuspended(place, 'gone');
    await serving(place, async () => {});
    const said = { kind: 'answered', value: { status: 'returned' } } as const;
    assert.equal(must(await report(place.composition, call, said)).accepted, true);
    assert.deepEqual(await serving(place, async () => {}, 'turn_committed'), ['turn_continued', 'turn_committed']);
  });

  for (const kind of ['embedded', 'PostgreSQL'] as const)
    test(`a program that serves gets a stop from another program (${kind})`, async (t) => {
      const place = await openPlace(t, kind);
      const { attempt_id } = await makeSuspended(place, 'stops');
      const accepted: boolean[] = [];
      await serving(
        place,
        async () => void accepted.push(must(await stop(place.composition, attempt_id, 'it is late')).accepted),
        kind === 'embedded' ? 'turn_failed' : undefined,
      );
      assert.deepEqual(accepted, [true]);
      const attempt = await briefly(place, (engine) => engine.store.records.attempt(attempt_id));
      assert.deepEqual([attempt?.status, attempt?.failure_class], ['failed', 'stopped']);
      assert.match(attempt?.failure_message ?? '', /it is late/);
    });
});

describe('an embedded database that is served', () => {
  let place: Place;
  before(async () => {
    place = await openPlace({ after }, 'embedded');
  });

  test('is not opened by others, which get its address; their reports are sent to it, and judged there', async () => {
    const { call, alias } = await makeSuspended(place, 'through');
    await serving(
      place,
      async () => {
        const refused = await place.composition.openArchive();
        assert.ok(!refused.ok);
        assert.equal(refused.problems[0]?.code, 'DATABASE_LOCKED');
        assert.match(
          refused.problems[0]?.repair ?? '',
          new RegExp(`^chukwa serve uses the database\\. Look at the records in a browser, at ${place.public_url};`),
        );
        const misfit = await report(place.composition, call, { kind: 'answered', value: { status: 7 } });
        assert.deepEqual(misfit.ok ? [] : misfit.problems.map(({ code, pointer }) => [code, pointer]), [
          ['UNEXPECTED_VALUE', '/status'],
        ]);
        const said = { kind: 'failed', message: 'no van today' } as const;
        assert.equal(must(await report(place.composition, alias ?? '', said)).source_invocation_id, call);
        const unknown = await report(place.composition, 'nobody', said);
        assert.deepEqual(unknown.ok ? [] : unknown.problems.map(({ code }) => code), ['CALL_UNKNOWN']);
      },
      'turn_failed',
    );
  });

  test('is read through its server by the commands that show a record or verify one', async () => {
    const { attempt_id } = await makeSuspended(place, 'read');
    const read = async (...words: readonly string[]): Promise<string> => {
      const said = await sayIn(place, words);
      assert.deepEqual([said.code, said.error], [0, '']);
      return said.out;
    };
    const commands = [
      ['verify', 'read'],
      ['verify', 'read', '--json'],
      ['verify', attempt_id],
      ['orders', attempt_id],
      ['ledger', 'show', 'read', '--attempt', attempt_id],
      ['cost', 'read'],
    ];
    const readAll = async () => {
      const texts: string[] = [];
      for (const words of commands) texts.push(await read(...words));
      return texts;
    };
    const alone = await readAll();
    await serving(place, async () => {
      assert.deepEqual(await readAll(), alone);
      assert.match((await sayIn(place, ['verify', 'nowhere'])).error, /WORLD_UNKNOWN/);
    });
  });

  test('signs and proves for commands of this machine, with its own key, and gives them the ledgers', async () => {
    const { call, attempt_id } = await makeSuspended(place, 'proved');
    const said = { kind: 'failed', message: 'no van today' } as const;
    await serving(place, async () => must(await report(place.composition, call, said)), 'turn_failed');
    const say = async (code: number, ...words: readonly string[]): Promise<string> => {
      const { out, error, ...ended } = await sayIn(place, words);
      assert.equal(ended.code, code, out + error);
      return out + error;
    };
    const file = (name: string) => join(place.data_dir, name);
    const bundle = (named: string, name: string) => ['evidence', named, '--output', file(name)];
    await say(0, ...bundle('proved', 'alone.json'));
    const { key } = JSON.parse(await say(0, 'checkpoint', '--json')) as { readonly key: string };
    await say(0, 'ledger', 'export', 'proved', '--out', file('alone'));
    await serving(place, async () => {
      assert.equal((JSON.parse(await say(0, 'checkpoint', '--json')) as { readonly key: string }).key, key);
      await say(0, ...bundle('proved', 'served.json'));
      assert.match(await say(0, ...bundle(attempt_id, 'attempt.json')), /It holds: attempt/);
      await say(0, 'ledger', 'export', 'proved', '--out', file('served'));
      assert.match(await say(1, ...bundle('nowhere', 'x.json')), /WORLD_UNKNOWN/);
      assert.match(await say(2, ...bundle('proved', 'x.json'), '--redact', 'promts'), /promts cannot be left out/);
      assert.match(await say(1, 'evidence', 'proof', 'proved', 'nora', '--output', file('y')), /NOTHING_TO_PROVE/);
    });
    const [alone, served] = await Promise.all(
      ['alone.json', 'served.json'].map((name) => readFile(file(name), 'utf8')),
    );
    assert.equal(served, alone);
    for (const folder of ['alone', 'served']) await say(0, 'verify', '--from', file(folder));
    await say(0, 'evidence', 'verify', file('attempt.json'), '--key', key);
  });

  test('gives its queued turns back to others, and the audit has it', async () => {
    const { attempt_id } = await makeSuspended(place, 'queued');
    await briefly(place, async (engine) => must(await queueTurns(engine, { world_slug: 'queued', turns: 2 })));
    await serving(place, async () => {
      const taken = must(await takeBack(place.composition, 'queued'));
      assert.deepEqual([taken.accepted, taken.attempt_id], [true, attempt_id]);
      assert.match(
        taken.message,
        /^Took back 2 turns of queued\. One has begun and continues; to stop it: chukwa stop /,
      );
      assert.equal(must(await takeBack(place.composition, 'queued')).reason, 'late');
      const unknown = await takeBack(place.composition, 'nowhere');
      assert.deepEqual(unknown.ok ? [] : unknown.problems.map(({ code }) => code), ['WORLD_UNKNOWN']);
    });
    const actions = await briefly(place, (engine) => engine.store.actions.list({ world_slug: 'queued' }));
    assert.deepEqual(
      actions.map(({ action, accepted }) => [action, accepted]),
      [
        ['take_back_turns', false],
        ['take_back_turns', true],
      ],
    );
  });

  test('forks a world and queues turns for others, and the audit has who did so', async () => {
    await makeSuspended(place, 'forked');
    const say = (...words: readonly string[]) => sayIn(place, words);
    await serving(place, async () => {
      const forking = ['world', 'fork', 'forked', '--at', '0', '--as'];
      const forked = await say(...forking, 'branch', '--reason', 'what if', '--json');
      assert.deepEqual([forked.code, forked.error], [0, '']);
      const { world_slug, turn, scenario_hash } = JSON.parse(forked.out) as WorldRecord;
      assert.deepEqual([world_slug, turn], ['branch', 0]);
      assert.equal((await say(...forking, 'twig', '--scenario', scenario_hash)).code, 0);
      const of_files = await say(...forking, 'leaf', '--scenario', 'workflows/letters/scenario.json');
      assert.match(of_files.error, /scenarios\s+that\s+are\s+stored[^]*DATABASE_LOCKED/);
      const queued = await say('run', 'branch', '--queue', '--turns', '2', '--json');
      assert.equal(queued.code, 0, queued.error);
      assert.equal((JSON.parse(queued.out) as { readonly queued: number }).queued, 2);
      assert.match((await say('run', 'branch', '--queue')).out, /A turn is queued[^]*chukwa serve, which/);
      assert.match((await say('run', 'nowhere', '--queue')).error, /WORLD_UNKNOWN/);
    });
    const acted = await briefly(place, async ({ store: { actions } }) => [
      ...(await actions.list({ world_slug: 'branch' })),
      ...(await actions.list({ world_slug: 'forked' })),
    ]);
    assert.deepEqual(
      acted.map(({ action, acted_by, surface, reason, accepted }) => [action, acted_by, surface, reason, accepted]),
      [
        ['run_turns', userName(), 'command_line', null, true],
        ['run_turns', userName(), 'command_line', null, true],
        ['fork_world', userName(), 'command_line', null, true],
        ['fork_world', userName(), 'command_line', 'what if', true],
      ],
    );
  });

  test('settles a doubt and deletes a world for others, and the audit has who did so', async () => {
    const { attempt_id, call } = await makeSuspended(place, 'doubted');
    const say = (...words: readonly string[]) => sayIn(place, words);
    must(await stop(place.composition, attempt_id));
    await serving(place, async () => {
      const settle = ['attempt', 'settle', attempt_id];
      const misfit = await say(...settle, '--result', '{"status": 7}');
      assert.match(misfit.error, /--result:1:2 +UNEXPECTED_VALUE/);
      const settled = await say(...settle, '--not-performed', '--reason', 'no van came', '--json');
      assert.equal(settled.code, 0, settled.error);
      const { source_invocation_id, performed } = JSON.parse(settled.out) as SettledCall;
      assert.deepEqual([source_invocation_id, performed], [call, false]);
      assert.match((await say(...settle, '--call', call, '--not-performed')).error, /CALL_ALREADY_SETTLED/);
      assert.equal((await say('world', 'fork', 'doubted', '--at', '0', '--as', 'bough')).code, 0);
      assert.match((await say('world', 'delete', 'doubted', '--yes')).error, /WORLD_HAS_FORKS/);
      const deleted = await say('world', 'delete', 'bough', '--yes', '--reason', 'pruned', '--json');
      assert.equal(deleted.code, 0, deleted.error);
      assert.equal((JSON.parse(deleted.out) as Deleted).world, 'bough');
      assert.match((await say('world', 'delete', 'bough', '--yes')).error, /WORLD_UNKNOWN/);
      const by_token = await fetch(`${place.public_url}/worlds/doubted/deletion`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${await operatorTokenOf(place)}` },
        body: '{}',
      });
      assert.equal(by_token.status, 401, 'a token from elsewhere deletes nothing');
    });
    await briefly(place, async ({ store }) => {
      const acted = await store.actions.list({ world_slug: 'doubted' });
      assert.deepEqual(
        acted.map(({ action, acted_by, surface, reason, accepted }) => [action, acted_by, surface, reason, accepted]),
        [
          ['fork_world', userName(), 'command_line', null, true],
          ['settle_call', userName(), 'command_line', null, false],
          ['settle_call', userName(), 'command_line', 'no van came', true],
          ['settle_call', userName(), 'command_line', null, false],
          ['stop_attempt', userName(), 'command_line', null, true],
        ],
      );
      const gone = await store.actions.deletion('bough');
      assert.deepEqual([gone?.acted_by, gone?.reason], [userName(), 'pruned']);
    });
  });

  test('has tokens in a file that only its owner may read, and takes its sign down when it ends', async () => {
    await serving(place, async () => {});
    const file = await tokenFileOf(place);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const { token, operator_token } = JSON.parse(await readFile(file, 'utf8')) as Record<string, string>;
    assert.match(`${token} ${operator_token}`, /^[\w-]{43} [\w-]{43}$/);
    assert.equal(await place.composition.findServed(), undefined);
  });
});

describe('a server with a request to stop', () => {
  test('a token that ends in a line break, as a file gives it, admits who sends it without', async (t) => {
    const data_dir = await makeFolder(t);
    const token = 'operator-token-0123456789-abcdefghij';
    const variables = { CHUKWA_DATA_DIR: data_dir, CHUKWA_OPERATOR_TOKEN: `${token}\n` };
    const running = startHere(['serve', '--port', '0'], variables);
    const findPort = (): string | undefined => /serving at http:\/\/127\.0\.0\.1:(\d+)/.exec(running.said())?.[1];
    await whileRunning(
      running,
      waitUntil(() => findPort() !== undefined),
    );
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`http://127.0.0.1:${findPort()}/worlds?format=json`, { headers });
    running.interrupt();
    await running.ended;
    assert.equal(answer.status, 200);
  });

  test('a server with a request to stop ends within its grace, with any open connections', async (t) => {
    const data_dir = await makeFolder(t);
    const running = startChukwa(['serve', '--port', '0', '--grace', '3600'], { CHUKWA_DATA_DIR: data_dir });
    const findPort = (): string | undefined => /serving at http:\/\/127\.0\.0\.1:(\d+)/.exec(running.said())?.[1];
    await whileRunning(
      running,
      waitUntil(() => findPort() !== undefined),
    );
    for (const first of [
      '',
      'GET /healthz HTTP/1.1\r\n',
      'POST /callbacks/x HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n',
    ])
      for (let count = 0; count < 20; count += 1) {
        const socket = connect({ port: Number(findPort()), host: '127.0.0.1', allowHalfOpen: true });
        t.after(() => socket.destroy());
        socket.on('error', () => {});
        await once(socket, 'connect');
        socket.write(first);
      }
    running.kill('SIGTERM');
    assert.equal((await running.ended).code, 0);
  });
});
