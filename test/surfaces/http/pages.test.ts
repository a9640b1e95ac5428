import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { type ProblemCode, PROBLEMS } from '../../../engine/contract/problems/index.js';
import { toDesk } from '../../../engine/operations/serving/serve.js';
import { diffPlaces } from '../../../engine/operations/worlds/diff-worlds.js';
import { PAGES } from '../../../engine/surfaces/browser/page.js';
import { queueTurns } from '../../../engine/operations/running/run-worker.js';
import { takeBackTurns } from '../../../engine/operations/running/take-back-turns.js';
import { getComponent, showUses } from '../../../engine/operations/authoring/components.js';
import { ROUTES } from '../../../engine/surfaces/http/routes/index.js';
import { startServer } from '../../../engine/surfaces/http/server.js';
import { openSessions } from '../../../engine/surfaces/http/sessions.js';
import { pathsOfPages } from '../../support/page-paths.js';
import { lettersToApprove, must, type Play } from '../../support/park-stage.js';
import { type ServedPark, servePark, TOKENS } from '../../support/served-park.js';

const NOBODY = '01a2015a-0bd6-7667-b4f2-ff813afe9e27';

let park: ServedPark;
/** A turn that waits for a person. */
let letters: Play;

before(async () => {
  park = await servePark();
  letters = await park.stage.play({ scenario: 'letters', workflows: await lettersToApprove({ after }) });
});
after(() => park.close());

const operator = { authorization: `Bearer ${TOKENS.operator_token}` };
const consumer = { authorization: `Bearer ${TOKENS.token}` };
const browser = { accept: 'text/html,application/xhtml+xml' };

const get = (path: string, headers: Readonly<Record<string, string>> = operator): Promise<Response> =>
  fetch(`${park.server.url}${path}`, { headers, redirect: 'manual' });

async function getJson(path: string): Promise<unknown> {
  const response = await get(`${path}${path.includes('?') ? '&' : '?'}format=json`);
  assert.equal(response.status, 200, path);
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
  return response.json();
}

async function getProblem(path: string, headers = operator): Promise<readonly [number, string]> {
  const response = await get(path, headers);
  assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/, path);
  const { code, status } = (await response.json()) as { readonly code: ProblemCode; readonly status: number };
  assert.deepEqual([status, PROBLEMS[code].status], [response.status, response.status], `${code}, as its page has it`);
  return [status, code];
}

const listPaths = async (): Promise<readonly string[]> => (await pathsOfPages(park)).map(({ path }) => path);

