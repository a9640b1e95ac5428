import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parseCommand } from '../../engine/sources/command.js';
import { parseOrigin } from '../../engine/sources/origin.js';
import { createSecretReplacer } from '../../engine/sources/secrets.js';
import {
  ask,
  chatCall,
  jsonCall,
  makeRecorder,
  openTestSources,
  serve,
  storedText,
  summary,
  writePlugin,
  type Listener,
} from './harness.js';
import { makeFolder } from '../support/folder.js';

const CANARY = 'sk-canary-"7f3a/9+';

test('a secret is replaced at every place and in every spelling', () => {
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

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const inHex = (text: string): string => Buffer.from(text).toString('hex');
const escapeAll = (text: string): string =>
  Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
const inUrlAll = (text: string): string => inHex(text).replace(/../g, '%$&');

const byNumber = (text: string): string =>
  Array.from(
    text,
    (character, at) => `&#${at % 2 === 0 ? '' : 'x'}${character.codePointAt(0)?.toString(at % 2 === 0 ? 10 : 16)};`,
  ).join('');
const HTML: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '"': '&quot;',
  "'": '&#39;',
  '<': '&LT;',
  '/': '&#x2F;',
};

/** Each way to encode a text that a record may hold, by what is around the text. */
const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => `a ${text} b`,
  'in JSON': (text) => JSON.stringify({ key: text }),
  'in JSON, all characters escaped': (text) => `"${escapeAll(text)}"`,
  'in JSON with escaped slashes': (text) => JSON.stringify(text).replaceAll('/', '\\/'),
  'in a URL': (text) => `?key=${encodeURIComponent(text)}&b=1`,
  'in a URL, all characters escaped': (text) => `/${inUrlAll(text)}/`,
  'in a URL, in small letters': (text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
  'in base64 behind nothing': (text) => base64(text),
  'in base64 behind Bearer': (text) => `Basic ${base64(`Bearer ${text}!`)}`,
  'in base64 behind a user': (text) => base64(`me:${text}`),
  'in base64 without padding': (text) => base64(`x${text}`).replaceAll('=', ''),
  'in base64 of URLs': (text) => `.${Buffer.from(`xy${text}z`).toString('base64url')}.`,
  'in hexadecimal': (text) => `0x${inHex(text)}`,
  'in large hexadecimal': (text) => inHex(`-${text}-`).toUpperCase(),
  'in HTML': (text) => `<p>${text.replace(/[&"'</]/g, (character) => HTML[character] ?? '')}`,
  'in HTML, all characters by number': (text) => `<p>${byNumber(text)}`,
};

const NAMES = Object.keys(ENCODINGS);
const encode = (text: string, names: readonly string[]): string =>
  names.reduce((encoded, name) => ENCODINGS[name]?.(encoded) ?? encoded, text);

const unescapeHtml = (code: string): string =>
  Object.entries(HTML).find(([, escaped]) => escaped === code)?.[0] ??
  String.fromCodePoint(Number(code.slice(2, -1).replace('x', '0x')));

/** What one layer of base64 or hexadecimal may hold beside the secret itself: the secret as it is mostly escaped. */
const HELD = ['in JSON', 'in a URL'];

/** One layer of base64 or hexadecimal at most, and two layers of escapes around it. */
const isKnown = (names: readonly string[]): boolean => {
  const kinds = names.map((name) => (/base64|hexadecimal/.test(name) ? 'B' : HELD.includes(name) ? 'e' : 'E'));
  return /^(?:e?B)?[eE]{0,2}$/.test(kinds.filter((_, at) => names[at] !== 'as it is').join(''));
};

/** Everything that may be read in a text by undoing encodings, an independent way: each of its parts by each of them. */
function readAll(text: string, depth: number): readonly string[] {
  if (depth === 0) return [text];
  const parts = text.match(/[A-Za-z0-9+/_-]{6,}/g) ?? [];
  const readings = [
    text.replace(/\\u([0-9a-fA-F]{4})|\\(["\\/])/g, (_, unit?: string, sign?: string) =>
      unit === undefined ? (sign ?? '') : String.fromCharCode(Number.parseInt(unit, 16)),
    ),
    text.replace(/(?:%[0-9a-fA-F]{2})+/g, (codes) => Buffer.from(codes.replaceAll('%', ''), 'hex').toString()),
    text.replace(/&(?:amp|quot|lt|#x?[0-9a-f]+);/gi, (code) => unescapeHtml(code)),
    ...parts.flatMap((part) => [0, 1, 2, 3].map((skipped) => Buffer.from(part.slice(skipped), 'base64').toString())),
    ...parts.flatMap((part) =>
      (part.match(/[0-9a-fA-F]{12,}/g) ?? []).flatMap((digits) =>
        [0, 1].map((skipped) => Buffer.from(digits.slice(skipped), 'hex').toString()),
      ),
    ),
  ];
  return [text, ...readings.filter((reading) => reading !== text).flatMap((reading) => readAll(reading, depth - 1))];
}

for (const name of NAMES) {
  test(`a secret is replaced ${name}, and once more encoded in each way`, () => {
    const { text, bytes } = createSecretReplacer([{ variable: 'K', value: CANARY }]);
    for (const names of [[name], ...NAMES.map((outer) => [name, outer])].filter(isKnown)) {
      const encoded = encode(CANARY, names);
      const clean = text(encoded);
      assert.match(clean, /\[secret:K\]/, `${names.join(', then ')}: ${encoded}`);
      assert.ok(!readAll(clean, 3).some((reading) => reading.includes(CANARY)), `${names.join(', then ')}: ${clean}`);
      assert.equal(Buffer.from(bytes(Buffer.from(encoded))).toString(), clean);
    }
  });
}

const secretText = fc.oneof(
  fc.string({ unit: fc.constantFrom(...Array.from('abcXYZ019_-')), minLength: 6, maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(...Array.from('aZ9"\\/%+ :@&é\u{1f511}')), minLength: 6, maxLength: 20 }),
);

/** The pieces of a text, cut at random places. */
const cutAt = (text: string, places: readonly number[]): readonly string[] => {
  const characters = Array.from(text);
  const cuts = [0, ...places.map((place) => place % (characters.length + 1)), characters.length].toSorted(
    (a, b) => a - b,
  );
  return cuts.slice(1).map((to, index) => characters.slice(cuts[index], to).join(''));
};

test('a random secret in random encodings can be read in nothing that is kept, however it was cut into pieces', () => {
  const names = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 });
  const places = fc.array(fc.nat(), { maxLength: 8 });
  fc.assert(
    fc.property(secretText, names.filter(isKnown), places, (value, encodings, cuts) => {
      const replacer = createSecretReplacer([{ variable: 'K', value }]);
      const encoded = `it says ${encode(value, encodings)} and more`;
      fc.pre(encoded.length < value.length * 256);
      const pieces = cutAt(encoded, cuts);
      const kept: string[] = [];
      let open: readonly string[] = [];
      for (const piece of pieces) {
        const settled = replacer.pieces([...open, piece], 'cut');
        kept.push(...settled);
        open = [...open, piece].slice(settled.length);
      }
      kept.push(...replacer.pieces(open));
      for (const clean of [replacer.text(encoded), kept.join('')]) {
        assert.match(clean, /\[secret:K\]/, encodings.join(', then '));
        assert.ok(!readAll(clean, 3).some((reading) => reading.includes(value)), clean);
      }
    }),
    { seed: 5, numRuns: 200 },
  );
});

test('a text that was cut anywhere in an encoded secret keeps nothing of it that can be read', () => {
  const { text } = createSecretReplacer([{ variable: 'K', value: CANARY }]);
  for (const name of NAMES) {
    const encoded = encode(CANARY, [name]);
    for (let length = 1; length < encoded.length; length += 1) {
      const kept = text(encoded.slice(0, length), 'cut');
      assert.ok(!readAll(kept, 1).some((reading) => reading.includes(CANARY.slice(0, 3))), `${name}: ${kept}`);
    }
  }
});

test('ordinary text is never taken for a secret', () => {
  const { text, bytes, json, pieces } = createSecretReplacer([{ variable: 'K', value: CANARY }]);
  const ordinary = fc.string({
    unit: fc.constantFrom('sk-canary', '-', '"', '\\', '%', 'u', '00', '2f', 'é', 'c2stY2', '/', ' '),
  });
  fc.assert(
    fc.property(ordinary, (given) => {
      assert.equal(text(given), given);
      assert.deepEqual(json([given, { [given]: 1 }]), [given, { [given]: 1 }]);
      assert.deepEqual(pieces([given, given]), [given, given]);
      assert.equal(Buffer.from(bytes(Buffer.from(given))).toString(), given);
    }),
    { seed: 6, numRuns: 1_000 },
  );
});

test('a secret is replaced in both alphabets of base64', () => {
  for (const value of ['???abc', '>>>abc']) {
    const { text } = createSecretReplacer([{ variable: 'K', value }]);
    for (const alphabet of ['base64', 'base64url'] as const)
      assert.equal(text(`a ${Buffer.from(value).toString(alphabet)}`), 'a [secret:K]');
  }
});

for (const [character, escapes] of [
  ['"', '&quot; &#34; &#x22; &#X0022;'],
  ['&', '&amp; &#38; &#x26; &AMP;'],
  ["'", '&apos; &#39; &#039; &#x27;'],
  ['<', '&lt; &#60; &#x3c;'],
  ['>', '&gt; &#62; &#x3E;'],
  ['\u{1f511}', '&#128273; &#x1f511;'],
] as const)
  test(`a secret with ${character} is replaced where that is written as ${escapes}`, () => {
    const { text, bytes, json } = createSecretReplacer([{ variable: 'K', value: `can${character}ary` }]);
    for (const escaped of escapes.split(' ')) {
      const given = `<p>can${escaped}ary&nbsp;&#1114112;`;
      assert.equal(text(given), '<p>[secret:K]&nbsp;&#1114112;', escaped);
      assert.deepEqual(json([given]), ['<p>[secret:K]&nbsp;&#1114112;']);
      assert.equal(Buffer.from(bytes(Buffer.from(given))).toString(), '<p>[secret:K]&nbsp;&#1114112;');
    }
  });

for (const name of ['in base64 behind nothing', 'in hexadecimal'])
  test(`two parts of a secret, each ${name}, are no secret where they are apart`, () => {
    const parts = ['canary-canar', 'y-canary'];
    const { text } = createSecretReplacer([{ variable: 'K', value: parts.join('') }]);
    for (const separator of [' ', '.', '", "', ' and ']) {
      const apart = parts.map((part) => encode(part, [name])).join(separator);
      assert.equal(text(apart), apart);
    }
  });

test('a secret in the name of a host is replaced in letters of any case', () => {
  const { text } = createSecretReplacer([{ variable: 'K', value: 'AAZZ7Canary' }]);
  assert.equal(text('getaddrinfo ENOTFOUND aAzZ7cANARY.example.test'), 'getaddrinfo ENOTFOUND [secret:K].example.test');
});

test('a secret with spaces is replaced as a form writes it', () => {
  const { text } = createSecretReplacer([{ variable: 'K', value: 'my pass word/' }]);
  assert.equal(text('key=my+pass+word%2F&a=b'), 'key=[secret:K]&a=b');
});

test('of a text that was cut no part of a secret stays at its end, however it is spelled', () => {
  const { text, bytes, pieces } = createSecretReplacer([{ variable: 'K', value: 'k\u00fche/7' }]);
  for (const spelled of ['k\u00fche/7', 'k\\u00fche\\/7', 'k%C3%BChe%2F7', '6bc3bc68652f37', 'k&#252;he&#x2f;7']) {
    for (let length = 1; length < spelled.length; length += 1) {
      const part = spelled.slice(0, length);
      assert.equal(text(`it is ${part}`, 'cut'), 'it is ', part);
      assert.deepEqual(pieces(['it is ', part], 'cut'), ['it is '], part);
      assert.equal(text(`it is ${part}`), `it is ${part}`);
    }
  }
  const cut = Buffer.from('it is k\u00fche').subarray(0, 8);
  assert.equal(Buffer.from(bytes(cut, 'cut')).toString(), 'it is ');
});

test('a secret is replaced where only its letters outside ASCII are escaped', () => {
  const { text, bytes, json } = createSecretReplacer([{ variable: 'K', value: 'schlüssel' }]);
  for (const spelled of ['schl\\u00fcssel', 'schl\\u00FCssel', 'schl%C3%BCssel', 'schl%c3%bcssel']) {
    assert.equal(text(`a ${spelled} b`), 'a [secret:K] b');
    assert.equal(Buffer.from(bytes(Buffer.from(spelled))).toString(), '[secret:K]');
    assert.deepEqual(json([spelled]), ['[secret:K]']);
  }
});

test('bytes that are not UTF-8 stay as they are around a secret', () => {
  const { bytes } = createSecretReplacer([{ variable: 'K', value: 'schlüssel' }]);
  const replaced = bytes(Buffer.concat([Buffer.from([0xff, 0x00]), Buffer.from('schlüssel'), Buffer.from([0xfe])]));
  assert.deepEqual(
    Buffer.from(replaced),
    Buffer.concat([Buffer.from([0xff, 0x00]), Buffer.from('[secret:K]'), Buffer.from([0xfe])]),
  );
});

test('a secret too short to be replaced is refused with the name of its variable, without its value', async (t) => {
  const folder = await makeFolder(t);
  const silent = `export default { open: () => ({ async invoke() { return { value: 1 }; } }) };`;
  await writePlugin(folder, 'silent', silent, { secret_variables: ['TEST_KEY'] });
  const sources = await openTestSources(t, { folders: [folder], overlay: { TEST_KEY: 'abc12' } });
  assert.deepEqual(
    sources.refused.map(({ code, details }) => [code, details]),
    [['SECRET_TOO_SHORT', { variable: 'TEST_KEY' }]],
  );
  assert.match(sources.refused[0]?.message ?? '', /^TEST_KEY holds a secret of 5 characters/);
  assert.doesNotMatch(JSON.stringify(sources.refused), /abc12/);
});

test('a short password in a URL stops the call before anything leaves, and so does a short token of a command', async (t) => {
  for (const CHUKWA_TEST_URL of ['http://keeper:abc12@127.0.0.1:1/', 'http://abc12@127.0.0.1:1/']) {
    const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL } });
    const outcome = await ask(sources, jsonCall());
    assert.deepEqual(summary(outcome), { failed: 'unavailable', refused: true });
    assert.match(storedText(outcome), /CHUKWA_TEST_URL holds a secret of 5 characters/);
    assert.doesNotMatch(storedText(outcome), /abc12/);
  }
  const command = parseCommand('CHUKWA_TEST', 'server --token abc12');
  assert.match(command.ok ? '' : command.message, /^CHUKWA_TEST holds a secret of 5 characters/);
  const single = parseCommand('CHUKWA_TEST', 'server --token a');
  assert.match(single.ok ? '' : single.message, /^CHUKWA_TEST holds a secret of 1 character,/);
  assert.equal(parseCommand('CHUKWA_TEST', 'server --token abcd12').ok, true);
});

