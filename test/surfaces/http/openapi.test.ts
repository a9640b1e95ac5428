import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Validator } from '@seriousme/openapi-schema-validator';
import { generateApi } from 'swagger-typescript-api';
import { ROUTES } from '../../../engine/surfaces/http/routes/index.js';
import { type ServedPark, servePark, TOKENS } from '../../support/served-park.js';

interface Document {
  readonly [member: string]: unknown;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>
  >;
}

const headers = { authorization: `Bearer ${TOKENS.operator_token}` };
let park: ServedPark;
let document: Document;

before(async () => {
  park = await servePark();
  const response = await fetch(`${park.server.url}/openapi.json`, { headers });
  assert.equal(response.status, 200);
  document = (await response.json()) as Document;
});
after(() => park.close());

describe('the OpenAPI document', () => {
  test('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    assert.deepEqual([valid, errors], [true, undefined]);
    assert.equal(document['openapi'], '3.1.0');
  });

  test('describes every route, with a line and a name of its own', () => {
    const described = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const routes = ROUTES.map(({ method, url }) => `${String(method)} ${url.replace(/:(\w+)/g, '{$1}')}`);
    assert.deepEqual(described.toSorted(), routes.toSorted());
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length);
    for (const { operationId, summary } of operations) assert.match(summary, /^[A-Z].+\.$/, operationId);
  });

  test('has no schema that leads back to itself, of which some generators make no type', () => {
    const { schemas } = document.components;
    const within = (value: unknown): readonly string[] =>
      [...JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name);
    for (const name of Object.keys(schemas)) {
      const seen = new Set<string>();
      for (const open = [...within(schemas[name])]; open.length > 0; ) {
        const next = open.pop() ?? '';
        assert.notEqual(next, name);
        if (!seen.has(next)) open.push(...within(schemas[next]));
        seen.add(next);
      }
    }
  });

  test('is refused without a token', async () => {
    assert.equal((await fetch(`${park.server.url}/openapi.json`)).status, 401);
  });
});

/** As much of the generated client as this test uses. */
interface Client {
  readonly worlds: {
    getWorldsWorldSlug(slug: string, query: object): Promise<{ readonly data: { readonly turn: number } }>;
  };
  readonly sourceInvocations: {
    getSourceInvocations(query: object): Promise<{
      readonly data: { readonly rows: readonly { readonly source_invocation_id: string }[]; readonly next: string };
    }>;
  };
}

type ClientClass = new (settings: {
  readonly baseUrl: string;
  readonly baseApiParams: { readonly headers: object; readonly format: 'json' };
}) => Client;

describe('a client that is generated from it', () => {
  test('reads a world, a list in parts, and the code of a problem', async (t) => {
    const folder = await mkdtemp(join(fileURLToPath(new URL('.', import.meta.url)), '.client-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const { files } = await generateApi({ spec: structuredClone(document), output: false, silent: true, toJS: true });
    const file = files.find(({ fileExtension }) => fileExtension === '.js');
    const client = join(folder, 'client.js');
    await writeFile(client, file?.fileContent ?? '');
    const { Api } = (await import(pathToFileURL(client).href)) as { readonly Api: ClientClass };
    const api = new Api({ baseUrl: park.server.url, baseApiParams: { headers, format: 'json' } });

    const { data: world } = await api.worlds.getWorldsWorldSlug(park.play.world_slug, { format: 'json' });
    assert.equal(world.turn, 3);
    const first = await api.sourceInvocations.getSourceInvocations({ format: 'json', limit: 2 });
    const second = await api.sourceInvocations.getSourceInvocations({
      format: 'json',
      limit: 2,
      after: first.data.next,
    });
    const ids = [...first.data.rows, ...second.data.rows].map(({ source_invocation_id }) => source_invocation_id);
    assert.equal(new Set(ids).size, 4);
    await assert.rejects(
      api.worlds.getWorldsWorldSlug('nobody', { format: 'json' }),
      (answer: { readonly error: { readonly code: string } }) => answer.error.code === 'WORLD_UNKNOWN',
    );
  });
});
