import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type * as JsonService from 'vscode-json-languageservice';
import type { JsonObject } from '../../engine/contract/json.js';
import { compose } from '../../engine/main.js';
import { SCHEMA_OF_KIND } from '../../engine/core/workflow/link/document-kind.js';
import { runCommandLine } from '../../engine/surfaces/cli/command-line.js';
import { openTestTerminal } from '../surfaces/cli/test-terminal.js';
import { PACKAGE_ROOT } from './document-parts.js';
import { makeFolder } from '../support/folder.js';

// The service that VS Code and many other editors complete and check JSON with, told nothing but what `$schema` says.

const { getLanguageService, TextDocument } = createRequire(import.meta.url)(
  'vscode-json-languageservice',
) as typeof JsonService;
const CURSOR = '|';

function openService(): JsonService.LanguageService {
  return getLanguageService({
    schemaRequestService: (uri) => readFile(fileURLToPath(uri), 'utf8'),
    workspaceContext: { resolveRelativePath: (path, resource) => new URL(path, resource).href },
  });
}

/** A document as an editor has it open, and where its cursor stands. */
function open(name: string, written: string) {
  const offset = written.indexOf(CURSOR);
  const text = offset < 0 ? written : written.slice(0, offset) + written.slice(offset + 1);
  const document = TextDocument.create(pathToFileURL(join(PACKAGE_ROOT, name)).href, 'json', 1, text);
  const service = openService();
  return { service, document, json: service.parseJSONDocument(document), position: document.positionAt(offset) };
}

/** An editor's offers at the cursor. */
async function offeredAt(name: string, written: string): Promise<readonly string[]> {
  const { service, document, json, position } = open(name, written);
  const list = await service.doComplete(document, position, json);
  return (list?.items ?? []).map(({ label }) => label).toSorted();
}

/** The places that an editor underlines, and why. */
async function underlinedIn(name: string, written: string): Promise<readonly string[]> {
  const { service, document, json } = open(name, written);
  const diagnostics = await service.doValidation(document, json, { schemaRequest: 'error', schemaValidation: 'error' });
  return diagnostics.map(({ range, message }) => `${document.getText(range)}: ${JSON.stringify(message)}`);
}

async function readSchema(file: string): Promise<JsonObject> {
  return JSON.parse(await readFile(join(PACKAGE_ROOT, 'schemas', file), 'utf8')) as JsonObject;
}

test('an editor with the schemas that chukwa wrote completes the interface of a source by its plugin, and underlines a wrong field', async (t) => {
  const folder = await makeFolder(t);
  const composition = await compose({ CHUKWA_PLUGIN_PATH: join(PACKAGE_ROOT, 'test/support/plugins') });
  const words = ['schemas', '--write', join(folder, 'schemas')];
  assert.equal(await runCommandLine(composition, words, openTestTerminal()), 0);
  const source = (members: string) =>
    `{ "$schema": "${folder}/schemas/response-source.schema.json", "version": 1, "label": "a", "interface": { ${members} } }`;
  const file = join('..', 'source.json');
  assert.deepEqual(await offeredAt(file, source('"name": "ollama_native", |')), [
    'form',
    'patience_ms',
    'think',
    'tools',
    'weights',
    'weights_env',
  ]);
  assert.ok((await offeredAt(file, source('"name": |'))).includes('"http_json"'));
  const underlined = await underlinedIn(file, source('"name": "ollama_native", "url_env": "CHUKWA_A_URL"'));
  assert.deepEqual(
    underlined.map((line) => line.split(':')[0]),
    ['"url_env"'],
  );
  const schema = JSON.parse(await readFile(join(folder, 'schemas/response-source.schema.json'), 'utf8')) as JsonObject;
  const validate = new Ajv2020({ strict: false }).compile(schema);
  const isValid = (wire: JsonObject) => validate({ version: 1, label: 'a', interface: wire });
  assert.equal(isValid({ name: 'ollama_native', weights: 'tiny' }), true);
  assert.equal(isValid({ name: 'ollama_native', weights: 7 }), false);
  assert.equal(isValid({ name: 'http_json', method: 'GET', url_env: 'CHUKWA_A_URL', path: '/' }), true);
  assert.equal(isValid({ name: 'http_json', method: 'GET', url_env: 'CHUKWA_A_URL', weights: 'tiny' }), false);
  assert.equal(isValid({ name: 'no_such_plugin' }), false);
});

