import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { createSecretReplacer } from '../../engine/sources/secrets.js';
import {
  ask,
  chatCall,
  jsonCall,
  makeFolder,
  makeRecorder,
  openTestSources,
  serve,
  storedText,
  summary,
  writePlugin,
  type Listener,
} from './harness.js';

const CANARY = 'sk-canary-"7f3a/9+';

test('a secret is replaced wherever it stands and however it is spelled', () => {
  const { text, json, bytes } = createSecretReplacer([{ variable: 'TEST_KEY', value: CANARY }]);
  assert.equal(text(`Bearer ${CANARY}!`), 'Bearer [secret:TEST_KEY]!');
  assert.deepEqual(json({ [CANARY]: ['a', { b: CANARY }] }), {
    '[secret:TEST_KEY]': ['a', { b: '[secret:TEST_KEY]' }],
  });
  assert.equal(Buffer.from(bytes(Buffer.from(JSON.stringify({ a: CANARY })))).toString(), '{"a":"[secret:TEST_KEY]"}');
  assert.equal(text(Buffer.from(CANARY).toString('base64')), '[secret:TEST_KEY]');
  assert.equal(text(`?key=${encodeURIComponent(CANARY)}`), '?key=[secret:TEST_KEY]');
});

test('a secret is replaced however its characters are escaped', () => {
  const { text, bytes } = createSecretReplacer([{ variable: 'TEST_KEY', value: CANARY }]);
  const escaped = Array.from(CANARY, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const inUrl = Array.from(CANARY, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
  const hex = Buffer.from(CANARY).toString('hex');
  const mixed = Array.from(CANARY, (character, index) => (index % 2 === 0 ? escaped[index] : character));
  for (const spelled of [
    escaped.join(''),
    escaped.join('').replaceAll(/[a-f]/g, (digit) => digit.toUpperCase()),
    mixed.join('').replace('"', '\\"'),
    CANARY.replace('"', '\\"').replace('/', '\\/'),
    inUrl.join(''),
    inUrl.join('').toUpperCase(),
    hex,
    hex.toUpperCase(),
    Buffer.from(CANARY).toString('base64url'),
  ]) {
    assert.equal(text(`a${spelled}b`), 'a[secret:TEST_KEY]b', spelled);
    assert.equal(Buffer.from(bytes(Buffer.from(`a${spelled}b`))).toString(), 'a[secret:TEST_KEY]b', spelled);
  }
});

test('of a text that was cut no part of a secret stays at its end, however it is spelled', () => {
  const { text, bytes, openEnd } = createSecretReplacer([{ variable: 'K', value: 'k\u00fche/7' }]);
  for (const spelled of ['k\u00fche/7', 'k\\u00fche\\/7', 'k%C3%BChe%2F7', '6bc3bc68652f37']) {
    for (let length = 1; length < spelled.length; length += 1) {
      const part = spelled.slice(0, length);
      assert.equal(text(`it is ${part}`, 'cut'), 'it is ', part);
      assert.equal(openEnd(`it is ${part}`), part.length, part);
      assert.equal(text(`it is ${part}`), `it is ${part}`);
    }
  }
  const cut = Buffer.from('it is k\u00fche').subarray(0, 8);
  assert.equal(Buffer.from(bytes(cut, 'cut')).toString(), 'it is ');
});

test('bytes that are not UTF-8 stay as they are around a secret', () => {
  const { bytes } = createSecretReplacer([{ variable: 'K', value: 'schlüssel' }]);
  const replaced = bytes(Buffer.concat([Buffer.from([0xff, 0x00]), Buffer.from('schlüssel'), Buffer.from([0xfe])]));
  assert.deepEqual(
    Buffer.from(replaced),
    Buffer.concat([Buffer.from([0xff, 0x00]), Buffer.from('[secret:K]'), Buffer.from([0xfe])]),
  );
});

test('a value too short to be a secret is left alone', () => {
  assert.equal(createSecretReplacer([{ variable: 'K', value: 'abc12' }]).text('abc12'), 'abc12');
});

test('however a text is cut into pieces, replacing in the pieces equals replacing in the whole', () => {
  const replacer = createSecretReplacer([
    { variable: 'K', value: 'abcabd' },
    { variable: 'L', value: 'bdabca' },
  ]);
  const units = ['a', 'b', 'c', 'd', 'abcabd', 'bdabca', '\\u0061', '\\u', '0062', '%63'];
  const pieces = fc.array(fc.string({ unit: fc.constantFrom(...units) }), {
    maxLength: 8,
  });
  fc.assert(
    fc.property(pieces, (given) => {
      assert.equal(replacer.pieces(given).join(''), replacer.text(given.join('')));
      assert.equal(replacer.pieces(given).length, given.length);
    }),
    { seed: 7, numRuns: 2_000 },
  );
});

const tellsAll: Listener = (request, response) => {
  const heard = request.headers.authorization ?? '';
  response.writeHead(request.headers['x-client-request-id']?.includes('fail') ? 500 : 200, {
    'x-request-id': Buffer.from(heard).toString('base64'),
    etag: heard.replaceAll('"', ''),
    'set-cookie': 'session=1',
  });
  const [, basic] = heard.split(' ');
  response.end(JSON.stringify({ heard, [heard]: Buffer.from(basic ?? '', 'base64').toString() }));
};

test('credentials in a URL are sent, and stand in no outcome', async (t) => {
  let heard = '';
  const url = await serve(t, (request, response) => {
    heard = request.headers.authorization ?? '';
    tellsAll(request, response);
  });
  const overlay = { TEST_URL: url.replace('http://', `http://keeper:${encodeURIComponent(CANARY)}@`) };
  const sources = await openTestSources(t, { overlay });
  for (const client_request_id of ['ok', 'fail']) {
    const surroundings = { client_request_id, correlation_id: 'call-1', signal: new AbortController().signal };
    const outcome = await sources.callSource(jsonCall(), surroundings, makeRecorder());
    const stored = storedText(outcome);
    assert.equal(heard, `Basic ${Buffer.from(`keeper:${CANARY}`).toString('base64')}`);
    assert.ok(!stored.includes('canary') && !stored.includes(heard.slice(6)), stored);
    assert.match(stored, /\[secret:TEST_URL\]/);
  }
});

test('a service out of reach is named without its credentials', async (t) => {
  const sources = await openTestSources(t, { overlay: { TEST_URL: 'http://keeper:canary-word@127.0.0.1:1/base' } });
  const stored = storedText(await ask(sources, jsonCall()));
  assert.match(stored, /127\.0\.0\.1:1 \(TEST_URL\)/);
  assert.doesNotMatch(stored, /canary|keeper/);
});

test('a variable that holds no URL is named without its value', async (t) => {
  for (const value of ['canary-word', 'postgres://a:canary-word@host/', 'http://host/?key=canary-word']) {
    const sources = await openTestSources(t, { overlay: { TEST_URL: value } });
    const outcome = await ask(sources, jsonCall());
    assert.deepEqual(summary(outcome), { failed: 'unavailable', refused: true });
    assert.match(storedText(outcome), /TEST_URL/);
    assert.doesNotMatch(storedText(outcome), /canary/);
  }
});

test('what a plugin says, throws, logs and leaves behind is free of its secrets', async (t) => {
  const folder = await makeFolder(t);
  const leaky = `export default { open: (_, { variables: { TEST_KEY: key }, log, failure }) => ({ async invoke(request, { trace }) {
    log('asking with ' + key, { key });
    trace.chunk('a' + key.slice(0, 9)); trace.chunk(key.slice(9));
    trace.artifact('seen', { key });
    if (request.messages[1].content === 'throw') throw new Error('with ' + key);
    if (request.messages[1].content === 'fail') throw failure('http_status', 'with ' + key, { body: new TextEncoder().encode(key), response_headers: { ETag: key } });
    return { value: { text: 'a' + key, finish_reason: 'stop' } };
  } }) };`;
  await writePlugin(folder, 'leaky', leaky, { speaks: 'chat', secret_variables: ['TEST_KEY'] });
  const logged: unknown[] = [];
  const log = (...line: readonly unknown[]): void => void logged.push(line);
  const sources = await openTestSources(t, { folders: [folder], overlay: { TEST_KEY: CANARY }, log });
  for (const content of ['answer', 'throw', 'fail']) {
    const command = chatCall({}, { name: 'leaky' });
    assert.ok(command.generation);
    const messages = command.generation.messages.map((message) => ({
      ...message,
      segments: [{ origin: 'author' as const, text: content }],
    }));
    const outcome = await ask(sources, { ...command, generation: { ...command.generation, messages } });
    assert.doesNotMatch(storedText(outcome), /canary/);
    assert.equal(Buffer.from(outcome.trace?.chunks?.text ?? []).toString(), 'a[secret:TEST_KEY]');
  }
  assert.equal(logged.length, 3);
  assert.doesNotMatch(JSON.stringify(logged), /canary/);
});

test('a plugin that throws what a parser said repeats nothing of what it read', async (t) => {
  const folder = await makeFolder(t);
  const clumsy = `export default { open: (_, { variables: { TEST_KEY: key } }) => ({ async invoke() { JSON.parse('<' + key); } }) };`;
  await writePlugin(folder, 'clumsy', clumsy, { secret_variables: ['TEST_KEY'] });
  const sources = await openTestSources(t, { folders: [folder], overlay: { TEST_KEY: CANARY } });
  const outcome = await ask(sources, jsonCall({}, { name: 'clumsy' }));
  assert.deepEqual(summary(outcome), { failed: 'transport', refused: false });
  assert.doesNotMatch(storedText(outcome), /sk-/);
});

test('a body that breaks off in a secret, or is cut there, keeps no part of it', async (t) => {
  const bodies: readonly Listener[] = [
    (_, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write(`{"key":"canary-wo`, () => response.destroy());
    },
    (_, response) => response.end(`${' '.repeat(32_768 - 9)}canary-word and more`),
    (_, response) => response.end('{"key":canary-word}'),
  ];
  for (const body of bodies) {
    const url = (await serve(t, body)).replace('http://', 'http://keeper:canary-word@');
    const sources = await openTestSources(t, { overlay: { TEST_URL: url } });
    const stored = storedText(await ask(sources, jsonCall()));
    assert.doesNotMatch(stored, /canary/);
  }
});
