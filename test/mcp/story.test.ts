import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../engine/contract/json.js';
import { runWorker } from '../../engine/operations/running/run-worker.js';
import { toDesk } from '../../engine/operations/serving/serve.js';
import { startServer } from '../../engine/surfaces/http/server.js';
import { loadScript, type ParkStage, sharedStage } from '../support/park-stage.js';
import { TOKENS } from '../support/served-park.js';
import { waitUntil } from '../support/wait-until.js';
import { type AnyClient, connectHttp } from './clients.js';
import { type Sent, writePark } from './park.js';

/** A document with one text in place of another that it holds. */
function replace(documents: readonly Sent[], path: string, before: string, after: string): void {
  const document = documents.find((each) => each.path === path);
  assert.ok(document !== undefined && document.content.includes(before), `${path}: ${before}`);
  document.content = document.content.replace(before, after);
}

const MISTAKES: readonly (readonly [path: string, right: string, wrong: string])[] = [
  ['park/scenario.json', '"chronon_seconds"', '"chronon_secnds"'],
  ['park/scenario.json', '"kind":"agent"', '"kind":"agnet"'],
  ['park/scenario.json', '"./bob-profile.json"', '"./bob-profil.json"'],
  ['park/bob-profile.json', '"workflow_ref"', '"workflow_rf"'],
  ['park/bob-workflow.json', '"per_subject_ordered"', '"per_subject_orderd"'],
  ['park/bob.user.md', '{{subject.', '{{subjct.'],
  ['park/ant-workflow.json', '"from":"act.final"', '"from":"xact.final"'],
  ['policies/park-tools.json', '"allow"', '"alow"'],
];

interface Finding {
  readonly file: string;
  readonly pointer: string;
  readonly message: string;
  readonly repair: string;
}

/** Does what a finding says, and knows nothing else: the wrong text is at its place, and the right one in its repair. */
function obey(documents: readonly Sent[], { file, pointer, message, repair }: Finding): void {
  const right =
    /"([^"]+)"|\{\{([^}]+)\}\}/
      .exec(repair)
      ?.slice(1)
      .find((text) => text !== undefined) ?? '';
  const named = /"([^"]+)" is not a field/.exec(message)?.[1];
  const document = documents.find(({ path }) => path === file);
  assert.ok(document && right !== '', `${file}${pointer}: ${message} ${repair}`);
  const quoted = (text: string): string => JSON.stringify(text);
  const wrong = named ?? valueAt(document, pointer, message);
  replace(
    documents,
    file,
    file.endsWith('.json') ? quoted(wrong) : wrong,
    file.endsWith('.json') ? quoted(right) : right,
  );
}

/** The wrong text: the value at the place of a finding, or in a prompt what the finding quotes. */
function valueAt({ path, content }: Sent, pointer: string, message: string): string {
  if (!path.endsWith('.json')) return /\{\{([^}]+)\}\}/.exec(message)?.[1] ?? '';
  const found = pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>>)[name], JSON.parse(content));
  return typeof found === 'string' ? found : '';
}

const open = sharedStage('PostgreSQL');

async function whileWorking(stage: ParkStage, task: () => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const settings = { concurrency: 1, grace_ms: 5_000, lease_ms: 10_000, signal: stop.signal };
  const working = runWorker(stage.engine, { ...settings, onEvent: () => {}, onReady: () => {} });
  await task().finally(() => stop.abort());
  await working;
}

/** Calls a tool, and gives the value of its answer. */
async function call<Value>(
  client: AnyClient,
  name: string,
  said: Readonly<Record<string, unknown>> = {},
): Promise<Value> {
  const called = await client.callTool({ name, arguments: said });
  assert.equal(called.isError, undefined, JSON.stringify(called.content).slice(0, 500));
  return called.structuredContent as Value;
}

const hashOf = ({ stored }: Stored, path: string): string => stored.find((each) => each.path === path)?.hash ?? '';

interface Stored {
  readonly stored: readonly { readonly path: string; readonly hash: string }[];
}

