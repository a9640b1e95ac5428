import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { isProblemCode } from '../../../engine/contract/problems/index.js';
import { ROUTES } from '../../../engine/surfaces/http/routes/index.js';
import type { Route } from '../../../engine/surfaces/http/routes/route.js';
import { type Answer, assertDocumented } from '../../support/documented-answers.js';
import { type ServedPark, servePark, TOKENS } from '../../support/served-park.js';

let park: ServedPark;
before(async () => {
  park = await servePark();
});
after(() => park.close());

const TOKEN = { authorization: `Bearer ${TOKENS.operator_token}` };
const NOBODY = '01a2015a-0bd6-7667-b4f2-ff813afe9e27';

/** Asks by a path as it is written: nothing is made regular on its way. The answer conforms to the OpenAPI document. */
async function ask(...asked: Parameters<typeof send>): Promise<Answer> {
  const [method, path] = asked;
  const answer = await send(...asked);
  assertDocumented(method, path, answer);
  return answer;
}

function send(
  method: string,
  path: string,
  body?: { readonly type: string; readonly bytes: string },
  also: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { port, hostname } = new URL(park.server.url);
    const headers = { ...TOKEN, ...also, ...(body === undefined ? {} : { 'content-type': body.type }) };
    const sent = request({ hostname, port, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          type: response.headers['content-type'] ?? '',
          text: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    sent.on('error', reject);
    sent.end(body?.bytes);
  });
}