describe('a page', () => {
  test('a page answers with HTML without a script but those that ship, and as JSON, for each entry of the catalogue', async () => {
    for (const path of await listPaths()) {
      const response = await get(path);
      const text = await response.text();
      assert.equal(response.status, 200, `${path}: ${text}`);
      assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
      const others = text.replaceAll(/<script src="\/(copy|live|pace)\.js\?v=\w+" defer><\/script>/g, '');
      assert.doesNotMatch(others, /<script|\son\w+=|javascript:|\sstyle=/i, path);
      assert.ok(text.length < 100_000, `${path} has ${text.length} characters`);
      await getJson(path);
    }
  });

  const crawls: readonly (readonly [who: string, headers: typeof operator, first: () => Promise<readonly string[]>])[] =
    [
      ['an operator', operator, listPaths],
      ['a consumer', consumer, async () => ['/']],
    ];
  for (const [who, headers, first] of crawls)
    test(`a page links to pages that are there: every link and form of every page leads ${who} on`, async () => {
      const seen = new Set<string>();
      const open = [...(await first())];
      for (let path = open.pop(); path !== undefined && seen.size < 400; path = open.pop()) {
        if (seen.has(path)) continue;
        seen.add(path);
        const response = await get(path, { ...headers, ...browser });
        assert.equal(response.status, 200, path);
        if (!(response.headers.get('content-type') ?? '').startsWith('text/html')) continue;
        const here = path;
        const text = await response.text();
        assert.ok(!/<form method="post" action="(?!\/sign-out")/.test(text), path);
        const links = [...text.matchAll(/(?:href|method="get" action)="([/?][^"#]*)/g)].map(([, link = '']) =>
          link.replaceAll('&amp;', '&'),
        );
        open.push(...links.map((link) => (link.startsWith('?') ? here.replace(/\?.*/, '') + link : link)));
      }
      assert.ok(seen.size > (who === 'a consumer' ? 40 : 100), `${seen.size} pages were seen`);
    });

  test('a page says in JSON what the operations say', async () => {
    const { play, stage } = park;
    const { engine } = stage;
    const { world_slug } = play;
    const whole = { calls_after: null, more_calls_after: null, has_more_unfinished: false, has_more_audit: false };
    const its_page = { ...whole, attempt_before: null, read_at: null };
    for (const attempt of play.attempts) {
      const agent_turns = attempt.agent_turns.map((turn) => ({ ...turn, state: turn.outcome }));
      const unfinished = attempt.invocations.filter(({ status }) => status !== 'succeeded');
      const shown = plain({ ...attempt, ...its_page, unfinished, agent_turns });
      assert.deepEqual(await getJson(`/attempts/${attempt.attempt_id}`), shown);
      for (const { source_invocation_id, llm_call_id } of attempt.invocations) {
        const invocation = await stage.invocation(source_invocation_id);
        assert.deepEqual(await getJson(`/source-invocations/${source_invocation_id}`), plain(invocation));
        if (llm_call_id !== null)
          assert.deepEqual(await getJson(`/llm-calls/${llm_call_id}`), plain(await stage.llmCall(llm_call_id)));
      }
    }
    const diff = must(
      await diffPlaces(engine, { from: { world_slug, turn: 0 }, to: { world_slug, turn: 3 }, blame: true }),
    );
    assert.deepEqual(await getJson(`/worlds/${world_slug}/diff?from=0&to=3`), plain(diff));
    const world = (await getJson(`/worlds/${world_slug}`)) as Readonly<Record<string, unknown>>;
    for (const [name, value] of Object.entries(plain(play.after) as object)) assert.deepEqual(world[name], value, name);
    const name = { kind: 'scenario', hash: play.after.scenario_hash } as const;
    const document = (await getJson(`/scenarios/hash/${name.hash}`)) as Readonly<Record<string, unknown>>;
    assert.deepEqual(document['content'], plain(must(await getComponent(engine, name)).content));
    assert.deepEqual(await getJson(`/scenarios/hash/${name.hash}/uses`), plain(must(await showUses(engine, name))));
  });

  test('a page shows each list in parts, and every row once, in one order', async () => {
    interface ListPart {
      readonly rows: readonly object[];
      readonly next: string | null;
    }
    const others = ['/search', '/worlds/:world_slug/entities/:entity_id'];
    const lists = PAGES.filter((page) => page.takes.includes('limit') && !others.includes(page.path));
    const paths = await pathsOfPages(park);
    for (const list of lists) {
      const path = paths.find(({ url }) => url === list.path)?.path ?? '';
      const whole = (await getJson(`${path}?limit=200`)) as ListPart;
      assert.equal(whole.next, null, path);
      const seen: object[] = [];
      for (let next: string | null = '', turn = 0; next !== null && turn < 300; turn += 1) {
        const part = (await getJson(`${path}?limit=3${next === '' ? '' : `&after=${next}`}`)) as ListPart;
        assert.ok(part.rows.length <= 3, path);
        seen.push(...part.rows);
        next = part.next;
      }
      // How long a call has waited is of the moment at which it is read.
      const still = (row: object) => ({ ...row, waited_ms: null, left_ms: null });
      assert.deepEqual(seen.map(still), whole.rows.map(still), path);
    }
    const calls = (await getJson('/source-invocations?limit=200')) as { rows: { source_invocation_id: string }[] };
    const made = [...park.play.attempts, ...letters.attempts].flatMap(({ invocations }) =>
      invocations.map((call) => call.source_invocation_id),
    );
    assert.deepEqual(calls.rows.map((row) => row.source_invocation_id).toSorted(), made.toSorted());
  });

  test('a page of an attempt shows its first calls, and says after which the list of calls goes on', async () => {
    const [attempt] = park.play.attempts;
    const id = attempt?.attempt_id ?? '';
    const { store } = park.stage.engine;
    const all = attempt?.invocations ?? [];
    assert.deepEqual((await store.records.attempt(id, 3))?.invocations, all.slice(0, 3));
    const after = String(all[2]?.invocation_seq);
    assert.deepEqual(await store.browse.calls(id, { after, limit: 200 }), all.slice(3));
  });

  test('a page of a turn lists the attempts at it, and no others', async () => {
    const { world_slug, attempts } = park.play;
    for (const { attempted_turn, attempt_id } of attempts) {
      const shown = (await getJson(`/worlds/${world_slug}/turns/${attempted_turn}`)) as {
        attempts: { attempt_id: string }[];
      };
      assert.deepEqual(
        shown.attempts.map((one) => one.attempt_id),
        [attempt_id],
      );
    }
  });

  test('a page of a source and a workflow lists the latest calls and attempts by it', async () => {
    const [attempt] = park.play.attempts;
    const call = await park.stage.invocation(attempt?.invocations[0]?.source_invocation_id ?? '');
    for (const path of [
      `/response-sources/hash/${call.source_hash}`,
      `/cognition-workflows/hash/${call.workflow_hash}`,
    ]) {
      const { calls, attempts } = (await getJson(path)) as {
        calls: { source_invocation_id: string }[];
        attempts: { attempt_id: string }[];
      };
      assert.ok(
        calls.some(({ source_invocation_id }) => source_invocation_id === call.source_invocation_id),
        path,
      );
      assert.deepEqual(
        attempts.map(({ attempt_id }) => attempt_id),
        park.play.attempts.map(({ attempt_id }) => attempt_id).toReversed(),
        path,
      );
    }
  });

  test('a page of a world leads from each patch to the call that decided it, though the patch has no effect', async () => {
    const patch = { kind: 'final_patch', patch: { narration: 'Bob reads on.', effects: [] } };
    const says = {
      version: 1,
      label: 'reads on',
      turns: { '*': { 'bob/act/round-1/try-1': { json: patch } } },
    } as const;
    const play = await park.stage.play({ scenario: 'simple', says });
    const [call] = play.attempts[0]?.invocations.filter(({ llm_call_id }) => llm_call_id !== null) ?? [];
    const page = await (await get(`/worlds/${play.world_slug}`)).text();
    const [, why] = /class="why" href="([^"]+)" aria-label="Why did bob do that in turn 1\?"/.exec(page) ?? [];
    assert.equal(why, `/llm-calls/${call?.llm_call_id}`);
    assert.match(await (await get(`/worlds/${play.world_slug}/turns/1`)).text(), new RegExp(`href="${why}"`));
  });

  test('a page shows the numbers of readings over turns', async () => {
    const { readings } = (await getJson(`/worlds/${park.play.world_slug}`)) as {
      readings: { ambient_source_id: string; response_json: { temperature_f?: number } }[];
    };
    const temperatures = readings.flatMap(({ response_json: { temperature_f } }) => temperature_f ?? []);
    assert.equal(temperatures.length, 3);
    assert.deepEqual(
      temperatures.toSorted((one, other) => other - one),
      temperatures,
    );
  });

  test('a page says what orders the events of an attempt, whose times may go back', async () => {
    const text = await (await get(`/attempts/${park.play.attempts[0]?.attempt_id}`)).text();
    assert.match(
      text,
      /events<\/summary><p class="note">In the order of the record\. A time is when the event happened/,
    );
  });

  test('a page shows the prompt of a workflow as an attempt resolved it', async () => {
    const [first, second] = park.play.attempts;
    const call = second?.invocations.find(({ llm_call_id }) => llm_call_id !== null);
    const { workflow_hash } = await park.stage.llmCall(call?.llm_call_id ?? null);
    const page = await (await get(`/cognition-workflows/hash/${workflow_hash}?attempt=${second?.attempt_id}`)).text();
    assert.ok(page.includes('cold front'), 'the reading of the second turn');
    const other = await (await get(`/cognition-workflows/hash/${workflow_hash}?attempt=${first?.attempt_id}`)).text();
    assert.ok(!other.includes('A cold front is arriving'), 'the reading of the first turn is another one');
  });
});

