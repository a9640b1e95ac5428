import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadShippedSchemas } from '../../engine/operations/documents/index.js';
import { createCompileSchema, createValidateDocument, createValidateShape } from '../../engine/schema/index.js';
import { PACKAGE_ROOT } from '../documents/document-parts.js';

const shipped = await loadShippedSchemas(join(PACKAGE_ROOT, 'schemas'));
const shape = createValidateShape(shipped, createCompileSchema());
const source = (definition: object): { version: number; label: string; interface: never } => ({
  version: 1,
  label: 'a',
  interface: definition as never,
});

test("a source's interface is judged by the plugin that it names, at its place in the source", () => {
  const plugin = {
    name: 'http_json',
    validateInterface: () => [{ code: 'BAD_VALUE' as const, message: 'no good', repair: 'Mend it.', pointer: '/path' }],
  };
  const validate = createValidateDocument(shape, [plugin]);
  assert.deepEqual(validate('response_source', source({ name: 'http_json' })), [
    { code: 'BAD_VALUE', message: 'no good', repair: 'Mend it.', pointer: '/interface/path' },
  ]);
});

test('a plugin is not asked about a source that is malformed already', () => {
  const plugin = { name: 'http_json', validateInterface: (): never => assert.fail('asked') };
  const problems = createValidateDocument(shape, [plugin])('response_source', {
    ...source({ name: 'http_json' }),
    extra: 1,
  });
  assert.deepEqual(
    problems.map(({ code, pointer }) => `${code} ${pointer}`),
    ['UNKNOWN_FIELD /extra'],
  );
});

test('an unknown plugin is named with those that there are', () => {
  const [problem] = createValidateDocument(shape, [{ name: 'http_json', validateInterface: () => [] }])(
    'response_source',
    source({ name: 'smtp' }),
  );
  assert.equal(problem?.code, 'PLUGIN_UNKNOWN');
  assert.equal(problem?.repair, 'Known: http_json.');
});

test('a bare text in place of a reference is shown as a path, and another value by the example', () => {
  const repairOf = (workflow_ref: unknown) =>
    shape('cognition_profile', { version: 1, label: 'a', workflow_ref } as never).map(({ code, repair }) => [
      code,
      repair,
    ]);
  assert.deepEqual(repairOf('./workflow.json'), [['NO_ALTERNATIVE', 'Write {"path": "./workflow.json"}.']]);
  assert.deepEqual(repairOf({ file: 1 }), [['NO_ALTERNATIVE', 'Write for example {"path": "./name.json"}.']]);
});

test('a JSON Schema document is an object', () => {
  assert.deepEqual(
    shape('json_schema', true).map(({ code }) => code),
    ['WRONG_TYPE'],
  );
  assert.deepEqual(shape('json_schema', { $schema: 'https://json-schema.org/draft/2020-12/schema' }), []);
});

test('a prompt message holds at most 65,536 characters', () => {
  const codesOf = (length: number): readonly string[] => {
    const prompt_template = { messages: [{ role: 'user', content: 'a'.repeat(length) }] };
    const nodes = [{ id: 'act', type: 'llm_json', prompt_template }];
    const found = shape('cognition_workflow', { version: 1, execution: 'per_subject_ordered', nodes });
    return found
      .filter(({ pointer }) => pointer?.endsWith('/content'))
      .map(({ code, message }) => `${code}: ${message}`);
  };
  assert.deepEqual(codesOf(65_536), []);
  assert.deepEqual(codesOf(65_537), ['BAD_VALUE: must have at most 65536 characters']);
});

test('a misspelt field is one finding, and not also that the field is missing', () => {
  const profile = { version: 1, label: 'a', workflow_reff: { path: './w.json' } };
  assert.deepEqual(
    shape('cognition_profile', profile).map(({ code, pointer }) => [code, pointer]),
    [['UNKNOWN_FIELD', '/workflow_reff']],
  );
  assert.deepEqual(
    shape('cognition_profile', { version: 1, label: 'a', other: 1 }).map(({ code }) => code),
    ['MISSING_FIELD', 'UNKNOWN_FIELD'],
  );
});

test('a plugin that is there and left out is not called unknown', () => {
  const taken = {
    code: 'PLUGIN_NAME_TAKEN' as const,
    message: 'several',
    repair: 'Mend it.',
    details: { name: 'tide_table' },
  };
  const validate = createValidateDocument(shape, [], [taken]);
  const [problem] = validate('response_source', { version: 1, label: 'tides', interface: { name: 'tide_table' } });
  assert.equal(problem?.code, 'PLUGIN_UNKNOWN');
  assert.equal(problem?.message, 'the plugin "tide_table" is there, and is left out (PLUGIN_NAME_TAKEN)');
  assert.match(problem?.repair ?? '', /chukwa plugin list/);
});