test('an editor with the schemas that chukwa wrote for a project offers the ids of its entities, places and nodes', async (t) => {
  const folder = await makeFolder(t);
  const words = ['schemas', join(PACKAGE_ROOT, 'workflows/village'), '--write', join(folder, 'schemas')];
  const terminal = openTestTerminal({ working_folder: PACKAGE_ROOT });
  assert.equal(await runCommandLine(await compose({}), words, terminal), 0, terminal.error_text());
  const offered = (kind: string, members: string) =>
    offeredAt(join('..', 'draft.json'), `{ "$schema": "${folder}/schemas/${kind}.schema.json", ${members} }`);
  const scenario = JSON.parse(
    await readFile(join(PACKAGE_ROOT, 'workflows/village/scenario.json'), 'utf8'),
  ) as JsonObject & {
    readonly entities: readonly { readonly id: string }[];
    readonly environments: readonly { readonly label: string }[];
  };
  const entities = scenario.entities.map(({ id }) => `"${id}"`).toSorted();
  const environments = scenario.environments.map(({ label }) => `"${label}"`).toSorted();
  const has = (offers: readonly string[], ids: readonly string[]) =>
    assert.deepEqual(
      ids.filter((id) => !offers.includes(id)),
      [],
      offers.join(),
    );
  has(await offered('world-patch', '"effects": [{ "op": "set_entity_state", "entity_id": | }]'), entities);
  has(await offered('scenario', '"cognition": [{ "subjects": [|] }]'), entities);
  has(await offered('scenario', '"entities": [{ "environment": | }]'), environments);
  has(await offered('workflow-test', '"expect": { "turns": { "1": { "patches": [{ "subject": | }] } } }'), entities);
  has(await offered('workflow', '"apply": { "from": | }'), ['"act.final"']);
  assert.deepEqual(
    await underlinedIn(
      '../draft.json',
      `{ "$schema": "${folder}/schemas/workflow.schema.json", "version": 1, "execution": "per_subject_ordered", "ambient_sources": [], "nodes": [], "apply": { "from": "later.final" } }`,
    ).then((lines) => lines.filter((line) => line.includes('later.final'))),
    [],
  );
});

const { prompt_text: _noJsonFile, ...SCHEMA_OF_JSON_FILE } = SCHEMA_OF_KIND;

for (const [kind, file] of Object.entries(SCHEMA_OF_JSON_FILE)) {
  test(`an editor offers every field of a ${kind}, and underlines what it must not have`, async () => {
    const schema = await readSchema(file);
    const alternatives = (schema['oneOf'] ?? [schema]) as readonly { readonly properties: JsonObject }[];
    const names = alternatives.flatMap(({ properties }) => Object.keys(properties));
    const fields = [...new Set(names)].filter((name) => name !== '$schema');
    assert.ok(fields.length > 1);
    const begun = `{\n  "$schema": "../schemas/${file}",\n  |\n}`;
    assert.deepEqual(await offeredAt('workflows/draft.json', begun), fields.toSorted());
    const underlined = await underlinedIn('workflows/draft.json', begun.replace('|', '"nonsense": 1'));
    assert.ok(
      underlined.some((line) => line.startsWith('"nonsense": ')),
      underlined.join('\n'),
    );
  });
}

const inWorkflow = (node: string): string =>
  `{ "$schema": "../schemas/workflow.schema.json", "nodes": [${node}], "ambient_sources": [{ "effect": "read_only" }] }`;

test('an editor offers what a node of a workflow can be and have', async () => {
  const types = await offeredAt('workflows/draft.json', inWorkflow('{ "id": "a", "type": | }'));
  assert.deepEqual(types, ['"llm_json"', '"llm_tool_loop"', '"source_call"']);
  const fields = await offeredAt('workflows/draft.json', inWorkflow('{ "id": "a", "type": "source_call", | }'));
  for (const field of ['source_ref', 'request_template', 'effect', 'redaction', 'result_schema_ref'])
    assert.ok(fields.includes(field), fields.join());
  const effects = await offeredAt('workflows/draft.json', inWorkflow('{ "type": "source_call", "effect": | }'));
  assert.deepEqual(effects, ['"external_side_effect"', '"read_only"', '"state_change"']);
});

test('an editor describes a field under the pointer', async () => {
  const { service, document, json, position } = open(
    'workflows/draft.json',
    inWorkflow('{ "type": "source_call", "eff|ect": "read_only" }'),
  );
  const hover = await service.doHover(document, position, json);
  assert.match(JSON.stringify(hover?.contents), /The effect of a call on the outside/);
});

test('an editor offers keywords in a JSON Schema, whose dialect it knows by itself', async () => {
  const begun = '{ "$schema": "https://json-schema.org/draft/2020-12/schema", "properties": { "a": { | } } }';
  const keywords = await offeredAt('workflows/schemas/draft.json', begun);
  for (const keyword of ['type', 'prefixItems', 'additionalProperties', '$ref'])
    assert.ok(keywords.includes(keyword), `${keyword} is not among ${keywords.join(', ')}`);
});

test('an editor underlines nothing in the documents that ship', async () => {
  const names = (await readdir(join(PACKAGE_ROOT, 'workflows'), { recursive: true }))
    .filter((name) => name.endsWith('.json'))
    .map((name) => join('workflows', name));
  assert.ok(names.length > 20, `${names.length} documents`);
  for (const name of names)
    assert.deepEqual(await underlinedIn(name, await readFile(join(PACKAGE_ROOT, name), 'utf8')), [], name);
});
