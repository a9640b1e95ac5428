import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ACTIONS } from '../../engine/catalogue/actions.js';
import { QUERIES } from '../../engine/catalogue/queries/index.js';
import { RESOURCES } from '../../engine/catalogue/resources.js';
import { keysOf } from '../../engine/catalogue/resource.js';
import { type ServedPark, servePark, TOKENS } from '../support/served-park.js';
import { type AnyClient, connectHttp, connectStdio, type Era } from './clients.js';

const TOOLS_BYTES_MAX = 20_000;

let served: ServedPark;
before(async () => {
  served = await servePark();
});
after(() => served.close());

const OF_OPERATORS = [
  ...RESOURCES.filter(({ reader }) => reader === 'operator').flatMap(({ name }) => name ?? []),
  ...ACTIONS.filter(({ by }) => by === 'operator').flatMap(({ name }) => name ?? []),
];
const OF_CONSUMERS = [
  ...RESOURCES.filter(({ reader }) => reader === 'consumer').flatMap(({ name }) => name ?? []),
  ...ACTIONS.filter(({ by }) => by === 'consumer').flatMap(({ name }) => name ?? []),
  ...QUERIES.map(({ name }) => name),
];
const OF_COMMANDS = ACTIONS.filter(({ by }) => by === 'command').flatMap(({ name }) => name ?? []);

const PLACES = {
  HTTP: (era: Era, isOperator: boolean) =>
    connectHttp(
      era,
      `${served.server.url}${isOperator ? '/operator-mcp' : '/mcp'}`,
      isOperator ? TOKENS.operator_token : TOKENS.token,
    ),
  stdio: (era: Era, isOperator: boolean) => connectStdio(era, served.stage.variables, isOperator ? ['--operator'] : []),
} as const;

for (const [place, era] of [
  ['HTTP', '2025'],
  ['HTTP', '2026'],
  ['stdio', '2026'],
] as const) {
  describe(`the client of ${era} over ${place}`, () => {
    let consumer: AnyClient;
    let operator: AnyClient;
    before(async () => {
      [consumer, operator] = await Promise.all([PLACES[place](era, false), PLACES[place](era, true)]);
    });
    after(() => Promise.all([consumer.close(), operator.close()]));

    test('is offered each tool of the catalogue that its reader may use, in the same order each time', async () => {
      const names = async (client: AnyClient): Promise<readonly string[]> =>
        (await client.listTools()).tools.map(({ name }) => name);
      const [given, all] = [await names(consumer), await names(operator)];
      assert.deepEqual(given.toSorted(), OF_CONSUMERS.toSorted());
      assert.deepEqual(all.toSorted(), [...OF_CONSUMERS, ...OF_OPERATORS].toSorted());
      assert.deepEqual(await names(operator), all);
      for (const name of OF_COMMANDS) assert.ok(!all.includes(name), name);
      for (const client of [consumer, operator]) {
        const listed = JSON.stringify(await client.listTools());
        assert.ok(Buffer.byteLength(listed) <= TOOLS_BYTES_MAX, `${Buffer.byteLength(listed)} bytes`);
      }
    });

    test('reads a world as a value and a text, and a list by its cursor', async () => {
      const { world_slug } = served.play;
      const read = await consumer.callTool({ name: 'get_world', arguments: { world_slug } });
      assert.equal(read.isError, undefined);
      assert.equal(read.structuredContent?.['world_slug'], world_slug);
      assert.equal(read.content[0]?.type, 'text');
      assert.ok((read.content[0].text ?? '').includes(world_slug));
      const first = await consumer.callTool({ name: 'list_attempts', arguments: { world_slug, limit: 1 } });
      const { rows, next } = first.structuredContent as { readonly rows: readonly unknown[]; readonly next: string };
      assert.equal(rows.length, 1);
      const second = await consumer.callTool({
        name: 'list_attempts',
        arguments: { world_slug, limit: 1, after: next },
      });
      assert.notDeepEqual(second.structuredContent?.['rows'], rows);
    });

    test('reads the same things as resources', async () => {
      const { world_slug } = served.play;
      const { resources } = await consumer.listResources();
      const [listed] = (await consumer.readResource({ uri: 'chukwa://worlds?limit=1' })).contents;
      assert.ok(resources.some(({ uri }) => uri === 'chukwa://worlds'));
      assert.equal(listed?.mimeType, 'application/json');
      const [world] = (await consumer.readResource({ uri: `chukwa://worlds/${world_slug}` })).contents;
      assert.match(world?.text ?? '', /"world_slug"/);
      await assert.rejects(consumer.readResource({ uri: 'chukwa://worlds/there-is-none' }), /not found/i);
    });

    test('a consumer reaches nothing of the operator’s', async () => {
      for (const name of OF_OPERATORS)
        await assert.rejects(consumer.callTool({ name, arguments: {} }), /Unknown tool/, name);
      const templates = (await consumer.listResourceTemplates()).resourceTemplates.map((one) => one.uriTemplate);
      const uris = (await consumer.listResources()).resources.map(({ uri }) => uri);
      for (const { path } of RESOURCES.filter(({ reader }) => reader === 'operator')) {
        const place = `chukwa:/${path}`;
        assert.ok(![...uris, ...templates].some((uri) => uri.startsWith(place.replaceAll(/:\w+$/g, '{'))), path);
        const uri = keysOf(path).reduce((text, name) => text.replace(`:${name}`, idOf(name)), place);
        await assert.rejects(consumer.readResource({ uri }), /not found/i, uri);
      }
      // Prompts are the same for all, and hold no record.
      assert.deepEqual(await consumer.listPrompts(), await operator.listPrompts());
      const [attempt] = served.play.attempts;
      const read = await consumer.callTool({
        name: 'get_attempt',
        arguments: { attempt_id: attempt?.attempt_id ?? '' },
      });
      assert.deepEqual(read.structuredContent?.['calls'] ?? null, null);
    });
  });
}

function idOf(name: string): string {
  const [attempt] = served.play.attempts;
  const call = attempt?.invocations[0];
  const ids: Readonly<Record<string, string | null | undefined>> = {
    attempt_id: attempt?.attempt_id,
    source_invocation_id: call?.source_invocation_id,
    llm_call_id: call?.llm_call_id,
    world_slug: served.play.world_slug,
  };
  return ids[name] ?? '1';
}