describe('a bad request for a page', () => {
  test('a bad request for a page is a problem document with a stable code', async () => {
    const { world_slug } = park.play;
    const hash = 'f'.repeat(64);
    const cases: readonly (readonly [string, number, string])[] = [
      ['/worlds/nobody', 404, 'WORLD_UNKNOWN'],
      [`/worlds/${world_slug}/turns/99`, 404, 'TURN_UNKNOWN'],
      [`/worlds/${world_slug}?until=99`, 404, 'TURN_UNKNOWN'],
      [`/worlds/${world_slug}/turns/-1`, 400, 'TURN_INVALID'],
      [`/worlds/${world_slug}/diff?from=x`, 400, 'TURN_INVALID'],
      [`/attempts/${NOBODY}`, 404, 'ATTEMPT_UNKNOWN'],
      ['/attempts/%27;drop%20table', 404, 'ATTEMPT_UNKNOWN'],
      [`/agent-turns/${NOBODY}`, 404, 'AGENT_TURN_UNKNOWN'],
      [`/source-invocations/${NOBODY}`, 404, 'UNKNOWN_SOURCE_INVOCATION'],
      [`/llm-calls/${NOBODY}`, 404, 'LLM_CALL_UNKNOWN'],
      [`/json-schemas/hash/${hash}`, 404, 'UNKNOWN_JSON_SCHEMA'],
      [`/response-sources/hash/${hash}/uses`, 404, 'UNKNOWN_RESPONSE_SOURCE'],
      [`/cognition-workflows/hash/${hash}`, 404, 'UNKNOWN_COGNITION_WORKFLOW'],
      [`/scenarios/hash/${hash}`, 404, 'UNKNOWN_SCENARIO'],
      ['/scenarios/hash/xyz', 400, 'COMPONENT_HASH_INVALID'],
      ['/search?q=rain&subject=zz', 404, 'SEARCH_FILTER_UNKNOWN'],
      ['/source-invocations?limit=1000000', 400, 'LIMIT_INVALID'],
      ['/source-invocations?limit=0', 400, 'LIMIT_INVALID'],
      ['/source-invocations?after=yesterday', 400, 'CURSOR_INVALID'],
      ['/llm-calls?after=1', 400, 'CURSOR_INVALID'],
      ['/worlds?format=yaml', 400, 'FORMAT_UNKNOWN'],
      [`/worlds/${world_slug}?untill=1`, 400, 'PARAMETER_UNKNOWN'],
      ['/nothing', 404, 'NOTHING_HERE'],
    ];
    for (const [path, status, code] of cases) assert.deepEqual(await getProblem(path), [status, code], path);
  });

  test('a bad request for a page that has a misspelt parameter names the one that was meant', async () => {
    const response = await get(`/worlds/${park.play.world_slug}?untill=1`, operator);
    const { repair } = (await response.json()) as { readonly repair?: string };
    assert.equal(repair, 'Did you mean until?');
  });

  test('a bad request for a page is a page for a browser', async () => {
    const response = await get('/worlds/nobody', { ...operator, ...browser });
    assert.equal(response.status, 404);
    assert.match(await response.text(), /WORLD_UNKNOWN/);
  });

  test('a bad request for a page that is a search comes back with its form as it was filled in', async () => {
    const response = await get('/search?q=rain&subject=bobb&turn=soon', { ...operator, ...browser });
    assert.equal(response.status, 400);
    const text = await response.text();
    assert.match(text, /role="alert"[^]*TURN_INVALID/);
    for (const [name, value] of [
      ['q', 'rain'],
      ['subject', 'bobb'],
      ['turn', 'soon'],
    ])
      assert.match(text, new RegExp(`name="${name}"[^>]* value="${value}"`));
    assert.deepEqual(await getProblem('/search?q=rain&turn=soon'), [400, 'TURN_INVALID']);
    const unfiltered = await get('/search?q=rain', { ...operator, ...browser });
    const isOpen = (page: string): boolean => /<details class="filters"( open)?>/.exec(page)?.[1] !== undefined;
    assert.deepEqual([isOpen(text), isOpen(await unfiltered.text())], [true, false], 'filters unfold where one is set');
  });

  test('a bad request for a page by another method than its route has is told the methods that there are, on every path', async () => {
    const toPath = (url: string): string => url.replaceAll(/:\w+/g, '1');
    for (const path of new Set(ROUTES.map(({ url }) => toPath(url)))) {
      const routes = ROUTES.filter(({ url }) => toPath(url) === path);
      const own = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [String(method)]));
      const others = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'].filter((one) => !own.includes(one));
      for (const method of others) {
        const response = await fetch(`${park.server.url}${path}`, { method, headers: operator });
        assert.deepEqual([response.status, response.headers.get('allow')], [405, own.join(', ')], `${method} ${path}`);
        if (method === 'HEAD') continue;
        assert.equal(((await response.json()) as { code: string }).code, 'METHOD_NOT_ALLOWED');
      }
    }
    const page = await get('/attempts/1/stop', { ...operator, ...browser });
    assert.equal(page.status, 405);
    assert.match(await page.text(), /METHOD_NOT_ALLOWED/);
  });
});