/** Traces of the inside: a stack, a file, SQL, or a module. */
const INSIDE = /\bat \S+ \(|node_modules|\.[jt]s:\d|SELECT |syntax error|invalid (input|byte)|relation "|pg_|Error:/;

function checkProblem({ status, type, text }: Answer, asked: string): void {
  assert.ok(status >= 400 && status < 500, `${asked}: ${status} ${text.slice(0, 300)}`);
  assert.match(type, /^application\/problem\+json/, asked);
  const { code, detail, ...problem } = JSON.parse(text) as { code: string; detail: string; status: number };
  assert.equal(problem.status, status, asked);
  assert.ok(isProblemCode(code), `${asked}: ${code}`);
  assert.ok(code !== 'UNEXPECTED', asked);
  assert.doesNotMatch(text, INSIDE, asked);
  assert.ok(detail.length < 600, `${asked}: ${detail.length} characters`);
}

/** A body of an action that can be done but for its key, or one that no other route takes. */
function toBody(takes_form: Route['takes_form']): { readonly type: string; readonly bytes: string } {
  if (takes_form !== true) return { type: 'text/plain', bytes: 'x' };
  const said = { reason: 'a test', turns: 1, at_turn: 0, as: 'nowhere' };
  return { type: 'application/json', bytes: JSON.stringify(said) };
}

/** Keys that are of no resource, and texts that are no keys. */
const BAD_KEYS = [
  NOBODY,
  'f'.repeat(64),
  '-1',
  '99999999999999999999',
  '%27%3B%20DROP%20TABLE%20worlds%3B--',
  '%00',
  '%u0041',
  '%ff%fe',
  'x'.repeat(300),
  '..%2f..%2fetc%2fpasswd',
  '%3Cscript%3Ealert(1)%3C%2Fscript%3E',
  '\u202e'.split('').map(encodeURIComponent).join(''),
];

const isFor = (method: string) => (route: Route) => route.method === method;
const PAGES = ROUTES.filter(isFor('GET'));

/** The routes that answer by HTTP alone: those of assistants answer by their own protocol. */
const OF_HTTP = ROUTES.filter(({ access }) => !access.endsWith('assistant'));

describe('bad input', { timeout: 240_000 }, () => {
  test('bad input of a key that names nothing is a problem document, on every route that takes one', async () => {
    for (const { method, url, takes_form } of ROUTES.filter((route) => route.url.includes(':')))
      for (const key of BAD_KEYS) {
        // The first key is one that there is, so that every later one is reached, too.
        const paths = [...url.matchAll(/:\w+/g)].map(([name]) =>
          url.replaceAll(/:\w+/g, (found) =>
            found === name ? key : found === ':world_slug' ? park.play.world_slug : '1',
          ),
        );
        for (const path of paths) {
          const answer = await ask(String(method), path, method === 'POST' ? toBody(takes_form) : undefined);
          checkProblem(answer, `${String(method)} ${path} ${String(takes_form)}`);
        }
      }
  });

  test('bad input of a limit, a cursor or a format is a problem document, on every list', async () => {
    const lists = PAGES.filter(({ query }) => query?.includes('after'));
    assert.ok(lists.length > 10);
    const attempt_id = park.play.attempts[0]?.attempt_id ?? '';
    for (const { url } of lists) {
      const path = url.replace(':world_slug', park.play.world_slug).replace(':attempt_id', attempt_id);
      for (const limit of ['0', '-1', '201', '1000000000000', '1e3', 'all', '', '1;2', '٣'].map(encodeURIComponent))
        checkProblem(await ask('GET', `${path}?limit=${limit}`), `${path} limit ${limit}`);
      for (const after of ['', "'", '%00', 'Yesterday!', 'x'.repeat(5_000), '%3Cb%3E'])
        checkProblem(await ask('GET', `${path}?after=${after}`), `${path} after ${after.slice(0, 20)}`);
      checkProblem(await ask('GET', `${path}?format=yaml`), `${path} format`);
    }
  });

  test('bad input of a parameter that is there twice is a problem document that names it, on every page', async () => {
    for (const { url, query = [] } of PAGES)
      for (const name of query) {
        const path = `${url.replaceAll(/:\w+/g, '1')}?${name}=1&${name}=1`;
        const answer = await ask('GET', path);
        checkProblem(answer, path);
        assert.match(answer.text, new RegExp(`\\\\"${name}\\\\" twice`), path);
      }
  });

  test('bad input of a query that is not UTF-8 is a problem document', async () => {
    for (const query of ['q=caf%E9', 'q=%ED%A0%80', 'q=%zz', '%ff=1'])
      for (const path of ['/search', `/worlds/${park.play.world_slug}/events`])
        checkProblem(await ask('GET', `${path}?${query}`), `${path}?${query}`);
  });

  test('bad input of a target that is no path of this server is a problem document', async () => {
    for (const [method, target] of [
      ['GET', 'http://any/'],
      ['GET', 'http://any/worlds'],
      ['GET', '*'],
      ['OPTIONS', '*'],
    ] as const)
      for (const accept of ['text/html', 'application/json'])
        checkProblem(await ask(method, target, undefined, { accept }), `${method} ${target} ${accept}`);
  });

  test('bad input of a turn, a search or an attempt in a query is a problem document', async () => {
    const { world_slug } = park.play;
    for (const path of [
      `/worlds/${world_slug}?until=-1`,
      `/worlds/${world_slug}/diff?from=1.5`,
      `/worlds/${world_slug}/diff?to=9999999999`,
      `/worlds/${world_slug}/diff?to=99`,
      `/search?q=${'x'.repeat(201)}`,
      '/search?q=x&kind=thought',
      '/search?q=x&turn=soon',
      `/search?q=x&world=${'w'.repeat(300)}`,
    ])
      checkProblem(await ask('GET', path), path);
  });

  test('bad input of a method is a problem document, on every route', async () => {
    const paths = new Set(OF_HTTP.map(({ url }) => url.replaceAll(/:\w+/g, '1')));
    for (const path of paths)
      for (const method of ['PUT', 'DELETE', 'PATCH']) checkProblem(await ask(method, path), `${method} ${path}`);
  });

  test('bad input of a body that is broken, or of another type, is a problem document, on every route that takes one', async () => {
    const bodies = [
      { type: 'application/json', bytes: '{"open":' },
      { type: 'application/json', bytes: '\u0000' },
      { type: 'application/xml', bytes: '<a/>' },
      { type: 'no type', bytes: '{}' },
      { type: 'application/json; charset=latin1\u00e9'.replace('\u00e9', ''), bytes: '"\u00e9' },
    ];
    for (const { url } of OF_HTTP.filter((route) => route.takes !== undefined && route.takes_form !== true))
      for (const body of bodies)
        checkProblem(
          await ask('POST', url.replaceAll(/:\w+/g, NOBODY), body),
          `POST ${url} ${body.type} ${body.bytes}`,
        );
  });

  test('bad input is a page for a browser, without the markup in it', async () => {
    const { hostname, port } = new URL(park.server.url);
    const page = await fetch(`http://${hostname}:${port}/worlds/%3Cimg%20src=x%20onerror=alert(1)%3E`, {
      headers: { ...TOKEN, accept: 'text/html' },
    });
    assert.equal(page.status, 404);
    assert.doesNotMatch(await page.text(), /<img/);
  });
});
