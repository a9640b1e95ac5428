import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Validator } from '@seriousme/openapi-schema-validator';
import { generateApi } from 'swagger-typescript-api';
import { ROUTES } from '../../../engine/surfaces/http/routes/index.js';
import { makeFolder } from '../../support/folder.js';
import { ROOT } from '../../support/park-stage.js';
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
    Record<
      string,
      { readonly description?: string; readonly content?: Readonly<Record<string, { readonly schema: object }>> }
    >
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
  test('the OpenAPI document is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    assert.deepEqual([valid, errors], [true, undefined]);
    assert.equal(document['openapi'], '3.1.0');
    const { description } = document['info'] as { readonly description: string };
    assert.match(description, /The version is that of this interface, not of the program\.$/);
  });

  test('the OpenAPI document describes every route, with a line and a name of its own', () => {
    const described = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const routes = ROUTES.map(({ method, url }) => `${String(method)} ${url.replace(/:(\w+)/g, '{$1}')}`);
    assert.deepEqual(described.toSorted(), routes.toSorted());
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length);
    for (const { operationId, summary } of operations) assert.match(summary, /^[A-Z].+\.$/, operationId);
  });

  test('the OpenAPI document calls every status by its name', () => {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    for (const { operationId, responses } of operations)
      for (const [status, { description }] of Object.entries(responses))
        assert.notEqual(description, 'Error', `${operationId} ${status}`);
  });

  test('the OpenAPI document has no schema that leads back to itself, of which some generators make no type', () => {
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

  test('the OpenAPI document is refused without a token', async () => {
    assert.equal((await fetch(`${park.server.url}/openapi.json`)).status, 401);
  });
});

/** A program that knows the server by the generated client alone: its types say what there is. */
const PROGRAM = `
import { Api, type HttpResponse, type Problem } from './client.mjs';

export async function read(baseUrl: string, token: string, world_slug: string) {
  const api = new Api<string>({
    baseUrl,
    baseApiParams: { headers: { accept: 'application/json' } },
    securityWorker: (token) => ({ headers: { authorization: \`Bearer \${token}\` } }),
  });
  api.setSecurityData(token);
  const { data: world } = await api.worlds.getWorldsWorldSlug(world_slug);
  // @ts-expect-error A world has no weather.
  void world.weather;
  const narrations: string[] = world.story.flatMap(({ patches }) => patches.map(({ narration }) => narration));
  const [attempt] = world.attempts;
  const { data: { invocations } } = await api.attempts.getAttemptsAttemptId(attempt?.attempt_id ?? '');
  const generation = invocations.find(({ llm_call_id }) => llm_call_id !== null);
  const { data: call } = await api.llmCalls.getLlmCallsLlmCallId(generation?.llm_call_id ?? '');
  const said: string = call.raw_text;
  const ids: string[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const { data }: HttpResponse<{ rows: { source_invocation_id: string }[]; next: string | null }, Problem> =
      await api.sourceInvocations.getSourceInvocations({ limit: 7, ...(after === undefined ? {} : { after }) });
    ids.push(...data.rows.map(({ source_invocation_id }) => source_invocation_id));
    after = data.next;
  }
  // @ts-expect-error Turns want a number of them.
  void (() => api.worlds.postWorldsWorldSlugTurns(world_slug, { reason: 'to go on' }));
  const { data: queued } = await api.worlds.postWorldsWorldSlugTurns(world_slug, { turns: 1, reason: 'to go on' });
  const nobody = api.worlds.getWorldsWorldSlug('nobody');
  const refused = await nobody.catch((answer: HttpResponse<unknown, Problem>) => answer);
  return { turn: world.turn, narrations, said, ids, accepted: queued.accepted, code: String(refused.error.code) };
}
`;

interface Program {
  read(url: string, token: string, world_slug: string): Promise<Readonly<Record<string, unknown>>>;
}

describe('a client that is generated from it', () => {
  test('is right for the compiler, reads a world, lists and the code of a problem, and queues a turn', async (t) => {
    const folder = await makeFolder(t);
    const { files } = await generateApi({ spec: structuredClone(document), output: false, silent: true });
    await writeFile(join(folder, 'client.mts'), files[0]?.fileContent ?? '');
    await writeFile(join(folder, 'program.mts'), PROGRAM);
    await compile(folder);
    const { read } = (await import(pathToFileURL(join(folder, 'program.mjs')).href)) as Program;
    const { world_slug, attempts } = park.play;
    const { ids, narrations, ...rest } = await read(park.server.url, TOKENS.operator_token, world_slug);
    const generation = attempts.at(-1)?.invocations.find(({ llm_call_id }) => llm_call_id !== null);
    const { raw_text } = await park.stage.llmCall(generation?.llm_call_id ?? null);
    assert.deepEqual(rest, { turn: 3, said: raw_text, accepted: true, code: 'WORLD_UNKNOWN' });
    assert.ok((narrations as readonly string[]).length > 2);
    const made = attempts.flatMap(({ invocations }) => invocations.map((call) => call.source_invocation_id));
    assert.deepEqual((ids as readonly string[]).toSorted(), made.toSorted());
  });
});

/** Compiles the files of a folder. @throws AssertionError with what the compiler has to say */
async function compile(folder: string): Promise<void> {
  const compilerOptions = {
    noEmitOnError: true,
    strict: true,
    target: 'ES2023',
    module: 'NodeNext',
    lib: ['ES2023', 'DOM'],
  };
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...compilerOptions, types: [] } }),
  );
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [compiler, '-p', folder]).catch((error: { readonly stdout: string }) =>
    assert.fail(error.stdout),
  );
}