describe('a reader', () => {
  test('a reader is let in to no page without a token', async () => {
    for (const path of await listPaths()) {
      assert.deepEqual(await getProblem(path, {} as typeof operator), [401, 'UNAUTHORISED']);
      const page = await get(path, browser);
      assert.equal(page.status, 401);
      assert.match(await page.text(), /<h1>Sign in<\/h1>/);
    }
  });

  test('a reader with the consumer’s token sees worlds and documents, and no call', async () => {
    const { world_slug, attempts } = park.play;
    for (const path of ['/', '/worlds', `/worlds/${world_slug}`, `/attempts/${attempts[0]?.attempt_id}`, '/scenarios'])
      assert.equal((await get(path, consumer)).status, 200, path);
    for (const path of ['/source-invocations', '/llm-calls', '/inbox'])
      assert.deepEqual(await getProblem(path, consumer), [403, 'OPERATOR_ONLY'], path);
  });

  test('a reader with the consumer’s token sees on the first page nothing of the inbox', async () => {
    const { engine } = park.stage;
    const { world_slug } = park.play;
    must(await queueTurns(engine, { world_slug, turns: 1 }));
    const seen = await Promise.all(
      [operator, consumer].map(async (headers) => {
        const { inbox } = (await (await get('/?format=json', headers)).json()) as { inbox: readonly unknown[] };
        return inbox.length;
      }),
    );
    must(await takeBackTurns(engine, world_slug));
    assert.deepEqual(seen, [1, 0]);
  });

  test('a reader with the consumer’s token sees how a workflow is written, and no prompt that was sent', async () => {
    const [attempt] = park.play.attempts;
    const call = attempt?.invocations.find(({ llm_call_id }) => llm_call_id !== null);
    const { workflow_hash } = await park.stage.llmCall(call?.llm_call_id ?? null);
    const path = `/cognition-workflows/hash/${workflow_hash}`;
    for (const query of ['?', `?attempt=${attempt?.attempt_id}&`]) {
      const response = await get(`${path}${query}format=json`, consumer);
      assert.equal(response.status, 200);
      const said = (await response.json()) as { chosen: unknown; content: unknown; attempts: readonly unknown[] };
      assert.equal(said.chosen, null);
      assert.ok(said.content);
      assert.ok(said.attempts.length > 0);
      const page = await (await get(`${path}${query}`, { ...consumer, ...browser })).text();
      assert.match(page, /as it was written/);
      assert.doesNotMatch(page, /as it was sent|as sent in this one/);
    }
    const operators = (await getJson(path)) as { chosen: { resolved: readonly unknown[] } };
    assert.ok(operators.chosen.resolved.length > 0);
  });

  test('a reader with the consumer’s token sees in an agent turn what tools answered, and not what they were sent', async () => {
    const calls = park.play.attempts.flatMap(({ invocations }) => invocations);
    const tool = calls.find(({ invocation_kind }) => invocation_kind === 'model_elected_tool');
    const attempt = park.play.attempts.find(({ invocations }) => invocations.some((call) => call === tool));
    const turn = attempt?.agent_turns.find(({ agent_id }) => agent_id === tool?.workflow_subject_entity_id);
    const path = `/agent-turns/${turn?.agent_turn_id}?format=json`;
    interface Card {
      readonly kind: string;
      readonly source_invocation_id: string | null;
      readonly tells: { readonly value: unknown } | null;
    }
    const shownValue = async (headers: typeof operator, kind: string): Promise<unknown> => {
      const { output_box } = (await (await get(path, headers)).json()) as { output_box: { cards: readonly Card[] } };
      const cards = output_box.cards.filter((card) => card.source_invocation_id === tool?.source_invocation_id);
      return cards.find((card) => card.kind === kind)?.tells?.value;
    };
    const { request_json, response_json } = await park.stage.invocation(tool?.source_invocation_id ?? '');
    assert.deepEqual(await shownValue(operator, 'tool.call'), request_json);
    assert.deepEqual(await shownValue(operator, 'tool.result'), response_json);
    assert.equal(await shownValue(consumer, 'tool.call'), undefined);
    assert.deepEqual(await shownValue(consumer, 'tool.result'), response_json);
  });

  test('a reader is refused by a name that the server does not have', async () => {
    const asked = (host: string, path: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const { port } = new URL(park.server.url);
        const sent = httpRequest({ port, path, headers: { ...operator, host } }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        });
        sent.on('error', reject).end();
      });
    assert.equal(await asked('evil.example', '/worlds'), 403);
    assert.equal(await asked('evil.example', '/sign-in'), 403);
    assert.equal(await asked('localhost:4747', '/worlds'), 200);
    assert.equal(await asked('[::1]:4747', '/worlds'), 200);
  });
});

