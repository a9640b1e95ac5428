import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { forTools } from '../../engine/surfaces/mcp/repairs.js';
import { type ServedPark, servePark, TOKENS } from '../support/served-park.js';
import { type AnyClient, type Called, connectHttp } from './clients.js';

let served: ServedPark;
let client: AnyClient;
let operator: AnyClient;
before(async () => {
  served = await servePark();
  client = await connectHttp('2026', `${served.server.url}/mcp`, TOKENS.token);
  operator = await connectHttp('2025', `${served.server.url}/operator-mcp`, TOKENS.operator_token);
});
after(async () => {
  await Promise.all([client.close(), operator.close()]);
  await served.close();
});

const call = (name: string, said: Record<string, unknown>, by = client): Promise<Called> =>
  by.callTool({ name, arguments: said });

test('a refusal is an answer with a code, a place and a repair, as data and as text', async () => {
  const { world_slug } = served.play;
  for (const [name, said, code, pointer] of [
    ['get_world', { world_slug: 'there-is-none' }, 'WORLD_UNKNOWN', undefined],
    ['get_world', {}, 'FIELD_INVALID', '/world_slug'],
    ['get_world', { world_slug: 7 }, 'FIELD_INVALID', '/world_slug'],
    ['get_world', { world_slug: 'a\0b' }, 'BODY_NOT_JSON', undefined],
    ['get_turn', { world_slug, turn: 'soon' }, 'FIELD_INVALID', '/turn'],
    ['get_turn', { world_slug, turn: 99 }, 'TURN_UNKNOWN', undefined],
    ['list_worlds', { limt: 3 }, 'PARAMETER_UNKNOWN', undefined],
    ['list_worlds', { limit: 100_000 }, 'LIMIT_INVALID', undefined],
    ['run_turn', { world_slug, turns: 0, reason: 'to see' }, 'FIELD_INVALID', '/turns'],
    ['run_turn', { world_slug, turns: 1 }, 'REASON_MISSING', undefined],
    ['run_turn', { world_slug, turns: 1, reason: `It is ${TOKENS.operator_token}` }, 'FIELD_INVALID', undefined],
    ['put_json_schema', { content: { type: 'no such type' } }, undefined, undefined],
    ['describe_document', { kind: 'novel' }, 'FIELD_INVALID', '/kind'],
    ['get_entity', { world_slug, entity_id: 'b!b' }, 'BAD_ENTITY_ID', undefined],
    ['entity_history', { world_slug, entity_id: 'b!b' }, 'BAD_ENTITY_ID', undefined],
  ] as const) {
    const refused = await call(name, said);
    assert.equal(refused.isError, true, name);
    const { code: given, message, repair, pointer: place } = refused.structuredContent ?? {};
    if (code !== undefined) assert.deepEqual([given, place], [code, pointer], JSON.stringify(said));
    const text = refused.content[0]?.text ?? '';
    assert.ok(text.includes(String(given)) && text.includes(String(message)) && text.includes(String(repair)), text);
    assert.ok(!text.includes(TOKENS.operator_token));
  }
});

test('an entity is found by its id as people type it', async () => {
  const { world_slug } = served.play;
  const { structuredContent = {} } = await call('get_entity', { world_slug, entity_id: ' BOB ' });
  assert.equal(structuredContent['id'], 'bob');
  assert.deepEqual(
    (await call('entity_history', { world_slug, entity_id: ' BOB ' })).structuredContent?.['rows'],
    (structuredContent['history'] as { readonly rows: unknown }).rows,
  );
});

test('the text of an answer names resources that its reader may read, and no others', async () => {
  const { world_slug, attempts } = served.play;
  const [{ attempt_id } = { attempt_id: '' }] = attempts;
  const asked = [
    ['get_world', { world_slug }],
    ['get_turn', { world_slug, turn: 2 }],
    ['get_attempt', { attempt_id }],
    ['get_entity', { world_slug, entity_id: 'bob' }],
  ] as const;
  const named = new Set<string>();
  for (const [name, said] of asked) {
    const text = (await call(name, said)).content[0]?.text ?? '';
    for (const [uri] of text.matchAll(/chukwa:\/\/[^\s)]+/g)) named.add(uri);
  }
  assert.ok(named.size > 0);
  for (const uri of named) await client.readResource({ uri });
  const { content } = await call('get_turn', { world_slug, turn: 2 }, operator);
  assert.match(content[0]?.text ?? '', /Why\?: chukwa:\/\/llm-calls\//);
});

test('a tool that is no more says what replaced it', async () => {
  for (const [kind, replaced] of [
    ['perceive_system', 'cognition_workflow'],
    ['intend_system', 'cognition_workflow'],
    ['adjudicate_system', 'cognition_workflow'],
    ['adjudication_schema', 'json_schema'],
  ])
    for (const verb of ['put', 'get'])
      for (const by of [client, operator])
        await assert.rejects(call(`${verb}_${kind}`, {}, by), new RegExp(`use ${verb}_${replaced}`));
  const { tools } = await operator.listTools();
  for (const { name } of tools) assert.doesNotMatch(name, /_system$|adjudication_schema/);
});

