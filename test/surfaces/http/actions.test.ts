import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { JsonObject } from '../../../engine/contract/json.js';
import type { HttpServer } from '../../../engine/operations/composition.js';
import { type ProblemCode, PROBLEMS } from '../../../engine/contract/problems/index.js';
import { toDesk } from '../../../engine/operations/serving/serve.js';
import type { OperatorActionRecord } from '../../../engine/ports/operator-actions.js';
import type { WaitingAttempt } from '../../../engine/ports/browse.js';
import type { AttemptRecord } from '../../../engine/ports/records.js';
import { startServer } from '../../../engine/surfaces/http/server.js';
import { editWorkflows, openParkStage, type ParkStage, withDeadline } from '../../support/park-stage.js';
import { contentsOf } from '../../store/record-fixtures.js';
import { TOKENS } from '../../support/served-park.js';
import { misbehave } from '../../support/faults.js';

const NOBODY = '01a2015a-0bd6-7667-b4f2-ff813afe9e27';
const KEY = 'loopback-needs-no-key';

let stage: ParkStage;
let server: HttpServer;
let cookie = '';

before(async () => {
  stage = await openParkStage('PostgreSQL');
  server = await startServer(toDesk(stage.engine), TOKENS, { host: '127.0.0.1', port: 0 });
  cookie = await signIn(TOKENS.operator_token);
});
after(async () => {
  await server?.close(0);
  await stage?.close();
});

async function signIn(token: string): Promise<string> {
  const body = new URLSearchParams({ token });
  const response = await fetch(`${server.url}/sign-in`, { method: 'POST', redirect: 'manual', body });
  return (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

/** The forms of a page by their path, with what they hold. */
async function readForms(path: string, as = cookie): Promise<ReadonlyMap<string, Record<string, string>>> {
  const page = await (await fetch(`${server.url}${path}`, { headers: { cookie: as, accept: 'text/html' } })).text();
  const forms = page.matchAll(/<form method="post" action="([^"]+)">([^]*?)<\/form>/g);
  return new Map(
    [...forms].map(([, action = '', fields = '']) => [
      action,
      Object.fromEntries(
        [...fields.matchAll(/name="([^"]+)"(?: value="([^"]*)")?/g)].map(([, name = '', value = '']) => [name, value]),
      ),
    ]),
  );
}

interface Sent {
  readonly status: number;
  readonly location: string | null;
  readonly text: string;
}

async function send(path: string, form: Record<string, string>, headers: Record<string, string> = {}): Promise<Sent> {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, origin: server.url, accept: 'text/html', ...headers },
    body: new URLSearchParams(form),
  });
  return { status: response.status, location: response.headers.get('location'), text: await response.text() };
}

/** Fills the form of a page and sends it. */
async function fill(page: string, action: string, said: Record<string, string>): Promise<Sent> {
  const form = (await readForms(page)).get(action);
  assert.ok(form, `${page} has no form for ${action}`);
  return send(action, { ...form, ...said });
}

async function post(path: string, body: object, token = TOKENS.operator_token) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, said: (await response.json()) as Readonly<Record<string, unknown>> };
}

const listActions = (world_slug: string): Promise<readonly OperatorActionRecord[]> =>
  stage.engine.store.actions.list({ world_slug });

/** A world whose first turn has failed over a sale of which nobody knows whether it took place. */
async function makeDoubted(): Promise<AttemptRecord> {
  misbehave(stage.toys.vending, 'reset_connection');
  const play = await stage.play({ scenario: 'tools' });
  misbehave(stage.toys.vending);
  const [attempt] = play.attempts;
  assert.ok(attempt?.failed_source_invocation_id);
  return attempt;
}