describe('signing in', () => {
  const send = (path: string, form: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${park.server.url}${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: park.server.url, ...headers },
      body: new URLSearchParams(form),
    });
  const cookieOf = (response: Response): string => (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';

  test('signing in by a token opens a session that no script can read and no other site can send', async () => {
    const response = await send('/sign-in', { token: TOKENS.operator_token, next: '/llm-calls' });
    assert.deepEqual([response.status, response.headers.get('location')], [303, '/llm-calls']);
    assert.match(response.headers.get('set-cookie') ?? '', /; HttpOnly; SameSite=Strict; Max-Age=7200/);
    assert.ok(!(response.headers.get('set-cookie') ?? '').includes(TOKENS.operator_token));
    assert.equal((await get('/llm-calls', { cookie: cookieOf(response) })).status, 200);
  });

  test('signing in leads to no other host', async () => {
    for (const next of ['//evil.example', 'https://evil.example', '/\\evil.example', 'javascript:alert(1)']) {
      const response = await send('/sign-in', { token: TOKENS.token, next });
      assert.equal(response.headers.get('location'), '/', next);
    }
  });

  test('signing in by a link works once, and is not used up by looking where it leads', async () => {
    const link = park.server.makeSignInLink();
    const looked = await fetch(link, { method: 'HEAD', redirect: 'manual' });
    assert.deepEqual([looked.status, looked.headers.get('set-cookie')], [200, null]);
    const first = await fetch(link, { redirect: 'manual' });
    assert.equal(first.status, 303);
    assert.equal((await get('/inbox', { cookie: cookieOf(first) })).status, 200);
    assert.equal((await fetch(link, { redirect: 'manual' })).status, 401);
  });

  test('signing in is refused with a wrong token, from another origin, and with a forged session', async () => {
    assert.equal((await send('/sign-in', { token: 'wrong' })).status, 401);
    const foreign = await send('/sign-in', { token: TOKENS.token }, { origin: 'http://evil.example' });
    assert.equal(foreign.status, 403);
    const opened = cookieOf(await send('/sign-in', { token: TOKENS.token }));
    for (const cookie of [opened.replace('consumer', 'operator'), `${opened}x`, `${opened.split('=')[0]}=`])
      assert.equal((await get('/worlds', { cookie })).status, 401, cookie);
  });

  test('signing in ends by signing out, for every copy of the cookie', async () => {
    const cookie = cookieOf(await send('/sign-in', { token: TOKENS.token }));
    assert.equal((await get('/worlds', { cookie })).status, 200);
    const response = await send('/sign-out', {}, { cookie });
    assert.match(response.headers.get('set-cookie') ?? '', /Max-Age=0/);
    assert.equal((await get('/worlds', { cookie })).status, 401);
  });
});

