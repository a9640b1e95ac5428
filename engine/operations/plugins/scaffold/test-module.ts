import type { Names } from './names.js';

/** In place of the engine's own. */
const PARSE_JSON = `/** @type {import('chukwa/plugin').Capabilities['parseJson']} */
const parseJson = (text) => (/^[{["]/.test(text) ? { ok: true, value: JSON.parse(text) } : { ok: false, reason: 'none' });`;

/** `test/NAME.test.js` */
export function testModule({ name, variable }: Names): string {
  return `// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAnswer } from '../answer.js';
import plugin from '../index.js';
import { toUrl } from '../request.js';

${PARSE_JSON}

const TOLD = { name: '${name}', url_env: '${variable}', path: '/answers' };

test('the members of a request become the query', () => {
  assert.equal(
    toUrl(TOLD, 'http://service.test', { question: 'is it late?', limit: 2 }),
    'http://service.test/answers?question=is+it+late%3F&limit=2',
  );
});

test('JSON with a good status is an answer, and nothing else is', () => {
  assert.deepEqual(readAnswer(200, '{"answer":"yes"}', parseJson), { ok: true, value: { answer: 'yes' } });
  for (const [status, text, expected] of /** @type {const} */ ([
    [404, '{}', 'http_status'],
    [200, '<p>', 'non_json'],
    [200, '', 'non_json'],
  ])) {
    const answer = readAnswer(status, text, parseJson);
    assert.equal(answer.ok ? 'an answer' : answer.failure_class, expected);
  }
});

test('a source asks the service that it was opened for', async () => {
  const asked = /** @type {string[]} */ ([]);
  const source = plugin.open(
    { label: 'tested', interface: TOLD },
    {
      origin: {
        url: 'http://service.test',
        fetch: async (url) => {
          asked.push(String(url));
          return Response.json({ answer: 'yes' });
        },
      },
      variables: {},
      clock: () => 0,
      alarm: () => () => {},
      log: () => {},
      failure: (failure_class, message) => ({ source_failure: true, failure_class, message }),
      quote: (said) => said,
      parseJson,
      fillPath: (path, rest) => ({ path, rest }),
    },
  );
  const answer = await source.invoke(
    { question: 'late' },
    {
      signal: new AbortController().signal,
      deadline_ms: 1000,
      max_result_bytes: 32768,
      client_request_id: 'test',
      correlation_id: 'test',
      acts: () => {},
      trace: { chunk: () => {}, tokens: () => {}, artifact: () => {} },
    },
  );
  assert.deepEqual('value' in answer && answer.value, { answer: 'yes' });
  assert.deepEqual(asked, ['http://service.test/answers?question=late']);
});
`;
}