describe('an operator, by the form of a page', () => {
  test('an operator, by the form of a page, queues turns for this server’s worker, and the audit says who, what and why', async () => {
    const { world_slug } = await stage.makeWorld({ scenario: 'park' });
    const path = `/worlds/${world_slug}/turns`;
    await fill(`/worlds/${world_slug}`, path, { turns: '1', reason: 'to see the sun' });
    assert.equal((await listActions(world_slug))[0]?.outcome, 'A turn is queued; 1 waits in all.');
    const sent = await fill(`/worlds/${world_slug}`, path, { turns: '2', reason: `to see the rain, not ${KEY}` });
    assert.deepEqual([sent.status, sent.location], [303, `/worlds/${world_slug}#actions`]);
    const [entry] = await listActions(world_slug);
    assert.equal(entry?.action, 'run_turns');
    assert.match(entry.acted_by, /^session [\w-]{8}$/);
    assert.match(entry.reason ?? '', /^to see the rain, not /);
    assert.ok(!entry.reason?.includes(KEY), 'a secret is replaced');
    assert.deepEqual([entry.accepted, entry.details], [true, { turns: 2 }]);
    assert.match(entry.outcome ?? '', /^2 turns are queued; 3 wait in all\.$/);
    const page = await (await fetch(`${server.url}/worlds/${world_slug}`, { headers: { cookie } })).text();
    assert.match(page, /id="actions"[^]*to see the rain/);
  });

  test('an operator, by the form of a page, takes back the turns that have not begun', async () => {
    const { world_slug } = await stage.makeWorld({ scenario: 'park' });
    const page = `/worlds/${world_slug}`;
    await fill(page, `${page}/turns`, { turns: '2', reason: 'two more' });
    const sent = await fill(page, `${page}/queue/stop`, { reason: 'the wrong world' });
    assert.deepEqual([sent.status, sent.location], [303, `${page}#actions`]);
    const [entry] = await listActions(world_slug);
    assert.deepEqual(
      [entry?.action, entry?.reason, entry?.outcome],
      ['take_back_turns', 'the wrong world', `Took back 2 turns of ${world_slug}.`],
    );
  });

  test('an operator who takes back turns while an attempt is open sees the outcome on the page of the world', async () => {
    const [attempt] = (await stage.play({ scenario: 'letters' })).attempts;
    assert.equal(attempt?.status, 'suspended');
    const page = `/worlds/${attempt.world_slug}`;
    const sent = await fill(page, `${page}/queue/stop`, { reason: 'the wrong world' });
    assert.deepEqual([sent.status, sent.location], [303, `${page}#actions`]);
    const [entry] = await listActions(attempt.world_slug);
    assert.match(
      entry?.outcome ?? '',
      /^\S+ has no queued turn that has not begun\. One has begun and continues; to stop it: “Stop it” on the page/,
    );
    await fill(page, `${page}/turns`, { turns: '1', reason: 'one more' });
    await fill(`/attempts/${attempt.attempt_id}`, `/attempts/${attempt.attempt_id}/stop`, { reason: 'it is late' });
    const [stopped] = await listActions(attempt.world_slug);
    assert.match(
      stopped?.outcome ?? '',
      /One more turn is queued: “Take them back” on the page of the world takes back/,
    );
  });

  test('an operator, by the forms of its page, denies a call with a reason, and grants calls like one', async () => {
    const denied = (await stage.play({ scenario: 'bills' })).report.unapproved?.[0]?.approval_id ?? '';
    const page = `/approvals/${denied}`;
    const wrong = await fill(page, page, { decision: 'denied', reason: '' });
    assert.match(wrong.text, /Deny this call[^]*REASON_MISSING[^]*/);
    assert.match(wrong.text, /name="decision" value="denied"/);
    const sent = await fill(page, page, { decision: 'denied', reason: 'we never ordered that' });
    assert.equal(sent.status, 303);
    const shown = await stage.engine.store.approvals.find(denied);
    assert.deepEqual([shown?.status, shown?.reason], ['denied', 'we never ordered that']);
    const play = await stage.play({ scenario: 'bills' });
    const [asked] = play.report.unapproved ?? [];
    const form = `/approvals/${asked?.approval_id}`;
    const said = { uses: '2', hours: '1', arguments: '{"/payee": "Harbour Legal Services"}', reason: 'all of theirs' };
    await fill(form, `${form}/grant`, said);
    const [grant] = await stage.engine.store.grants.list({ world_slug: play.world_slug, limit: 1 });
    assert.deepEqual([grant?.uses_left, grant?.status], [1, 'usable']);
    await fill(`/grants/${grant?.grant_id}`, `/grants/${grant?.grant_id}/revocation`, { reason: 'no more' });
    assert.equal((await stage.engine.store.grants.find(grant?.grant_id ?? ''))?.status, 'revoked');
    assert.equal(
      (await fetch(`${server.url}${form}`, { headers: { cookie } }).then((page) => page.text())).includes(
        'id="approve"',
      ),
      false,
    );
  });

  test('an operator, by the form of a page, forks a world', async () => {
    const { world_slug } = await stage.makeWorld({ scenario: 'park' });
    const said = { at_turn: '0', as: 'forked', reason: 'to try another day' };
    const sent = await fill(`/worlds/${world_slug}`, `/worlds/${world_slug}/fork`, said);
    assert.deepEqual([sent.status, sent.location], [303, '/worlds/forked']);
    assert.equal((await stage.world('forked')).forked_from?.world_slug, world_slug);
    const again = await fill(`/worlds/${world_slug}`, `/worlds/${world_slug}/fork`, said);
    assert.equal(again.status, 400);
    assert.match(again.text, /WORLD_EXISTS/);
    const [refused] = await listActions(world_slug);
    assert.deepEqual([refused?.accepted, refused?.details], [false, { at_turn: 0, as: 'forked' }]);
  });

  test('an operator, by the form of a page, forks a world by another scenario, and learns beside its field that it does not fit', async (t) => {
    const { world_slug } = await stage.makeWorld({ scenario: 'park' });
    const edited = await editWorkflows(t, {
      'park/scenario.json': (scenario) => ({ ...scenario, description: 'Another day.' }),
    });
    const { scenario_hash } = await stage.makeWorld({ scenario: 'park', workflows: edited });
    const page = `/worlds/${world_slug}`;
    const form = await (await fetch(`${server.url}${page}`, { headers: { cookie } })).text();
    assert.ok(form.includes(`<option value="${scenario_hash}">park (${scenario_hash.slice(0, 8)})</option>`));
    const said = { at_turn: '0', as: 'forked-otherwise', scenario: scenario_hash, reason: 'to try another day' };
    const sent = await fill(page, `${page}/fork`, said);
    assert.deepEqual([sent.status, sent.location], [303, '/worlds/forked-otherwise']);
    assert.equal((await stage.world('forked-otherwise')).scenario_hash, scenario_hash);
    const other = await stage.makeWorld({ scenario: 'simple' });
    const refused = await fill(page, `${page}/fork`, { ...said, as: 'no-fork', scenario: other.scenario_hash });
    assert.match(refused.text, /name="scenario" aria-invalid="true" [^]*selected[^]*SCENARIO_DIFFERS/);
  });

  test('an operator, by the form of a page, stops an attempt, which says why', async () => {
    const [attempt] = (await stage.play({ scenario: 'letters' })).attempts;
    assert.equal(attempt?.status, 'suspended');
    const path = `/attempts/${attempt.attempt_id}`;
    const sent = await fill(path, `${path}/stop`, { reason: 'Emil is on holiday' });
    assert.deepEqual([sent.status, sent.location], [303, `${path}#actions`]);
    await stage.run(await stage.world(attempt.world_slug)).catch(() => undefined);
    const after_stop = await stage.engine.store.records.attempt(attempt.attempt_id);
    assert.equal(after_stop?.failure_class, 'stopped');
    assert.match(after_stop.failure_message ?? '', /Emil is on holiday/);
    assert.equal((await readForms(path)).has(`${path}/stop`), false, 'what is over is not stopped');
  });

  test('an operator, by the form of a page, reports a call that waits, and the turn goes on with the answer', async () => {
    const [attempt] = (await stage.play({ scenario: 'letters' })).attempts;
    const call = attempt?.awaited[0]?.source_invocation_id ?? '';
    const page = `/source-invocations/${call}`;
    for (const [wrong, said] of [
      ['I come', /FIELD_INVALID/],
      ['{"status": "eaten by the dog"}', /<code>\/status<\/code> must be/],
    ] as const) {
      const refused = await fill(page, `${page}/report`, { answer: wrong, reason: 'he said so' });
      assert.equal(refused.status, 400);
      assert.match(refused.text, said);
    }
    const answer = JSON.stringify({ status: 'answered', from: 'Emil', body: 'I come.', postage: 'paid' });
    const sent = await fill(page, `${page}/report`, { answer, reason: 'Emil called instead' });
    assert.deepEqual([sent.status, sent.location], [303, `/attempts/${attempt?.attempt_id}#actions`]);
    const { attempts } = await stage.run(await stage.world(attempt?.world_slug ?? ''));
    assert.equal(attempts.at(-1)?.status, 'committed');
  });

  test('a report after the deadline of a call that changes nothing is acknowledged as late, and changes nothing', async (t) => {
    const workflows = await editWorkflows(t, {
      'letters/workflow.json': (workflow) => {
        const [node, ...nodes] = (withDeadline(1)(workflow)['nodes'] ?? []) as readonly JsonObject[];
        const tools = (node?.['available_tools'] ?? []) as readonly JsonObject[];
        const available_tools = tools.map((tool) => ({ ...tool, effect: 'read_only' }));
        return { ...workflow, nodes: [{ ...node, available_tools }, ...nodes] };
      },
    });
    const first = await stage.play({ scenario: 'letters', workflows });
    const call = first.attempts[0]?.awaited[0]?.source_invocation_id ?? '';
    const { attempts } = await stage.run(first.before);
    assert.deepEqual([attempts.at(-1)?.status, attempts.at(-1)?.failure_class], ['failed', 'timeout']);
    assert.ok(stage.outside);
    const before = await contentsOf(stage.outside);
    const answer = { status: 'answered', from: 'Emil', body: 'I come.', postage: 'paid' };
    const { status, said } = await post(`/callbacks/${call}`, answer);
    assert.deepEqual([status, said['accepted'], said['reason']], [200, false, 'late']);
    assert.ok(before === (await contentsOf(stage.outside)), 'a row has changed');
    const by_hand = await post(`/source-invocations/${call}/report`, { answer });
    assert.deepEqual([by_hand.status, by_hand.said['accepted'], by_hand.said['reason']], [200, false, 'late']);
    assert.equal((await stage.invocation(call)).status, 'failed');
  });

  test('an operator, by the form of a page, settles a call in doubt both ways, and the record says who and why', async () => {
    for (const [performed, form_index] of [
      [true, 0],
      [false, 1],
    ] as const) {
      const attempt = await makeDoubted();
      const page = `/source-invocations/${attempt.failed_source_invocation_id}`;
      const text = await (await fetch(`${server.url}${page}`, { headers: { cookie, accept: 'text/html' } })).text();
      assert.match(text, /<h2 id="decisions-title">What you decide<\/h2>[^]*It took place[^]*It did not take place/);
      assert.match(text, /happens a second time/);
      const [token = ''] = [...(await readForms(page)).values()].flatMap(({ form_token }) => form_token ?? []);
      const answer = JSON.stringify({ status: 'dispensed', remaining: 0, message: 'It dropped.' });
      const said = { form_token: token, reason: `seen, ${form_index}`, ...(performed ? { answer } : {}) };
      const sent = await send(`${page}/settlement`, said);
      assert.equal(sent.status, 303, sent.text);
      const call = await stage.invocation(attempt.failed_source_invocation_id ?? '');
      assert.deepEqual(
        [call.settled_as, call.settlement?.reason],
        [performed ? 'performed' : 'not_performed', said.reason],
      );
      const [entry] = await listActions(attempt.world_slug);
      assert.deepEqual([entry?.action, entry?.details, entry?.accepted], ['settle_call', { performed }, true]);
    }
  });
});

