import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import { compileShipped, createCompileSchema } from '../../engine/schema/compile-schema.js';
import { listSubschemas } from '../../engine/core/content/subschemas.js';

const SCHEMAS = fileURLToPath(new URL('../../schemas', import.meta.url));
const names = (await readdir(SCHEMAS)).filter((name) => name.endsWith('.json'));

async function readSchema(name: string): Promise<JsonObject> {
  return JSON.parse(await readFile(join(SCHEMAS, name), 'utf8')) as JsonObject;
}

test('every example of a shipped schema is a valid value', async () => {
  let count = 0;
  for (const name of names) {
    const schema = await readSchema(name);
    for (const { pointer, schema: part } of listSubschemas(schema)) {
      if (typeof part !== 'object' || part === null || !('examples' in part)) continue;
      const validate = compileShipped({ $defs: schema['$defs'] ?? {}, ...part });
      for (const example of part['examples'] as readonly Json[]) {
        count += 1;
        assert.deepEqual(validate(example), [], `${name}${pointer}`);
      }
    }
  }
  assert.ok(count > 40, `${count} examples`);
});

/** The repairs of a document, by pointer and code. */
async function repairsOf(name: string, document: Json): Promise<ReadonlyMap<string, string | undefined>> {
  const problems = compileShipped(await readSchema(name))(document);
  return new Map(
    problems.map(({ code, message, repair }) => [
      `${code} ${/"(\w+)" is missing/.exec(message)?.[1] ?? ''}`.trim(),
      repair,
    ]),
  );
}

test('a workflow that lacks what a node must have is shown how to write it', async () => {
  const workflow = {
    version: 1,
    execution: 'per_subject_ordered',
    ambient_sources: [{ id: 'weather' }],
    nodes: [{ type: 'llm_tool_loop', id: 'act' }],
    apply: { from: 'act.final' },
  };
  const repairs = await repairsOf('workflow.schema.json', workflow);
  const shown = {
    constraints: '"constraints": {"token_budget": 20000, "timeout_seconds": 60}',
    redaction: '"redaction": {"allow": ["/status", "/messages/*/kind"]}',
    projection: '"projection": {"scope": "world", "memory": {"recent": 10}}',
    effect: '"effect": "read_only"',
    final_schema_ref: '"final_schema_ref": {"path": "chukwa:world-patch.schema.json"}',
  };
  for (const [field, example] of Object.entries(shown))
    assert.ok(repairs.get(`MISSING_FIELD ${field}`)?.startsWith(`Add it, such as ${example}.`), field);
});

test('an example shows the fixed value of a const, and follows the description', async () => {
  const repairs = await repairsOf('tool-policy.schema.json', { label: 'few', require_approval: [], budgets: {} });
  assert.equal(repairs.get('MISSING_FIELD version'), 'Add it, such as "version": 1.');
  assert.match(repairs.get('MISSING_FIELD allow') ?? '', /^Add it, such as "allow": \["buy_candy"\]\. Tool ids,/);
});

test('a value of the wrong type, and one that is no moment, are shown one that is right', async () => {
  const scenario = {
    version: 1,
    label: 'x',
    start_time: 'noon',
    chronon_seconds: 'ten',
    environments: [],
    entities: [],
    cognition: [],
  };
  const problems = compileShipped(await readSchema('scenario.schema.json'))(scenario);
  const at = (pointer: string) => problems.find((problem) => problem.pointer === pointer)?.repair;
  assert.equal(at('/start_time'), 'Write for example "2025-11-02T17:00:00Z".');
  assert.equal(at('/chronon_seconds'), 'Write for example 600.');
});

test("a format of an author's schema has an example without one being written", () => {
  const compiled = createCompileSchema()('a', { type: 'string', format: 'email' });
  assert.ok(compiled.ok);
  assert.equal(compiled.value('nobody')[0]?.repair, 'Write for example "ada@example.com".');
});