for (const [url, isSecret] of [
  ['https://hooks.test/services/T0AB1CD2EF/Xy9kQ2mB7vR4tL1wZ8sN', 'Xy9kQ2mB7vR4tL1wZ8sN'],
  ['https://a1b2c3d4e5f6.tunnel.test/', 'A1B2C3D4E5F6'],
  ['https://host.test/api/550e8400-e29b-41d4-a716-446655440000', '550e8400-e29b-41d4-a716-446655440000'],
  ['https://api.models.test/v1/chat-completions', undefined],
  ['https://ec2-12-34-56-78.compute-1.test/openai/deployments/gpt-4o-mini-2024-07-18', undefined],
] as const) {
  test(`of the origin ${url} ${isSecret === undefined ? 'nothing is' : 'what looks like a key is'} replaced`, () => {
    const parsed = parseOrigin('CHUKWA_TEST_URL', url);
    assert.ok(parsed.ok);
    const { text } = createSecretReplacer(parsed.origin.secrets);
    const said = `no answer from ${url} and ${isSecret}`;
    if (isSecret === undefined) assert.equal(text(said), said);
    else assert.ok(!text(said).toLowerCase().includes(isSecret.toLowerCase()));
  });
}

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

const echoSecrets: Listener = (request, response) => {
  const received = request.headers.authorization ?? '';
  response.writeHead(request.headers['x-client-request-id']?.includes('fail') ? 500 : 200, {
    'x-request-id': Buffer.from(received).toString('base64'),
    etag: received.replaceAll('"', ''),
    'set-cookie': 'session=1',
  });
  const [, basic] = received.split(' ');
  response.end(JSON.stringify({ received, [received]: Buffer.from(basic ?? '', 'base64').toString() }));
};