test('the audit of an attempt names the host and the process of who settled a call to operators alone', async () => {
  const { attempt_id, failed_source_invocation_id: call } = await makeDoubted();
  await post(`/source-invocations/${call}/settlement`, { reason: 'not seen' });
  const readDetails = async (token: string): Promise<unknown> => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${server.url}/attempts/${attempt_id}?format=json`, { headers });
    const { audit } = (await response.json()) as AttemptRecord;
    return audit.find(({ audit_kind }) => audit_kind === 'call_settled')?.details;
  };
  const said = { performed: false, settled_by: 'operator', reason: 'not seen' };
  assert.deepEqual(await readDetails(TOKENS.token), said);
  const { host, pid } = stage.engine.runtime.holder;
  assert.deepEqual(await readDetails(TOKENS.operator_token), { ...said, host, pid });
});

describe('a form', () => {
  test('a form that is refused comes back with what was typed, and says beside its field what is wrong', async () => {
    const { world_slug } = await stage.makeWorld({ scenario: 'park' });
    const path = `/worlds/${world_slug}`;
    const refusedAt = ({ text }: Sent): readonly string[] =>
      [...text.matchAll(/name="(\w+)"[^>]* aria-invalid="true"/g)].map(([, name = '']) => name);
    const named = await fill(path, `${path}/fork`, { as: 'Park B!', reason: 'to "see"' });
    assert.equal(named.status, 400);
    assert.deepEqual(refusedAt(named), ['as']);
    assert.match(named.text, /value="Park B!"[^]*WORLD_SLUG_INVALID/);
    assert.match(named.text, /value="to &quot;see&quot;"/);
    assert.match(named.text, new RegExp(`<nav class="trail"[^]*href="${path}"`));
    assert.deepEqual(refusedAt(await fill(path, `${path}/fork`, { as: 'later', at_turn: '9', reason: 'x' })), [
      'at_turn',
    ]);
    assert.deepEqual(refusedAt(await fill(path, `${path}/turns`, { turns: '0', reason: 'x' })), ['turns']);
    assert.deepEqual(refusedAt(await fill(path, `${path}/turns`, { turns: '1', reason: ' ' })), ['reason']);
    assert.deepEqual(refusedAt(await fill(path, `${path}/queue/stop`, { reason: ' ' })), ['reason']);
    const token = /name="form_token" value="([^"]+)"/.exec(named.text)?.[1] ?? '';
    const sent = await send(`${path}/fork`, { form_token: token, at_turn: '0', as: `${world_slug}-b`, reason: 'x' });
    assert.deepEqual([sent.status, sent.location], [303, `/worlds/${world_slug}-b`]);
  });

  test('a form does nothing without the token of its session, a reason, or its own origin', async () => {
    const { world_slug } = await stage.makeWorld({ scenario: 'park' });
    const path = `/worlds/${world_slug}/turns`;
    const form = (await readForms(`/worlds/${world_slug}`)).get(path) ?? {};
    const whole = { ...form, turns: '1', reason: 'why not' };
    const other = await signIn(TOKENS.operator_token);
    const cases: readonly (readonly [string, Record<string, string>, Record<string, string>, number, RegExp])[] = [
      ['without its token', { turns: '1', reason: 'x' }, {}, 403, /FORM_FOREIGN/],
      ['with another', { ...whole, form_token: 'x'.repeat(43) }, {}, 403, /FORM_FOREIGN/],
      ['in another session', whole, { cookie: other }, 403, /FORM_FOREIGN/],
      ['from another site', whole, { origin: 'http://evil.example' }, 403, /ORIGIN_UNKNOWN/],
      ['without an origin, across sites', whole, { origin: '', 'sec-fetch-site': 'cross-site' }, 403, /ORIGIN_UNKNOWN/],
      ['without a reason', { ...whole, reason: ' ' }, {}, 400, /REASON_MISSING/],
      ['of no turns', { ...whole, turns: '0' }, {}, 400, /FIELD_INVALID/],
      ['of words', { ...whole, turns: 'all' }, {}, 400, /FIELD_INVALID/],
      ['of nobody', whole, { cookie: '' }, 401, /Sign in/],
    ];
    for (const [what, fields, headers, status, text] of cases) {
      const sent = await send(path, fields, headers);
      assert.equal(sent.status, status, what);
      assert.match(sent.text, text, what);
    }
    assert.deepEqual(await listActions(world_slug), []);
  });

  test('a form is shown to operators alone, and accepted from nobody else', async () => {
    const { world_slug } = await stage.makeWorld({ scenario: 'park' });
    const reader = await signIn(TOKENS.token);
    assert.deepEqual([...(await readForms(`/worlds/${world_slug}`, reader)).keys()], ['/sign-out']);
    const sent = await send(`/worlds/${world_slug}/turns`, { turns: '1', reason: 'x' }, { cookie: reader });
    assert.equal(sent.status, 403);
    assert.match(sent.text, /OPERATOR_ONLY/);
  });

  test('a form whose session ends while it is being sent does nothing', async () => {
    const { world_slug } = await stage.makeWorld({ scenario: 'park' });
    const own = await signIn(TOKENS.operator_token);
    const path = `/worlds/${world_slug}/turns`;
    const form = (await readForms(`/worlds/${world_slug}`, own)).get(path) ?? {};
    const { status } = await fetch(`${server.url}${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: own, origin: server.url, 'content-type': 'application/x-www-form-urlencoded' },
      duplex: 'half',
      body: ReadableStream.from(
        (async function* () {
          yield Buffer.from(`${String(new URLSearchParams({ ...form, turns: '1' }))}&`);
          await setTimeout(100);
          await fetch(`${server.url}/sign-out`, { method: 'POST', redirect: 'manual', headers: { cookie: own } });
          yield Buffer.from('reason=x');
        })(),
      ),
    });
    assert.equal(status, 401);
    assert.deepEqual(await listActions(world_slug), []);
  });

  test('a form sent as JSON needs a token: a session sends none', async () => {
    const headers = { cookie, 'content-type': 'application/json', origin: server.url };
    const response = await fetch(`${server.url}/attempts/${NOBODY}/stop`, { method: 'POST', headers, body: '{}' });
    assert.equal(((await response.json()) as { code: string }).code, 'FORM_FOREIGN');
  });
});

