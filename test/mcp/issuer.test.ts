import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { toServePlace } from '../../engine/configuration.js';
import type { HttpServer } from '../../engine/operations/composition.js';
import { toDesk } from '../../engine/operations/serving/serve.js';
import { startServer } from '../../engine/surfaces/http/server.js';
import { sharedStage } from '../support/park-stage.js';
import { TOKENS } from '../support/served-park.js';
import { connectHttp } from './clients.js';

const open = sharedStage('PostgreSQL');
const asked: string[] = [];
const ownMetadata = () => ({ issuer, jwks_uri: `${issuer}/keys` });
let metadata: () => object = ownMetadata;
let server: HttpServer;
let issuer = '';
let keys: Awaited<ReturnType<typeof generateKeyPair>>;
const authority = createServer((request, response) => {
  asked.push(request.url ?? '');
  const told =
    request.url === '/keys'
      ? exportJWK(keys.publicKey).then((key) => ({ keys: [{ ...key, kid: 'one', alg: 'RS256' }] }))
      : Promise.resolve(metadata());
  void told.then((value) => response.end(JSON.stringify(value)));
}).listen(0, '127.0.0.1');

before(async () => {
  keys = await generateKeyPair('RS256');
  if (!authority.listening) await once(authority, 'listening');
  issuer = `http://127.0.0.1:${(authority.address() as AddressInfo).port}`;
  const stage = await open();
  server = await startServer(toDesk(stage.engine), TOKENS, { host: '127.0.0.1', port: 0, issuer });
});
after(async () => {
  await server.close(0);
  authority.close();
});

interface Signing {
  readonly key?: CryptoKey | Uint8Array;
  readonly alg?: string;
}

/** A token as the issuer signs it, with other claims or another key. */
async function sign(claims: JWTPayload = {}, { key = keys.privateKey, alg = 'RS256' }: Signing = {}) {
  const payload = { iss: issuer, aud: `${server.url}/mcp`, sub: 'alice', exp: Date.now() / 1000 + 600, ...claims };
  return new SignJWT(payload).setProtectedHeader({ alg, kid: 'one' }).sign(key);
}

async function statusOf(path: string, token: string): Promise<number> {
  const response = await fetch(`${server.url}${path}`, {
    method: path.endsWith('mcp') ? 'POST' : 'GET',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    ...(path.endsWith('mcp') ? { body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }) } : {}),
  });
  await response.arrayBuffer();
  return response.status;
}

test('a token of the issuer for the consumers’ surface opens that surface, and nothing else', async () => {
  const token = await sign();
  const client = await connectHttp('2026', `${server.url}/mcp`, token);
  assert.ok((await client.listTools()).tools.length > 0);
  await client.close();
  for (const path of ['/operator-mcp', '/', '/worlds']) assert.equal(await statusOf(path, token), 401, path);
  assert.equal(await statusOf('/operator-mcp', await sign({ aud: `${server.url}/operator-mcp` })), 401);
});

test('a token for another resource, of another issuer, without an end, after it, or by another key is refused', async () => {
  const now = Date.now() / 1000;
  const other = await generateKeyPair('RS256');
  const secret = new TextEncoder().encode(await exportSPKI(keys.publicKey));
  const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  for (const [name, token] of Object.entries({
    resource: await sign({ aud: 'http://127.0.0.1:9/mcp' }),
    operators: await sign({ aud: `${server.url}/operator-mcp` }),
    issuer: await sign({ iss: 'https://login.example.org' }),
    over: await sign({ exp: now - 60 }),
    'too early': await sign({ nbf: now + 600 }),
    nobody: await sign({ sub: '' }),
    'odd name': await sign({ sub: 'a\u0000b' }),
    'another key': await sign({}, { key: other.privateKey }),
    'the key as a secret': await sign({}, { key: secret, alg: 'HS256' }),
    unsigned: `${encoded({ alg: 'none' })}.${encoded({ iss: issuer, aud: `${server.url}/mcp`, sub: 'a', exp: now + 60 })}.`,
    endless: await new SignJWT({ iss: issuer, aud: `${server.url}/mcp`, sub: 'alice' })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .sign(keys.privateKey),
  }))
    assert.equal(await statusOf('/mcp', token), 401, name);
  assert.equal(await statusOf('/mcp', await sign()), 200);
  assert.deepEqual([...new Set(asked)], ['/.well-known/oauth-authorization-server', '/keys']);
});

test('an issuer without metadata, or with keys elsewhere, is believed nothing', async (t) => {
  t.after(() => (metadata = ownMetadata));
  const stage = await open();
  for (const told of [
    {},
    { ...ownMetadata(), issuer: 'https://login.example.org' },
    { issuer, jwks_uri: `${issuer.replace('127.0.0.1', 'localhost')}/keys` },
  ]) {
    metadata = () => told;
    const other = await startServer(toDesk(stage.engine), TOKENS, { host: '127.0.0.1', port: 0, issuer });
    t.after(() => other.close(0));
    const token = await sign({ aud: `${other.url}/mcp` });
    const headers = { authorization: `Bearer ${token}` };
    const refused = await fetch(`${other.url}/mcp`, { method: 'POST', headers, body: '{}' });
    assert.equal(refused.status, 401, JSON.stringify(told));
    assert.match(refused.headers.get('www-authenticate') ?? '', /error="invalid_token", resource_metadata="/);
  }
});

test('an issuer is reached by https, or is of this machine', () => {
  const place = (CHUKWA_OAUTH_ISSUER: string) => toServePlace({ CHUKWA_OAUTH_ISSUER });
  for (const named of ['https://login.example.org', 'http://127.0.0.1:8080', 'http://localhost'])
    assert.ok(place(named).ok);
  for (const named of ['http://login.example.org', 'login.example.org', 'ftp://localhost'])
    assert.equal(place(named).ok, false, named);
});