test('credentials in a URL are sent, and are in no outcome', async (t) => {
  let received = '';
  const url = await serve(t, (request, response) => {
    received = request.headers.authorization ?? '';
    echoSecrets(request, response);
  });
  const overlay = { CHUKWA_TEST_URL: url.replace('http://', `http://keeper:${encodeURIComponent(CANARY)}@`) };
  const sources = await openTestSources(t, { overlay });
  for (const client_request_id of ['ok', 'fail']) {
    const surroundings = { client_request_id, correlation_id: 'call-1', signal: new AbortController().signal };
    const outcome = await sources.callSource(jsonCall(), surroundings, makeRecorder());
    const stored = storedText(outcome);
    assert.equal(received, `Basic ${Buffer.from(`keeper:${CANARY}`).toString('base64')}`);
    assert.ok(!stored.includes('canary') && !stored.includes(received.slice(6)), stored);
    assert.match(stored, /\[secret:CHUKWA_TEST_URL\]/);
  }
});

test('a quotation has no secret, and is cut after 500 characters', async (t) => {
  const folder = await makeFolder(t);
  const quoting = `export default { open: (_, { quote }) => ({ invoke: async (said) => ({ value: quote(said) }) }) };`;
  await writePlugin(folder, 'quoting', quoting, { secret_variables: ['TEST_KEY'] });
  const sources = await openTestSources(t, { folders: [folder], overlay: { TEST_KEY: CANARY } });
  const quote = async (request: string) => summary(await ask(sources, jsonCall({ request }, { name: 'quoting' })));
  assert.deepEqual(await quote(`it is ${CANARY}`), { succeeded: 'it is [secret:TEST_KEY]' });
  assert.deepEqual(await quote('x'.repeat(500)), { succeeded: 'x'.repeat(500) });
  assert.deepEqual(await quote('x'.repeat(501)), { succeeded: `${'x'.repeat(500)}...` });
});

test('a service out of reach is named without its credentials', async (t) => {
  const sources = await openTestSources(t, {
    overlay: { CHUKWA_TEST_URL: 'http://keeper:canary-word@127.0.0.1:1/base' },
  });
  const stored = storedText(await ask(sources, jsonCall()));
  assert.match(stored, /127\.0\.0\.1:1 \(CHUKWA_TEST_URL\)/);
  assert.doesNotMatch(stored, /canary|keeper/);
});

test('a variable that holds no URL is named without its value', async (t) => {
  for (const value of ['canary-word', 'postgres://a:canary-word@host/', 'http://host/?key=canary-word']) {
    const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: value } });
    const outcome = await ask(sources, jsonCall());
    assert.deepEqual(summary(outcome), { failed: 'unavailable', refused: true });
    assert.match(storedText(outcome), /CHUKWA_TEST_URL/);
    assert.doesNotMatch(storedText(outcome), /canary/);
  }
});

test('the answers, errors, logs and artifacts of a plugin are free of its secrets', async (t) => {
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
    const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: url } });
    const stored = storedText(await ask(sources, jsonCall()));
    assert.doesNotMatch(stored, /canary/);
  }
});
