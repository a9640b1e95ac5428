import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import { compileShipped } from '../../engine/schema/compile-schema.js';
import { listSubschemas } from '../../engine/core/content/subschemas.js';
import { SHIPPED_PLUGINS } from '../sources/harness.js';

async function readSchema(path: string): Promise<JsonObject> {
  return JSON.parse(await readFile(path, 'utf8')) as JsonObject;
}

const plugins = (await readdir(SHIPPED_PLUGINS, { withFileTypes: true })).filter((entry) => entry.isDirectory());
const interfaces = new Map<string, JsonObject>();
for (const { name } of plugins)
  interfaces.set(name, await readSchema(join(SHIPPED_PLUGINS, name, 'interface.schema.json')));

const source = compileShipped(await readSchema(join(SHIPPED_PLUGINS, '..', 'schemas', 'response-source.schema.json')));

/** The faults of an interface, by the schema of the plugin that it names. */
function judgeInterface(value: Json): readonly unknown[] {
  const schema = interfaces.get((value as { readonly name: string }).name);
  assert.ok(schema, `${JSON.stringify(value)} names no plugin that ships`);
  return compileShipped(schema)(value);
}

for (const [name, schema] of interfaces) {
  test(`the interface schema of ${name} has an example, and each of its examples is valid`, () => {
    const examples = listSubschemas(schema).flatMap(({ pointer, schema: part }) =>
      typeof part === 'object' && part !== null && 'examples' in part
        ? (part['examples'] as readonly Json[]).map((example) => ({ pointer, part, example }))
        : [],
    );
    assert.ok(examples.some(({ pointer }) => pointer === ''));
    for (const { pointer, part, example } of examples)
      assert.deepEqual(compileShipped({ $defs: schema['$defs'] ?? {}, ...part })(example), [], pointer);
  });

  test(`the README of ${name} shows a source, each that it shows is one, and its table has every member`, async () => {
    const text = await readFile(join(SHIPPED_PLUGINS, name, 'README.md'), 'utf8');
    const documents = [...text.matchAll(/^```json\n([\s\S]*?)^```/gm)]
      .map(([, json = '']) => JSON.parse(json) as JsonObject)
      .filter((document) => 'interface' in document);
    assert.notEqual(documents.length, 0);
    for (const document of documents) {
      assert.deepEqual(source(document), []);
      assert.deepEqual(judgeInterface(document['interface'] as Json), []);
    }
    const members = Object.keys(schema['properties'] as JsonObject).filter((member) => member !== 'name');
    const rows = [...text.matchAll(/^\|([^|]*)\|/gm)].flatMap(([, cell = '']) => cell.match(/`[^`]+`/g) ?? []);
    assert.deepEqual(
      members.filter((member) => !rows.includes(`\`${member}\``)),
      [],
    );
  });
}

test('the example of an interface in the schema of sources is one of a plugin', async () => {
  const schema = await readSchema(join(SHIPPED_PLUGINS, '..', 'schemas', 'response-source.schema.json'));
  const { interface: part } = schema['properties'] as { readonly interface: JsonObject };
  for (const example of part['examples'] as readonly Json[]) assert.deepEqual(judgeInterface(example), []);
});
