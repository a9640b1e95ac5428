import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalText, contentHash } from '../../engine/core/content/canonical.js';
import { sha256 } from '../../engine/core/content/sha256.js';
import type { JsonObject } from '../../engine/contract/json.js';
import { startServer } from '../../engine/surfaces/http/server.js';
import { loadScenario } from '../../engine/operations/running/load-program.js';
import { toDesk } from '../../engine/operations/serving/serve.js';
import { sharedStage } from '../support/park-stage.js';
import { TOKENS } from '../support/served-park.js';

/** Documents that no command would store; the store takes them, since their hashes are right. */
const FORGED: Readonly<Record<string, (document: JsonObject) => JsonObject>> = {
  'entities-forged': (scenario) => ({ ...scenario, entities: { bob: 'here' } }),
  'label-forged': ({ label: _label, ...scenario }) => ({ ...scenario, environments: 7 }),
  'entity-forged': (scenario) => ({ ...scenario, entities: [7, 'bob', { id: 'bob' }, null], start_time: 5 }),
};
const PAGES = ['', '/attempts', '/agents', '/turns/0', '/turns/1', '/turns/1/patches', '/turns/1/entities', '/diff'];

test('a world whose record cannot be read is marked in lists, and its pages say so; all others are read', async (t) => {
  const stage = await sharedStageOf();
  const { world_slug, attempts } = await stage.play({ scenario: 'park' });
  const { store } = stage.engine;
  const lines: string[] = [];
  await store.transfer.export([world_slug], async (line) => void lines.push(line));
  for (const [name, forge] of Object.entries(FORGED)) {
    const forged = forgeScenario(lines.slice(0, -1), world_slug, name, forge);
    const imported = await store.transfer.import(toLines(forged), () => undefined);
    assert.equal(imported.kind, 'imported', JSON.stringify(imported));
  }
  const server = await startServer(toDesk(stage.engine), TOKENS, { host: '127.0.0.1', port: 0 });
  t.after(() => server.close(0));
  const read = async (path: string) => {
    const headers = { authorization: `Bearer ${TOKENS.operator_token}`, accept: 'text/html' };
    const response = await fetch(`${server.url}${path}`, { headers });
    return { status: response.status, text: await response.text() };
  };
  for (const path of ['/', '/worlds', '/inbox', '/scenarios', '/source-invocations', `/worlds/${world_slug}`])
    assert.equal((await read(path)).status, 200, path);
  const { text: list } = await read('/worlds');
  const marked = [...list.matchAll(/<tr>(?:(?!<\/tr>)[^])*?<a href="\/worlds\/([^"/]+)"[^]*?<\/tr>/g)];
  assert.deepEqual(
    marked.filter(([row]) => row.includes('cannot be read')).map(([, slug]) => slug),
    ['entities-forged', 'label-forged'],
  );
  const readAsFarAsItGoes = async (path: string): Promise<void> => {
    const { status, text } = await read(path);
    assert.ok(status === 200 || status === 409, `${path}: ${status}`);
    if (status === 409) assert.match(text, /RECORD_UNREADABLE[^]*other worlds are not affected/, path);
  };
  const listIds = async (name: string): Promise<readonly string[]> => {
    const [one] = await store.records.attempts(name);
    const [call] = (await store.browse.invocations({ limit: 500 })).filter(({ world_slug }) => world_slug === name);
    return [
      `/attempts/${one?.attempt_id}`,
      `/attempts/${one?.attempt_id}/agent-turns`,
      `/attempts/${one?.attempt_id}/diff?other=${attempts[0]?.attempt_id}`,
      `/source-invocations/${call?.source_invocation_id}`,
      ...(typeof call?.llm_call_id === 'string' ? [`/llm-calls/${call.llm_call_id}`] : []),
    ];
  };
  for (const name of Object.keys(FORGED))
    for (const path of [...PAGES.map((page) => `/worlds/${name}${page}`), ...(await listIds(name))])
      await readAsFarAsItGoes(path);
  for (const name of Object.keys(FORGED)) {
    const { scenario_hash = '' } = (await store.worlds.find(name)) ?? {};
    const loaded = await loadScenario(stage.engine, scenario_hash);
    assert.deepEqual(loaded.ok ? [] : loaded.problems.map(({ code }) => code), ['RECORD_UNREADABLE'], name);
  }
  assert.equal((await read('/worlds/entities-forged')).status, 409);
  const workflow = { version: 1, label: 'forged', nodes: { act: 7 } };
  await store.components.put([
    { kind: 'cognition_workflow', hash: contentHash(workflow), content: workflow, refers_to: [] },
  ]);
  const broken = await read(`/cognition-workflows/hash/${contentHash(workflow)}`);
  assert.deepEqual([broken.status, /RECORD_UNREADABLE/.test(broken.text)], [409, true]);
  const { scenario_hash } = (await store.browse.worlds({ limit: 10 })).find((one) => !one.is_readable) ?? {};
  assert.equal((await read(`/scenarios/hash/${scenario_hash}`)).status, 200);
  const asked = await fetch(`${server.url}/worlds/entities-forged/fork`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKENS.operator_token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ at_turn: 0, as: 'a-fork', reason: 'to see' }),
  });
  assert.equal(asked.status, 409);
  assert.equal((await read(`/attempts/${attempts[0]?.attempt_id}`)).status, 200);
});

const sharedStageOf = sharedStage('PostgreSQL');

/** The lines of an export under another name and with another scenario; all that names either follows. */
function forgeScenario(
  lines: readonly string[],
  world_slug: string,
  name: string,
  forge: (document: JsonObject) => JsonObject,
): readonly string[] {
  const found = lines.find((line) => line.startsWith('{"table":"scenarios"')) ?? '';
  const { row } = JSON.parse(found) as { readonly row: { readonly hash: string; readonly content: JsonObject } };
  const content = canonicalText(forge(row.content));
  const other = `{"table":"scenarios","row":${JSON.stringify({ ...row, content: null }).replace('"content":null', `"content":${content}`)}}`;
  // The ids of a world's attempts and calls are its own: those of a copy differ in one digit.
  const copied = lines.map((line) => (line === found ? other : line));
  const distance = Object.keys(FORGED).indexOf(name) + 1;
  const otherDigit = (digit: string): string => ((Number.parseInt(digit, 16) + distance) % 16).toString(16);
  return copied.map((line) =>
    line
      .replaceAll(row.hash, sha256(content))
      .replaceAll(`"${world_slug}"`, `"${name}"`)
      .replaceAll(
        /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{11})([0-9a-f])/g,
        (_id, rest: string, last: string) => rest + otherDigit(last),
      ),
  );
}

async function* toLines(lines: readonly string[]): AsyncIterable<string> {
  yield* lines;
  const digest = sha256(lines.map((line) => `${line}\n`).join(''));
  yield JSON.stringify({ rows: lines.length - 1, sha256: digest });
}