/** Sends bytes as they are. */
async function sendBytes(path: string, body: string, headers: Readonly<Record<string, string>>) {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { ...headers, accept: 'application/json' },
    body: Buffer.from(body, 'latin1'),
  });
  const { code, detail } = (await response.json()) as { readonly code: string; readonly detail: string };
  return { status: response.status, code, detail };
}

describe('a body', () => {
  const form = { 'content-type': 'Application/X-WWW-Form-Urlencoded' };
  const token = { authorization: `Bearer ${TOKENS.operator_token}` };

  test('a body that is not UTF-8 is refused, and its call waits on', async () => {
    const [attempt] = (await stage.play({ scenario: 'letters' })).attempts;
    const call = attempt?.awaited[0]?.source_invocation_id ?? '';
    const path = `/source-invocations/${call}/report`;
    const json = { ...token, 'content-type': 'application/json' };
    for (const [body, headers, code] of [
      ['{"reason": "x", "answer": {"from": "caf\u00e9"}}', json, 'BODY_NOT_JSON'],
      ['reason=x&answer="caf\u00e9"', { ...token, ...form }, 'REQUEST_MALFORMED'],
      ['reason=x&answer="caf%E9"', { ...token, ...form }, 'REQUEST_MALFORMED'],
    ] as const) {
      const refused = await sendBytes(path, body, headers);
      assert.deepEqual([refused.status, refused.code], [400, code], body);
      assert.match(refused.detail, /is not UTF-8/);
    }
    assert.deepEqual(await listActions(attempt?.world_slug ?? ''), []);
    const whole = await post(path, { reason: 'x', answer: { status: 'answered', from: 'caf\u00e9' } });
    assert.equal(whole.status, 202);
  });

  test('a body of a form says each thing once, and nothing that cannot be stored', async () => {
    const { world_slug } = await stage.makeWorld({ scenario: 'park' });
    const path = `/worlds/${world_slug}/turns`;
    const [form_token] = [...(await readForms(`/worlds/${world_slug}`)).values()].flatMap(
      (one) => one['form_token'] ?? [],
    );
    for (const [headers, said] of [
      [{ ...token, ...form }, ''],
      [{ ...form, cookie, origin: server.url }, `form_token=${form_token}&`],
    ] as const) {
      const twice = await sendBytes(path, `${said}turns=1&reason=x&turns=2`, headers);
      assert.deepEqual([twice.status, twice.code], [400, 'REQUEST_MALFORMED']);
      assert.match(twice.detail, /"turns" twice/);
      const zero = await sendBytes(path, `${said}turns=1&reason=a%00b`, headers);
      assert.deepEqual([zero.status, zero.code], [400, 'REQUEST_MALFORMED']);
    }
    assert.deepEqual(await listActions(world_slug), []);
  });
});

