import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachDatabase } from '../support/databases.js';
import { DOCUMENTS } from './record-fixtures.js';

const all = Object.values(DOCUMENTS);
const { profile, scenario, workflow, schema } = DOCUMENTS;

forEachDatabase('components', (open) => {
  test('a put whose reference has no target stores nothing at all', async () => {
    const { store } = await open();
    await assert.rejects(store.components.put([DOCUMENTS.policy, scenario]), { code: '23503' });
    assert.equal(await store.components.find('tool_policy', DOCUMENTS.policy.hash), undefined);
  });

  test('documents are stored in any order, once, and found by kind and hash', async () => {
    const { store } = await open();
    assert.equal(await store.components.put(all.toReversed()), all.length);
    assert.equal(await store.components.put(all), 0);
    assert.deepEqual(await store.components.find('scenario', scenario.hash), {
      kind: 'scenario',
      hash: scenario.hash,
      content: scenario.content,
    });
    assert.equal(await store.components.find('json_schema', scenario.hash), undefined);
  });

  test('a closure holds everything that a document refers to, and itself', async () => {
    const { store } = await open();
    await store.components.put(all);
    const names = async (root: typeof scenario) =>
      (await store.components.closure(root.kind, root.hash)).map(({ kind, hash }) => `${kind} ${hash}`).sort();
    assert.deepEqual(await names(scenario), all.map(({ kind, hash }) => `${kind} ${hash}`).sort());
    assert.deepEqual(await names(schema), [`json_schema ${schema.hash}`]);
    assert.deepEqual(await store.components.closure('scenario', schema.hash), []);
  });

  test('a profile without a workflow is refused', async () => {
    const { store } = await open();
    const mindless = { ...profile, hash: 'f'.repeat(64), refers_to: [] };
    await assert.rejects(store.components.put([mindless]), { code: '23502' });
  });

  test('content is kept as canonical text, member for member', async () => {
    const { store, outside } = await open();
    await store.components.put(all);
    const rows = await outside.query<{ text: string }>(
      'SELECT content::text AS text FROM cognition_workflows WHERE hash = $1',
      [workflow.hash],
    );
    assert.deepEqual(rows, [{ text: '{"label":"act","version":1}' }]);
  });
});