test('an assistant writes a world, mends it by the findings, plays it, says why, and tries another prompt', async (t) => {
  const stage = await open();
  stage.model.setScript(await loadScript('park'));
  const server = await startServer(toDesk(stage.engine), TOKENS, { host: '127.0.0.1', port: 0 });
  t.after(() => server.close(0));
  const author = await connectHttp('2026', `${server.url}/mcp`, TOKENS.token);
  const operator = await connectHttp('2025', `${server.url}/operator-mcp`, TOKENS.operator_token);
  t.after(() => Promise.all([author.close(), operator.close()]));

  const documents = writePark();
  for (const [path, right, wrong] of MISTAKES) replace(documents, path, right, wrong);
  const asSent = () => ({ documents: documents as unknown as Json });
  const refused = await author.callTool({ name: 'put_documents', arguments: asSent() });
  assert.equal(refused.isError, true);
  assert.match(refused.content[0]?.text ?? '', /UNKNOWN_FIELD at policies\/park-tools\.json\/alow/);
  let mended = 0;
  for (let rounds = 0; ; rounds += 1) {
    assert.ok(rounds < 4, 'findings that never end');
    const checked = await call<{ ok: boolean; findings: (Finding & { severity: string })[] }>(
      author,
      'validate_documents',
      asSent(),
    );
    const errors = checked.findings.filter(({ severity }) => severity === 'error');
    if (errors.length === 0) break;
    for (const finding of errors) obey(documents, finding);
    mended += errors.length;
  }
  assert.equal(mended, MISTAKES.length);
  assert.deepEqual(documents, writePark());

  const stored = await call<Stored>(author, 'put_documents', asSent());
  const world_slug = 'written-park';
  await call(author, 'create_world', { world_slug, scenario_hash: hashOf(stored, 'park/scenario.json') });
  const play = async (slug: string, turns: number, last: number): Promise<void> => {
    await call(author, 'run_turn', { world_slug: slug, turns, reason: 'to see what happens' });
    await whileWorking(stage, () =>
      waitUntil(async () => (await call<{ turn: number }>(author, 'get_world', { world_slug: slug })).turn === last),
    );
  };
  await play(world_slug, 3, 3);

  const { rows } = await call<{ rows: readonly { turn: number; llm_call_id: string; state_after: string }[] }>(
    operator,
    'entity_history',
    { world_slug, entity_id: 'Bob' },
  );
  const bought = rows.find(({ state_after }) => state_after.includes('candy bar in his hand'));
  assert.equal(bought?.turn, 2);
  const decided = await call<{ messages: readonly { content: string }[]; raw_text: string }>(operator, 'get_llm_call', {
    llm_call_id: bought.llm_call_id,
  });
  assert.match(JSON.stringify(decided.messages), /will not be refilled|no more/i);

  const act = documents.find(({ path }) => path === 'park/bob.user.md');
  assert.ok(act);
  act.content = `${act.content}\nYou have promised to spend no money today.\n`;
  const other = await call<Stored>(author, 'put_documents', asSent());
  const scenario = hashOf(other, 'park/scenario.json');
  assert.notEqual(scenario, hashOf(stored, 'park/scenario.json'));
  const reason = 'would he buy it with a promise';
  await call(author, 'fork_world', { world_slug, at_turn: 1, as: 'promised-park', scenario, reason });
  const kept = 'both dollars in his pocket';
  const script = JSON.stringify(await loadScript('park'));
  stage.model.setScript(JSON.parse(script.replaceAll('half a candy bar in his hand, one dollar in his pocket', kept)));
  await play('promised-park', 1, 2);
  const diff = await call<{ changes: readonly unknown[] }>(author, 'diff_turns', {
    world_slug,
    from: 2,
    to: 2,
    other: 'promised-park',
  });
  assert.match(JSON.stringify(diff.changes), new RegExp(`bob[^]*${kept}`));
  const denied = await author.callTool({ name: 'get_llm_call', arguments: { llm_call_id: bought.llm_call_id } }).then(
    (called) => called.isError,
    () => true,
  );
  assert.equal(denied, true, 'a consumer sees no prompt');
});
