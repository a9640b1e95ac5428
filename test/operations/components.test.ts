import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentHash } from '../../engine/core/content/canonical.js';
import { COMPONENT_KINDS } from '../../engine/core/protocol/component.js';
import { getComponent, showUses } from '../../engine/operations/authoring/components.js';
import type { Engine } from '../../engine/operations/engine.js';
import type { Store } from '../../engine/store/open-store.js';
import { forEachDatabase } from '../support/databases.js';

/** An engine with a store and nothing else. */
const over = (store: Store): Engine => ({ store }) as unknown as Engine;

/** Two schemas whose hashes begin alike; found by trying numbers, since no two documents can be made to order. */
function findTwins(digits: number) {
  const seen = new Map<string, number>();
  for (let number = 0; ; number += 1) {
    const begins = contentHash({ const: number }).slice(0, digits);
    const other = seen.get(begins);
    if (other !== undefined) return [other, number].map((value) => ({ const: value }));
    seen.set(begins, number);
  }
}

forEachDatabase('components by the first digits of their hash', (open) => {
  test('digits that several documents share are refused, and the candidates named', async () => {
    const { store } = await open();
    const twins = findTwins(8).map((content) => ({
      kind: 'json_schema' as const,
      hash: contentHash(content),
      content,
      refers_to: [],
    }));
    await store.components.put(twins);
    const [one, other] = twins.map(({ hash }) => hash).toSorted() as [string, string];
    const shared = one.slice(0, 8);
    const refused = await getComponent(over(store), { kind: 'json_schema', hash: shared });
    assert.ok(!refused.ok);
    assert.equal(refused.problems[0]?.code, 'COMPONENT_AMBIGUOUS');
    assert.deepEqual(refused.problems[0].details, { candidates: [one, other] });
    assert.ok(refused.problems[0].repair?.includes(`${one}, ${other}`));
    for (const { hash, content } of twins) {
      const found = await getComponent(over(store), { kind: 'json_schema', hash });
      assert.deepEqual(found.ok && found.value.content, content);
    }
    const uses = await showUses(over(store), { kind: 'json_schema', hash: shared });
    assert.equal(uses.ok, false);
  });

  test('a document that is not stored is refused by the code of its kind', async () => {
    const { store } = await open();
    for (const kind of COMPONENT_KINDS) {
      const refused = await getComponent(over(store), { kind, hash: 'f'.repeat(64) });
      assert.equal(refused.ok ? undefined : refused.problems[0]?.code, `UNKNOWN_${kind.toUpperCase()}`);
    }
  });

  for (const hash of ['', 'abcdef0', 'xyzxyzxyz', `${'a'.repeat(64)}0`, '%'.repeat(8), "' OR 1=1 --"]) {
    test(`${JSON.stringify(hash)} is not taken for a hash`, async () => {
      const { store } = await open();
      const refused = await getComponent(over(store), { kind: 'scenario', hash });
      assert.equal(refused.ok ? undefined : refused.problems[0]?.code, 'COMPONENT_HASH_INVALID');
    });
  }
});
