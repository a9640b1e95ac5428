import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentHash } from '../../engine/core/content/canonical.js';
import type { ComponentSummary } from '../../engine/ports/components.js';
import { forEachDatabase } from '../support/databases.js';
import { DOCUMENTS, makeWorld } from './record-fixtures.js';

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
    assert.deepEqual(rows, [{ text: '{"ambient_sources":[],"apply":{"from":"act.final"},"label":"act","version":1}' }]);
  });

  test('documents are listed by kind with what they call themselves, and counted', async () => {
    const { store } = await open();
    await store.components.put(all);
    const sources = await store.components.list('response_source');
    assert.deepEqual(
      sources.map(({ kind, label }) => `${kind} ${label}`),
      ['response_source model', 'response_source toy'],
    );
    for (const { created_at } of sources) assert.ok(!Number.isNaN(Date.parse(created_at)), created_at);
    const [only] = await store.components.list('json_schema');
    assert.deepEqual([only?.hash, only?.label], [schema.hash, null]);
    const counts = await store.components.count();
    assert.equal(counts.get('response_source'), 2);
    assert.equal(counts.get('scenario'), 1);
  });

  test('uses goes both ways by one step, and from a scenario to its worlds', async () => {
    const { store } = await open();
    await makeWorld(store, 'using');
    const uses = async (of: typeof scenario) => {
      const { refers_to, used_by, worlds } = await store.components.uses(of.kind, of.hash);
      return { refers_to: refers_to.map(nameOf), used_by: used_by.map(nameOf), worlds };
    };
    assert.deepEqual(await uses(scenario), { refers_to: ['cognition_profile mind'], used_by: [], worlds: ['using'] });
    assert.deepEqual(await uses(workflow), {
      refers_to: ['json_schema null', 'response_source model', 'response_source toy'],
      used_by: ['cognition_profile mind'],
      worlds: [],
    });
    assert.deepEqual(await uses(schema), { refers_to: [], used_by: ['cognition_workflow act'], worlds: [] });
  });

  test('the first digits of a hash find all that begin so, of every kind, and nothing else', async () => {
    const { store } = await open();
    const schemas = Array.from({ length: 40 }, (_, index) => ({ title: `number ${index}` }));
    const stored = schemas.map((content) => ({ ...schema, hash: contentHash(content), content }));
    await store.components.put([...stored, ...all]);
    for (const digits of [...'0123456789abcdef'.split(''), ...stored.map(({ hash }) => hash.slice(0, 2))]) {
      const found = await store.components.startingWith(digits);
      const expected = [...stored, ...all].filter(({ hash }) => hash.startsWith(digits)).map(({ hash }) => hash);
      assert.deepEqual(found.map(({ hash }) => hash).toSorted(), expected.toSorted(), digits);
    }
    assert.deepEqual((await store.components.startingWith(scenario.hash)).map(nameOf), ['scenario park']);
  });
});

function nameOf({ kind, label }: ComponentSummary): string {
  return `${kind} ${label}`;
}