describe('signing in too often', () => {
  test('signing in too often is refused, with a right token as well, and affects no other session', async () => {
    const busy = await startServer(toDesk(park.stage.engine), TOKENS, { host: '127.0.0.1', port: 0 });
    const signIn = (token: string): Promise<Response> =>
      fetch(`${busy.url}/sign-in`, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ token }) });
    try {
      const first = await signIn(TOKENS.token);
      const cookie = (first.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
      for (let guess = 2; guess <= 10; guess++) assert.equal((await signIn('guess')).status, 401);
      const last = await signIn(TOKENS.token);
      assert.deepEqual([last.status, last.headers.get('set-cookie')], [429, null]);
      assert.equal((await fetch(`${busy.url}/sign-in?ticket=x`)).status, 429);
      assert.equal((await fetch(`${busy.url}/worlds`, { headers: { cookie } })).status, 200);
    } finally {
      await busy.close(0);
    }
  });
});

describe('a session', () => {
  test('a session is renewed by each page, and still ends after twelve hours', () => {
    let now = 1_000;
    const sessions = openSessions(TOKENS, { now: () => now });
    const first = sessions.open('consumer');
    assert.equal(sessions.renew(first), undefined, 'a new one');
    let last = first;
    for (let hour = 1; hour < 12; hour++) {
      now += 3_600_000;
      const held = sessions.judge(sessions.seal(last));
      last = (held && sessions.renew(held)) ?? last;
      assert.equal(held?.name, first.name, `hour ${hour}`);
    }
    assert.notEqual(sessions.seal(last), sessions.seal(first));
    assert.equal(sessions.judge(sessions.seal(first)), undefined, 'a copy of an old cookie');
    now += 3_600_000;
    assert.equal(sessions.judge(sessions.seal(last)), undefined);
  });

  test('a session ends when nothing has been looked at for two hours, and a ticket after ten minutes', () => {
    let now = 1_000;
    const sessions = openSessions(TOKENS, { now: () => now });
    const cookie = sessions.seal(sessions.open('consumer'));
    const ticket = sessions.makeTicket('operator');
    now += 601_000;
    assert.equal(sessions.redeem(ticket), undefined);
    assert.equal(sessions.judge(cookie)?.reader, 'consumer');
    now += 2 * 3_600_000;
    assert.equal(sessions.judge(cookie), undefined);
  });

  test('a session holds at every server with the same tokens, and at none with others', () => {
    const clock = { now: () => 1_000 };
    const sessions = openSessions(TOKENS, clock);
    const cookie = sessions.seal(sessions.open('operator'));
    assert.equal(openSessions(TOKENS, clock).judge(cookie)?.reader, 'operator');
    const others = { ...TOKENS, operator_token: 'another-operator-of-worlds-with-32' };
    assert.equal(openSessions(others, clock).judge(cookie), undefined);
  });
});

/** A value as JSON carries it. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
