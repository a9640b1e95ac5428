import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '../../engine/contract/json.js';
import { canonicalText } from '../../engine/core/content/canonical.js';
import { sha256 } from '../../engine/core/content/sha256.js';
import { importWorlds } from '../../engine/operations/worlds/transfer-worlds.js';
import { sharedStage } from '../support/park-stage.js';
import { makeFolder } from '../support/folder.js';

const sharedStageOf = sharedStage('PostgreSQL');

const without = (document: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(document).filter(([member]) => member !== name));

/** By table: a document that no command would store, and the reason to refuse it. */
const FORGED: Readonly<Record<string, readonly [(document: JsonObject) => JsonObject, RegExp]>> = {
  scenarios: [(it) => ({ ...it, entities: [7] }), /line \d+: scenarios\.content\/entities\/0: /],
  cognition_profiles: [(it) => ({ ...it, label: 'Not a label' }), /line \d+: cognition_profiles\.content\/label: /],
  cognition_workflows: [(it) => ({ ...it, nodes: { act: 7 } }), /line \d+: cognition_workflows\.content\/nodes: /],
  response_sources: [(it) => without(it, 'interface'), /line \d+: response_sources\.content: .*interface/],
  tool_policies: [(it) => ({ ...it, allow: 'all' }), /line \d+: tool_policies\.content\/allow: /],
  json_schemas: [(it) => ({ ...it, type: 'text' }), /line \d+: json_schemas\.content\/type: /],
};

test('an import refuses a document that its schema refuses, with its place, and stores nothing', async (t) => {
  const { engine, play } = await sharedStageOf();
  const { world_slug } = await play({ scenario: 'park' });
  const folder = await makeFolder(t);
  const lines: string[] = [];
  await engine.store.transfer.export([world_slug], async (line) => void lines.push(line));
  assert.equal((await engine.store.worlds.delete(world_slug)).kind, 'deleted');
  const importWith = async (change: (line: string) => readonly string[]) => {
    const changed = lines.slice(0, -1).flatMap(change);
    const digest = sha256(changed.map((line) => `${line}\n`).join(''));
    const end = JSON.stringify({ rows: changed.length - 1, sha256: digest });
    await writeFile(join(folder, 'world.jsonl'), [...changed, end].join('\n'));
    const imported = await importWorlds(engine, { file: 'world.jsonl', working_folder: folder });
    return imported.ok ? 'imported' : imported.problems.map(({ code, message }) => `${code}: ${message}`).join();
  };
  for (const [table, [forge, reason]] of Object.entries(FORGED)) {
    let forged = 0;
    const outcome = await importWith((line) => {
      if (forged > 0 || !line.startsWith(`{"table":"${table}"`)) return [line];
      forged += 1;
      const { row } = JSON.parse(line) as { readonly row: JsonObject & { readonly content: JsonObject } };
      const content = canonicalText(forge(row.content));
      const head = JSON.stringify({ ...row, hash: sha256(content), content: null });
      return [line, `{"table":"${table}","row":${head.replace('"content":null', `"content":${content}`)}}`];
    });
    assert.equal(forged, 1, table);
    assert.match(outcome, /^WORLD_FILE_DAMAGED/, table);
    assert.match(outcome, reason, table);
  }
  const other = sha256('');
  const outcome = await importWith((line) =>
    line.startsWith('{"table":"cognition_profiles"')
      ? [line.replace(/"workflow_hash":"\w+"/, `"workflow_hash":"${other}"`)]
      : [line],
  );
  assert.match(outcome, /line \d+: cognition_profiles\.workflow_hash/);
  assert.equal(await engine.store.worlds.find(world_slug), undefined);
  assert.equal(await importWith((line) => [line]), 'imported');
});
