import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '../../engine/contract/json.js';
import {
  askAuthoriser,
  type Authorise,
  type AuthorisationQuestion,
  withinTime,
} from '../../engine/sources/authorise.js';
import { ask, jsonCall, openTestSources, serve, summary, writePlugin } from './harness.js';
import { makeFolder } from '../support/folder.js';

const QUESTION: AuthorisationQuestion = {
  actor_id: 'agent:bob',
  tenant_id: 'world:park',
  action: 'tool.execute',
  tool: { id: 'pay', kind: 'model_elected_tool', effect: 'external_side_effect', source: 'bank' },
  client_request_id: 'park~1/turn-1/bob/act/round-1/try-1/tool',
};

const answering =
  (answer: string, status = 200) =>
  async (t: Parameters<typeof serve>[0]) =>
    askAuthoriser({ kind: 'url', url: await serve(t, (_, response) => response.writeHead(status).end(answer)) });
const running = (command: string) => async () => askAuthoriser({ kind: 'command', command });

type Make = (t: Parameters<typeof serve>[0]) => Promise<Authorise>;

const ANSWERS: readonly (readonly [what: string, make: Make, reason: RegExp | undefined])[] = [
  ['a service that allows it', answering('{"allowed":true}'), undefined],
  ['a service that does not', answering('{"allowed":false,"reason":"not on Sundays"}'), /^not on Sundays$/],
  ['a service that gives no reason', answering('{"allowed":false}'), /does not allow it/],
  ['a service that says something else', answering('{"allowed":"yes"}'), /could not be asked: it did not answer/],
  ['a service that answers with a status', answering('{"allowed":true}', 500), /could not be asked: .*status 500/],
  ['a service that sends on', answering('{"allowed":true}', 302), /could not be asked/],
  ['a service that answers too much', answering(' '.repeat(70_000)), /too long/],
  [
    'a service that is not there',
    async () => askAuthoriser({ kind: 'url', url: 'http://127.0.0.1:9' }),
    /out of reach/,
  ],
  [
    'a service that never answers',
    async (t) => askAuthoriser({ kind: 'url', url: await serve(t, () => {}) }),
    /could not be asked/,
  ],
  ['a command that allows it', running(`grep -q '"actor_id":"agent:bob"' && echo '{"allowed": true}'`), undefined],
  ['a command that does not', running(`cat > /dev/null; echo '{"allowed": false, "reason": "no"}'`), /^no$/],
  ['a command that fails', running('exit 3'), /could not be asked: its command ended with 3/],
  ['a command that never ends', running('sleep 600 & sleep 600'), /did not answer within|ended with a signal/],
  [
    'a function that throws',
    async () => async () => {
      throw new Error('broken');
    },
    /could not be asked: broken/,
  ],
  ['a function that never settles', async () => () => new Promise(() => {}), /did not answer within 300 ms/],
];

for (const [what, make, reason] of ANSWERS)
  test(`${what} is ${reason === undefined ? 'a yes' : 'a no'}`, async (t) => {
    const patience_ms = /never/.test(what) ? 300 : undefined;
    const verdict = await withinTime(await make(t), QUESTION, patience_ms);
    assert.equal(verdict.allowed, reason === undefined);
    if (!verdict.allowed && reason) assert.match(verdict.reason, reason);
  });

test('a call is asked about with its actor, its world and its tool, and the plugin is told the same', async (t) => {
  const folder = await makeFolder(t);
  const entry = `export default { open: () => ({ invoke: async (_, { actor_id, tenant_id, graph_id }) =>
    ({ value: { actor_id, tenant_id, graph_id } }) }) };`;
  await writePlugin(folder, 'odd', entry);
  const asked: AuthorisationQuestion[] = [];
  const authorise: Authorise = async (question) => {
    asked.push(question);
    return { allowed: true };
  };
  const sources = await openTestSources(t, { folders: [folder], authorise: [authorise] });
  const answered = await ask(sources, jsonCall({ subject_id: 'bob', tool_name: 'pay' }, { name: 'odd' }));
  const [question] = asked;
  const identity = (summary(answered) as JsonObject)['succeeded'] as JsonObject;
  assert.deepEqual([question?.actor_id, question?.tool.id], ['agent:bob', 'pay']);
  assert.deepEqual(identity, {
    actor_id: question?.actor_id,
    tenant_id: question?.tenant_id,
    ...(question?.graph_id === undefined ? {} : { graph_id: question.graph_id }),
  });
});

test('no field of the types that say for whom a call is made can hold a secret', async () => {
  const text = await readFile(join(import.meta.dirname, '../../engine/contract/source.ts'), 'utf8');
  for (const name of ['Identity', 'InvocationContext']) {
    const body = new RegExp(`export interface ${name}[^{]*\\{([\\s\\S]*?)\\n\\}`).exec(text)?.[1] ?? '';
    const fields = [...body.matchAll(/readonly (\w+)\??:/g)].map(([, field = '']) => field);
    assert.ok(fields.length > 3);
    assert.deepEqual(
      fields.filter((field) => /token|secret|key|pass|header|credential|cookie|authorization/i.test(field)),
      [],
    );
  }
});
