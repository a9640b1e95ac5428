import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { HttpServer } from '../../../engine/operations/composition.js';
import type { AttemptLease, CallStart } from '../../../engine/ports/attempts.js';
import { startServer } from '../../../engine/surfaces/http/server.js';
import {
  answered,
  begin,
  committing,
  failing,
  finishCall,
  generationStart,
  makeWorld,
  message,
  patchOf,
  startCall,
  toyStart,
} from '../../store/record-fixtures.js';
import { openTestDatabase } from '../../support/databases.js';
import { TOKENS } from '../../support/served-park.js';

const CALLS = 10_000;
const DOUBTED = 627;

describe('the page of a long attempt', () => {
  let opened: Awaited<ReturnType<typeof openTestDatabase>>;
  let server: HttpServer;

  before(async () => {
    opened = await openTestDatabase('PostgreSQL');
    const { store } = opened;
    const refuse = async () => ({ ok: false, because: 'content', problems: [] }) as const;
    server = await startServer(
      {
        report: refuse,
        act: refuse,
        isReady: async () => true,
        use: async () => ({ ok: false, because: 'environment', problems: [] }) as const,
        checkReadable: async () => ({ ok: true, value: undefined }),
        look: (operation) => operation({ store }),
      },
      TOKENS,
      { host: '127.0.0.1', port: 0 },
    );
  });
  after(async () => {
    await server?.close(0);
    await opened?.close();
  });

  /** Begins an attempt in a world of its own, with so many calls that were answered, but for one number. */
  async function beginLong(world_slug: string, calls: number, left_out = 0): Promise<AttemptLease> {
    const { store, outside } = opened;
    await makeWorld(store, world_slug);
    const { lease } = await begin(store, world_slug);
    const first = toyStart('call-1', 1);
    await startCall(store, lease, first);
    await finishCall(store, lease, answered(first, { temperature: 3 }));
    await outside.query('SET session_replication_role = replica');
    await outside.query(
      `INSERT INTO source_invocations (world_slug, source_invocation_id, attempt_id, attempted_turn, invocation_seq,
         command_key, request_hash, workflow_hash, source_hash, invocation_kind, effect_class, ambient_source_id, redaction,
         request_json, response_json, started_at, ended_at, status, started_event_id, ended_event_id, answered)
       SELECT world_slug, gen_random_uuid(), attempt_id, 1, seq, 'call-' || seq, request_hash, workflow_hash, source_hash,
         invocation_kind, effect_class, ambient_source_id, redaction, request_json, response_json, started_at, ended_at,
         status, started_event_id + 100 * seq, ended_event_id + 100 * seq, answered
       FROM source_invocations, generate_series(2, $2::int) AS seq
       WHERE source_invocation_id = $1 AND seq <> $3`,
      [first.source_invocation_id, calls, left_out],
    );
    await outside.query('SET session_replication_role = DEFAULT');
    return lease;
  }

  async function read(path: string): Promise<string> {
    const headers = { authorization: `Bearer ${TOKENS.operator_token}`, accept: 'text/html' };
    const response = await fetch(`${server.url}${path}`, { headers });
    const text = await response.text();
    assert.equal(response.status, 200, `${path}: ${text}`);
    return text;
  }

  /** One section of a page, by its id. */
  async function section(path: string, id: string): Promise<string> {
    const [, found] = new RegExp(
      `<section class="section" id="${id}"(.*?)(?=<section class="section"|</main>)`,
      's',
    ).exec(await read(path)) ?? [undefined, ''];
    return found ?? '';
  }

  const sale = (seq: number): CallStart => {
    const start = toyStart('sale', seq);
    return {
      ...start,
      command: { ...start.command, call: { ...start.command.call, effect: 'external_side_effect' as const } },
    };
  };

  test('a long attempt offers the call in doubt after the calls that its page shows, and says what it leaves out', async () => {
    const lease = await beginLong('long', CALLS, DOUBTED);
    const start = sale(DOUBTED);
    await startCall(opened.store, lease, start);
    const { failure, ...ended } = failing(start.source_invocation_id);
    await opened.store.attempts.fail(lease, { ...ended, failure: { ...failure, failure_class: 'interrupted' } });
    const page = `/attempts/${lease.attempt_id}`;
    const call = `/source-invocations/${start.source_invocation_id}`;
    assert.ok((await read('/worlds/long')).includes(`href="${page}#waits"`));
    const waits = await section(page, 'waits');
    assert.ok(
      waits.includes(`href="${call}"`) && waits.includes('in doubt') && waits.includes(`${call}#not-performed`),
    );
    assert.ok((await section(page, 'unfinished')).includes(call));
    assert.match(await section(page, 'timeline'), /Calls 1 to 500 of 10\u2009000 are in this part/);
    assert.ok((await section(page, 'timeline')).includes(`href="${page}?after=500#timeline"`));
    const next = `${page}?after=500`;
    assert.ok((await section(next, 'timeline')).includes(`href="${call}"`), 'the next part draws it');
    const { timeline } = JSON.parse(await readJson(next)) as {
      timeline: readonly { event_kind: string; source_invocation_id: string | null }[];
    };
    assert.equal(timeline.filter(({ event_kind }) => event_kind === 'call_started').length, 500);
    assert.ok(
      timeline.every(({ event_kind }) => event_kind !== 'attempt_began'),
      'the first part has the beginning',
    );
    const list = JSON.parse(await readJson(`${page}/source-invocations?only=unfinished`)) as {
      rows: readonly { source_invocation_id: string }[];
    };
    assert.deepEqual(
      list.rows.map(({ source_invocation_id }) => source_invocation_id),
      [start.source_invocation_id],
    );
  });

  const readJson = (path: string): Promise<string> => read(`${path}${path.includes('?') ? '&' : '?'}format=json`);

  test('a long attempt says what runs now, and leads from a patch to its prompt', async () => {
    const lease = await beginLong('runs', 700);
    const start = generationStart(701, [message('system', 'author', 'You are Zoe.')]);
    await startCall(opened.store, lease, start);
    const page = `/attempts/${lease.attempt_id}`;
    assert.ok((await section(page, 'running')).includes(`/llm-calls/${start.llm_call_id}`));
    await finishCall(opened.store, lease, answered(start, { text: '{}', finish_reason: 'stop' }));
    await opened.store.attempts.commit(lease, committing(start, [patchOf({ before: 'rested', after: 'tired' })]));
    assert.ok((await section(page, 'patches')).includes(`class="why" href="/llm-calls/${start.llm_call_id}"`));
  });

  interface Part {
    readonly timeline: readonly { readonly event_seq: number; readonly event_kind: string }[];
    readonly audit: readonly unknown[];
  }

  const readParts = (page: string): Promise<readonly Part[]> =>
    Promise.all(
      [page, `${page}?after=500`, `${page}?after=1000`].map(async (part) => JSON.parse(await readJson(part)) as Part),
    );

  test('each event stands in one part of a long attempt, and its audit says what the JSON has', async () => {
    const { attempt_id } = await beginLong('parts', 1100);
    const page = `/attempts/${attempt_id}`;
    await opened.outside.query('SET session_replication_role = replica');
    await opened.outside.query(
      `INSERT INTO attempt_events (world_slug, attempt_id, event_id, event_kind, occurred_at)
       OVERRIDING SYSTEM VALUE
       SELECT world_slug, attempt_id, ended_event_id + 1, 'attempt_continued', ended_at FROM source_invocations
       WHERE world_slug = 'parts' AND invocation_seq IN (250, 500, 1000, 1100)`,
    );
    await opened.outside.query(
      `INSERT INTO audit_entries (world_slug, audit_kind, attempt_id, occurred_at, source_invocation_id, attempt_number, raw_response, rejection)
       SELECT world_slug, 'generation_rejected', attempt_id, started_at, source_invocation_id, 1, '', 'no'
       FROM source_invocations WHERE world_slug = 'parts' AND invocation_seq <= 700`,
    );
    await opened.outside.query('SET session_replication_role = DEFAULT');
    const parts = await readParts(page);
    const seen = parts.flatMap(({ timeline }) => timeline);
    assert.equal(seen.filter(({ event_kind }) => event_kind === 'attempt_continued').length, 4);
    assert.deepEqual(
      seen.map(({ event_seq }) => event_seq),
      Array.from(seen, (_, index) => index + 1),
    );
    assert.equal(parts[0]?.audit.length, 500);
    const audit = await section(page, 'audit');
    assert.doesNotMatch(audit, /the JSON has them all/);
    assert.match(audit, /first 30.*the JSON has the first 500/s);
    assert.match(await section(page, 'calls'), /after=30".*The calls after these, of 1\u2009100/s);
    assert.match(await section(`${page}?after=500`, 'calls'), /after=530"/);
    assert.match(await section(`${page}?after=1000`, 'calls'), /after=1030"/);
  });

  test('an attempt that adopts a long one has its events after the adopted calls, and counts both', async () => {
    const failed = await beginLong('again', 1100);
    const broke = toyStart('broke', 1101);
    const { failure, ...ended } = failing(broke.source_invocation_id);
    await startCall(opened.store, failed, broke);
    await opened.store.attempts.fail(failed, { ...ended, failure: { ...failure, is_transient: true } });
    const { lease } = await begin(opened.store, 'again');
    await startCall(opened.store, lease, generationStart(1101, [message('system', 'author', 'You are Zoe.')]));
    const page = `/attempts/${lease.attempt_id}`;
    const kinds = (await readParts(page)).map(({ timeline }) => timeline.map(({ event_kind }) => event_kind));
    // What runs is shown in each part.
    assert.deepEqual(kinds, [['attempt_began', 'call_started'], ['call_started'], ['call_started']]);
    assert.match(await section(page, 'timeline'), /Calls 1 to 500 of 1 made here and the adopted ones/);
    assert.match(await section(page, 'calls'), /after these, of 1 made here and the adopted ones/);
  });

  test('two long attempts differ where they do, however late that is', async () => {
    const [one, other] = [await beginLong('one', 700), await beginLong('other', 700)];
    await opened.outside.query('SET session_replication_role = replica');
    await opened.outside.query(
      `UPDATE source_invocations SET response_json = '{"temperature": 4}' WHERE world_slug = 'other' AND invocation_seq = 650`,
    );
    await opened.outside.query('SET session_replication_role = DEFAULT');
    const path = `/attempts/${other.attempt_id}/diff?other=${one.attempt_id}`;
    const { counts } = JSON.parse(await readJson(path)) as { counts: Readonly<Record<string, number>> };
    assert.deepEqual([counts['same'], counts['answered_otherwise']], [699, 1]);
    assert.match(await section(path, 'calls'), /call-650/);
  });
});