describe('a program', () => {
  test('a program that would like a page is known by its token, and is asked for none', async () => {
    const { world_slug } = await stage.makeWorld({ scenario: 'park' });
    const post_html = (authorization: string) =>
      fetch(`${server.url}/worlds/${world_slug}/turns`, {
        method: 'POST',
        headers: { authorization, accept: 'text/html', 'content-type': 'application/json' },
        body: JSON.stringify({ turns: 1, reason: 'x' }),
      });
    assert.equal((await post_html(`Bearer ${TOKENS.operator_token}`)).status, 202);
    const refused = await post_html(`Bearer ${'x'.repeat(40)}`);
    assert.equal(refused.status, 401);
    assert.match(refused.headers.get('content-type') ?? '', /^application\/problem\+json/);
  });

  test('a program has the same effect as JSON, and answers with its outcome', async () => {
    const { world_slug } = await stage.makeWorld({ scenario: 'park' });
    const queued = await post(`/worlds/${world_slug}/turns`, { turns: 3, reason: 'the nightly run' });
    assert.deepEqual([queued.status, queued.said['accepted'], queued.said['world']], [202, true, world_slug]);
    const forked = await post(`/worlds/${world_slug}/fork`, { at_turn: 0, as: 'by-json', reason: 'compare' });
    assert.deepEqual([forked.status, forked.said['world']], [202, 'by-json']);
    const entries = await listActions(world_slug);
    assert.deepEqual(
      entries.map(({ action, acted_by, reason }) => [action, acted_by, reason]),
      [
        ['fork_world', 'token', 'compare'],
        ['run_turns', 'token', 'the nightly run'],
      ],
    );
  });

  test('a program leaves no secret in the audit, and no name that a world cannot have', async () => {
    const { world_slug, scenario_hash } = await stage.makeWorld({ scenario: 'park' });
    const fork = (as: string) =>
      post(`/worlds/${world_slug}/fork`, { at_turn: 0, as, reason: `for ${as.slice(0, 100)}` });
    assert.equal((await fork(KEY)).status, 202);
    assert.deepEqual((await fork(`${KEY} `.repeat(4_000))).said['code'], 'WORLD_SLUG_INVALID');
    const entries = await listActions(world_slug);
    assert.deepEqual(
      entries.map(({ reason, details, outcome }) => [reason, details, outcome]),
      [
        [
          'for [secret:CHUKWA_LLM_API_KEY]',
          { at_turn: 0, as: '[secret:CHUKWA_LLM_API_KEY]' },
          `The world [secret:CHUKWA_LLM_API_KEY] is a fork of ${world_slug} at turn 0, by the scenario park (${scenario_hash.slice(0, 12)}) of turn 0. It runs no turn until one is queued or run.`,
        ],
      ],
    );
  });

  test('a program is told the place of a fault in its body, and what to ask over HTTP', async () => {
    const [attempt] = (await stage.play({ scenario: 'letters' })).attempts;
    const call = `/source-invocations/${attempt?.awaited[0]?.source_invocation_id}`;
    const misfit = await post(`${call}/report`, { answer: { status: 'eaten by the dog' } });
    assert.deepEqual([misfit.status, misfit.said['pointer']], [400, '/answer/status']);
    const nobody = await post('/worlds/nobody/turns', { turns: 1, reason: 'x' });
    assert.match(String(nobody.said['repair']), /See chukwa world list; over HTTP: GET \/worlds\.$/);
  });

  test('a program reads in the inbox for which call an attempt waits, and until when', async () => {
    const [letter] = (await stage.play({ scenario: 'letters' })).attempts;
    const doubted = await makeDoubted();
    const headers = { authorization: `Bearer ${TOKENS.operator_token}` };
    const response = await fetch(`${server.url}/inbox?format=json`, { headers });
    const { attempts } = (await response.json()) as { readonly attempts: readonly WaitingAttempt[] };
    const findWaited = (id: string | undefined) => attempts.find(({ attempt_id }) => attempt_id === id)?.waits_for;
    const [awaited] = letter?.awaited ?? [];
    assert.ok(awaited);
    const { source_invocation_id, command_key, source_label, deadline } = awaited;
    assert.deepEqual(findWaited(letter?.attempt_id), [{ source_invocation_id, command_key, source_label, deadline }]);
    assert.deepEqual(
      findWaited(doubted.attempt_id)?.map((call) => [call.source_invocation_id, call.deadline]),
      [[doubted.failed_source_invocation_id, null]],
    );
  });

  test('a program that settles the only call in doubt is told that no other is', async () => {
    const { failed_source_invocation_id: call } = await makeDoubted();
    const { said } = await post(`/source-invocations/${call}/settlement`, { reason: 'not seen' });
    assert.equal(said['message'], 'The call did not take place; no other call of its attempt is in doubt.');
  });

  test('a program is refused what is not there, not said, or not for it', async () => {
    const { world_slug } = await stage.makeWorld({ scenario: 'park' });
    const turns = `/worlds/${world_slug}/turns`;
    const cases: readonly (readonly [string, object, number, ProblemCode])[] = [
      ['/worlds/nobody/turns', { turns: 1, reason: 'x' }, 404, 'WORLD_UNKNOWN'],
      [turns, { turns: 1 }, 400, 'REASON_MISSING'],
      [turns, { turns: 1.5, reason: 'x' }, 400, 'FIELD_INVALID'],
      [turns, { turns: '5', reason: 'x' }, 400, 'FIELD_INVALID'],
      [turns, { turns: [1], reason: 'x' }, 400, 'FIELD_INVALID'],
      [turns, { turns: 1, reason: `with ${TOKENS.operator_token}` }, 400, 'FIELD_INVALID'],
      [turns, { turns: 1, reason: `with ${TOKENS.token}` }, 400, 'FIELD_INVALID'],
      [turns, { turns: 1, reason: 'x'.repeat(2_001) }, 400, 'REASON_TOO_LONG'],
      // A misspelt answer is not taken for none, which would say that the call was not performed.
      [`/source-invocations/${NOBODY}/settlement`, { reason: 'x', anwser: {} }, 400, 'FIELD_INVALID'],
      [turns, [], 400, 'BODY_NOT_JSON'],
      [`/worlds/${world_slug}/fork`, { at_turn: 99, as: 'later', reason: 'x' }, 404, 'TURN_UNKNOWN'],
      [`/worlds/${world_slug}/fork`, { at_turn: 0, as: 'Not A Slug', reason: 'x' }, 400, 'WORLD_SLUG_INVALID'],
      [`/attempts/${NOBODY}/stop`, {}, 404, 'ATTEMPT_UNKNOWN'],
      [`/source-invocations/${NOBODY}/settlement`, { reason: 'x' }, 404, 'UNKNOWN_SOURCE_INVOCATION'],
      [`/source-invocations/${NOBODY}/report`, { reason: 'x' }, 404, 'CALL_UNKNOWN'],
    ];
    for (const [path, body, status, code] of cases) {
      const { status: given, said } = await post(path, body);
      assert.deepEqual([given, said['code'], PROBLEMS[code].status], [status, code, status], path);
    }
    const refused = await post(turns, { turns: 1, reason: 'x' }, TOKENS.token);
    assert.deepEqual([refused.status, refused.said['code']], [403, 'OPERATOR_ONLY']);
    assert.match(String(refused.said['repair']), /Bearer/);
    const stranger = await post(turns, { turns: 1, reason: 'x' }, 'x'.repeat(40));
    assert.deepEqual([stranger.status, stranger.said['code']], [401, 'UNAUTHORISED']);
  });
});
