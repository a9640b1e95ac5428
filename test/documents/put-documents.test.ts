import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import canonicalize from 'canonicalize';
import type { ComponentKind } from '../../engine/core/protocol/component.js';
import { putDocuments } from '../../engine/operations/documents/index.js';
import type { ComponentToStore } from '../../engine/ports/components.js';
import type { Store } from '../../engine/store/open-store.js';
import { documentParts, folderOf, inShort } from './document-parts.js';

const dialect = 'https://json-schema.org/draft/2020-12/schema';
const schema = {
  $schema: dialect,
  type: 'object',
  properties: { b: { type: 'string' }, a: { type: 'number', maximum: 1e21 } },
};
const source = {
  $schema: '../schemas/response-source.schema.json',
  version: 1,
  label: 'weather',
  interface: { name: 'http_json' },
};
const withSchema = { ...source, label: 'typed', request_schema_ref: { path: './schema.json' } };

/** As little of a store as `put` needs: idempotent, and blind to order. */
function memoryStore(): Pick<Store['components'], 'put' | 'closure'> & {
  readonly rows: ReadonlyMap<string, ComponentToStore>;
} {
  const rows = new Map<string, ComponentToStore>();
  return {
    rows,
    put: async (components) => {
      const before = rows.size;
      for (const component of components) rows.set(component.hash, component);
      return rows.size - before;
    },
    closure: async (kind: ComponentKind, hash: string) =>
      [...rows.values()].filter((row) => row.kind === kind && row.hash === hash),
  };
}

function sha256OfCanonical(value: unknown): string {
  return createHash('sha256')
    .update(canonicalize(value) ?? '')
    .digest('hex');
}

test("what is stored is hashed over its canonical form, references as hashes and the editor's $schema dropped", async (t) => {
  const folder = await folderOf(t, { 'schema.json': schema, 'source.json': withSchema });
  const components = memoryStore();
  const result = await putDocuments({ ...(await documentParts(folder)), components }, ['.']);
  assert.ok(result.ok);
  const schemaHash = sha256OfCanonical(schema);
  const { $schema: _, ...rest } = withSchema;
  const linked = { ...rest, request_schema_ref: { hash: schemaHash } };
  assert.deepEqual(result.stored, [
    { kind: 'json_schema', hash: schemaHash, path: 'schema.json' },
    { kind: 'response_source', hash: sha256OfCanonical(linked), path: 'source.json' },
  ]);
  const row = components.rows.get(sha256OfCanonical(linked));
  assert.deepEqual(row?.content, linked);
  assert.deepEqual(row?.refers_to, [{ kind: 'json_schema', hash: schemaHash }]);
});

test('nothing is stored where one of many documents is broken', async (t) => {
  const folder = await folderOf(t, {
    'good.json': source,
    'schema.json': schema,
    'broken.json': { ...source, version: 3 },
  });
  const components = memoryStore();
  const result = await putDocuments({ ...(await documentParts(folder)), components }, ['.']);
  assert.equal(result.ok, false);
  assert.deepEqual(result.findings.map(inShort), ['broken.json:3:3 UNEXPECTED_VALUE at "/version"']);
  assert.equal(components.rows.size, 0);
});

test('putting twice stores once, in any order of members and with any indentation', async (t) => {
  const folder = await folderOf(t, { 'one.json': source });
  const other = await folderOf(t, {
    'two.json': JSON.stringify(Object.fromEntries(Object.entries(source).toReversed())),
  });
  const components = memoryStore();
  const first = await putDocuments({ ...(await documentParts(folder)), components }, ['.']);
  const second = await putDocuments({ ...(await documentParts(other)), components }, ['.']);
  assert.ok(first.ok && second.ok);
  assert.equal(first.new_count, 1);
  assert.equal(second.new_count, 0);
  assert.equal(first.stored[0]?.hash, second.stored[0]?.hash);
});

test('a schema that ships is stored with what refers to it, and only then', async (t) => {
  const shippedRef = { ...withSchema, request_schema_ref: { path: 'chukwa:world-patch.schema.json' } };
  const folder = await folderOf(t, { 'source.json': shippedRef });
  const components = memoryStore();
  const result = await putDocuments({ ...(await documentParts(folder)), components }, ['source.json']);
  assert.ok(result.ok);
  assert.deepEqual(
    result.stored.map(({ kind, path }) => `${kind} ${path}`),
    ['json_schema chukwa:world-patch.schema.json', 'response_source source.json'],
  );
  assert.equal(components.rows.size, 2);
});

test('a hash that neither a file nor the store has is refused at the reference', async (t) => {
  const hash = sha256OfCanonical(schema);
  const folder = await folderOf(t, { 'source.json': { ...source, request_schema_ref: { hash } } });
  const components = memoryStore();
  const parts = { ...(await documentParts(folder)), components };
  const refused = await putDocuments(parts, ['.']);
  assert.deepEqual(refused.findings.map(inShort), ['source.json:8:3 COMPONENT_MISSING at "/request_schema_ref"']);
  assert.equal(components.rows.size, 0);
  await components.put([{ kind: 'json_schema', hash, content: schema, refers_to: [] }]);
  const taken = await putDocuments(parts, ['.']);
  assert.ok(taken.ok);
  assert.equal(components.rows.size, 2);
});