test('a repair names tools, and no command', async () => {
  for (const [name, said, repair] of [
    ['get_world', { world_slug: 'there-is-none' }, /See list_worlds\.$/],
    ['get_attempt', { attempt_id: 'none' }, /See list_attempts\.$/],
    ['get_component', { kind: 'scenario', hash: 'abc' }, /See list_components\.$/],
    [
      'create_world',
      { world_slug: 'a-new-one', scenario_hash: 'f'.repeat(64) },
      /See list_components scenario, or store it first: put_documents$/,
    ],
    ['describe_plugin', { name: 'none' }, /"none"\. Known: /],
  ] as const) {
    const refused = await call(name, said, operator);
    assert.equal(refused.isError, true, name);
    assert.match(refused.content[0]?.text ?? '', repair);
    assert.doesNotMatch(JSON.stringify(refused), /chukwa [a-z]/);
  }
  assert.equal(
    forTools('Run chukwa run park-2 --turns, or see chukwa attempts park-2.'),
    'Run run_turn, or see list_attempts.',
  );
  assert.equal(forTools('chukwa stop park-2 --queued; chukwa doctor says.'), 'take_back_turns; chukwa doctor says.');
});

test('each tool says what a caller may assume, and takes typed arguments', async () => {
  for (const { name, annotations = {}, inputSchema, outputSchema } of (await operator.listTools()).tools) {
    assert.equal(typeof annotations.readOnlyHint, 'boolean', name);
    assert.equal(typeof annotations.openWorldHint, 'boolean', name);
    if (annotations.readOnlyHint !== true) assert.equal(typeof annotations.destructiveHint, 'boolean', name);
    if (annotations.readOnlyHint !== true) assert.equal(typeof annotations.idempotentHint, 'boolean', name);
    if (outputSchema !== undefined) assert.ok(Object.keys(outputSchema.properties ?? {}).length > 0, name);
    const { properties = {}, required = [] } = inputSchema;
    for (const one of required) assert.ok(one in properties, name);
    for (const [one, schema] of Object.entries(properties as Record<string, { readonly type?: string }>))
      if (['turn', 'turns', 'limit', 'at_turn', 'from', 'to', 'until'].includes(one))
        assert.equal(schema.type, 'integer', `${name}.${one}`);
  }
});

test('a long answer is shortened, and names the resource that has the whole in ranges', async () => {
  const [attempt] = served.play.attempts;
  const { attempt_id = '' } = attempt ?? {};
  const read = await call('get_attempt', { attempt_id }, operator);
  assert.ok(JSON.stringify(read).length < 80_000 + 4_000, String(JSON.stringify(read).length));
  const uri = read.content.find(({ type }) => type === 'resource_link')?.uri;
  let text = '';
  for (let next: unknown = uri ?? `chukwa://attempts/${attempt_id}`; typeof next === 'string'; ) {
    const [range] = (await operator.readResource({ uri: next })).contents;
    text += range?.text ?? '';
    const { _meta: { next: after } = {} } = range ?? {};
    next = after;
  }
  const whole = JSON.parse(text) as { readonly attempt_id: string };
  assert.equal(whole.attempt_id, attempt_id);
  assert.equal(uri !== undefined, text.length > 38_000);
});

test('the prompts hold what they are given, and name tools that there are', async () => {
  const { tools } = await operator.listTools();
  const { prompts } = await client.listPrompts();
  assert.deepEqual(
    prompts.map(({ name }) => name),
    ['author_a_workflow', 'explain_an_attempt', 'design_a_scenario'],
  );
  const said = { purpose: 'to trade', attempt_id: 'the-one', idea: 'a market' };
  for (const { name } of prompts) {
    const text = JSON.stringify(await client.getPrompt({ name, arguments: said }));
    assert.match(text, /to trade|the-one|a market/);
    for (const [, tool = ''] of text.matchAll(/`([a-z]+_[a-z_]+)`/g))
      assert.ok(
        tools.some((one) => one.name === tool),
        tool,
      );
  }
  await assert.rejects(client.getPrompt({ name: 'author_a_workflow' }), /needs purpose/);
});

test('the page of a world is shown by an app that loads nothing, and whose answer is complete without it', async () => {
  const { world_slug } = served.play;
  const tool = (await client.listTools()).tools.find(({ name }) => name === 'get_world');
  const { _meta: { ui } = {} } = tool as { readonly _meta?: { readonly ui?: { readonly resourceUri: string } } };
  const uri = ui?.resourceUri;
  const [app] = (await client.readResource({ uri: uri ?? '' })).contents;
  const [page] = (await client.readResource({ uri: `ui://chukwa/worlds/${world_slug}` })).contents;
  assert.equal(app?.mimeType, 'text/html;profile=mcp-app');
  for (const { text = '' } of [app, page].flatMap((one) => one ?? [])) {
    assert.ok(text.length <= 60_000, String(text.length));
    assert.doesNotMatch(text, /(src|href)="?(https?:)?\/\//);
  }
  assert.doesNotMatch(page?.text ?? '', /<script/);
  assert.match(page?.text ?? '', new RegExp(world_slug));
  await assert.rejects(client.readResource({ uri: 'ui://chukwa/worlds/there-is-none' }), /not found/i);
});
