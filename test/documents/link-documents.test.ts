import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../engine/contract/json.js';
import { contentHash } from '../../engine/core/content/canonical.js';
import { documentKindOf } from '../../engine/core/workflow/link/document-kind.js';
import { bottomUp, findChain } from '../../engine/core/workflow/link/order.js';
import { OPEN_MEMBERS, wantedKind } from '../../engine/core/workflow/link/references.js';
import { resolveWithin } from '../../engine/core/workflow/link/resolve-path.js';
import { linkDocuments } from '../../engine/core/workflow/link.js';
import { loadShippedSchemas } from '../../engine/operations/documents/index.js';
import { documentParts, PACKAGE_ROOT } from './document-parts.js';

function link(files: Readonly<Record<string, JsonObject>>): ReturnType<typeof linkDocuments> {
  const documents = Object.entries(files).map(([path, value]) => ({
    path,
    kind: documentKindOf(path, value),
    value,
    is_sound: true,
  }));
  return linkDocuments(documents, resolveWithin(['/docs']));
}

test('a path within open JSON is data, and stays as it is', () => {
  const template = { photo_ref: { path: './photo.json' } };
  const workflow = { nodes: [{ request_template: template, source_ref: { path: './source.json' } }] };
  const source = { interface: { name: 'x', source_ref: { path: './nowhere.json' } } };
  const { linked, problems } = link({ '/docs/workflow.json': workflow, '/docs/source.json': source });
  assert.deepEqual(problems, []);
  assert.deepEqual(linked.at(-1)?.content, {
    nodes: [{ request_template: template, source_ref: { hash: contentHash(source) } }],
  });
});

test('equal content has one hash, under every path', () => {
  const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema' };
  const source = (path: string): JsonObject => ({ interface: { name: 'x' }, request_schema_ref: { path } });
  const { linked } = link({
    '/docs/a/schema.json': schema,
    '/docs/b/copy.json': schema,
    '/docs/a/source.json': source('./schema.json'),
    '/docs/b/source.json': source('../b/./copy.json'),
  });
  assert.equal(new Set(linked.filter(({ kind }) => kind === 'response_source').map(({ hash }) => hash)).size, 1);
});

test('a document that refers to an unsound one is neither linked nor complained about', () => {
  const broken = { path: '/docs/source.json', kind: 'response_source', value: {}, is_sound: false } as const;
  const workflow = { nodes: [{ source_ref: { path: './source.json' } }] };
  const referring = {
    path: '/docs/workflow.json',
    kind: 'cognition_workflow',
    value: workflow,
    is_sound: true,
  } as const;
  assert.deepEqual(linkDocuments([broken, referring], resolveWithin(['/docs'])), { linked: [], problems: [] });
});

test('a document that only leads into a cycle is not reported as part of it', () => {
  const profile = (path: string): JsonObject => ({ workflow_ref: { path } });
  const { problems } = link({
    '/docs/in.json': profile('./a.json'),
    '/docs/a.json': profile('./b.json'),
    '/docs/b.json': profile('./a.json'),
  });
  assert.deepEqual(problems.map(({ path, problem }) => `${path} ${problem.code}`).sort(), [
    '/docs/a.json REFERENCE_CYCLE',
    '/docs/b.json REFERENCE_CYCLE',
    '/docs/in.json WRONG_KIND',
  ]);
});

test('a reference to a wrong kind that closes a cycle says which kind is wanted', () => {
  const { problems } = link({
    '/docs/a.json': { workflow_ref: { path: './b.json' } },
    '/docs/b.json': { nodes: [{ source_ref: { path: './a.json' } }] },
  });
  assert.deepEqual(
    problems.map(({ path, problem }) => [path, problem.message, problem.repair]),
    [
      [
        '/docs/a.json',
        'this reference leads back to its own file: a.json -> b.json -> a.json',
        'Break the cycle: a document cannot contain its own hash.',
      ],
      [
        '/docs/b.json',
        'this reference leads back to its own file: b.json -> a.json -> b.json; this must refer to a response_source, but the file is a cognition_profile',
        'Refer to a response_source.',
      ],
    ],
  );
});

for (const [written, expected] of [
  ['./a.json', '/docs/in/a.json'],
  ['a.json', '/docs/in/a.json'],
  ['../a.json', '/docs/a.json'],
  ['x/../../in/./a.json', '/docs/in/a.json'],
  ['../../docs/a.json', '/docs/a.json'],
  ['chukwa:world-patch.schema.json', 'chukwa:world-patch.schema.json'],
  ['../../a.json', 'PATH_LEAVES_ROOT'],
  ['../../docs-2/a.json', 'PATH_LEAVES_ROOT'],
  ['../../../../../../etc/passwd', 'PATH_LEAVES_ROOT'],
  ['/docs/a.json', 'PATH_NOT_RELATIVE'],
  ['file:///docs/a.json', 'PATH_NOT_RELATIVE'],
  ['https://example.com/a.json', 'PATH_NOT_RELATIVE'],
  ['C:/a.json', 'PATH_NOT_RELATIVE'],
  ['..\\a.json', 'PATH_MALFORMED'],
  ['a\u0000.json', 'PATH_MALFORMED'],
] as const) {
  test(`the path ${JSON.stringify(written)} means ${expected}`, () => {
    const resolved = resolveWithin(['/docs'])('/docs/in/from.json', written);
    assert.equal(resolved.ok ? resolved.value : resolved.problems[0]?.code, expected);
  });
}

test('a path may not go from one root into another', () => {
  const resolved = resolveWithin(['/docs/a', '/docs/b'])('/docs/a/from.json', '../b/to.json');
  assert.equal(resolved.ok, false);
});

test('long chains are ordered without recursion, and circles are left out', () => {
  const chain = Array.from(
    { length: 20_000 },
    (_, index) => [`f${index}`, index === 0 ? [] : [`f${index - 1}`]] as const,
  );
  const graph = new Map<string, readonly string[]>([...chain, ['x', ['y']], ['y', ['x', 'f0']]]);
  const ordered = bottomUp(graph);
  assert.equal(ordered.length, 20_000);
  assert.equal(ordered[0], 'f0');
  assert.deepEqual(findChain(graph, 'x', 'f0'), ['x', 'y', 'f0']);
  assert.equal(findChain(graph, 'f0', 'x'), undefined);
});

test('every field that a schema calls a reference is linked, and every open member is skipped', async () => {
  const shipped = await loadShippedSchemas(`${PACKAGE_ROOT}/schemas`);
  const references: string[] = [];
  const open: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, schema] of Object.entries((value as { properties?: object }).properties ?? {})) {
      const { $ref, type, properties: _, ...rest } = schema as Record<string, unknown>;
      if ($ref === '#/$defs/reference') references.push(name);
      const isAny =
        $ref === undefined &&
        type === undefined &&
        Object.keys(rest).every((keyword) => keyword === 'description' || keyword === 'examples');
      if (isAny || (type === 'object' && rest['additionalProperties'] === undefined)) open.push(name);
    }
    Object.values(value).forEach(visit);
  };
  for (const [name, schema] of shipped) {
    if (!/^(answers|workflow-test|tool-loop-output|plugin-conformance)/.test(name)) visit(schema);
  }
  assert.ok(references.length >= 10);
  assert.deepEqual(
    references.filter((name) => wantedKind(name) === undefined),
    [],
  );
  assert.deepEqual([...new Set(open)].sort(), [...OPEN_MEMBERS].sort());
});

test('a document of each kind is known by its shape alone', async () => {
  const { shipped } = await documentParts(PACKAGE_ROOT);
  const required = (name: string): JsonObject =>
    Object.fromEntries(((shipped.get(name) ?? {})['required'] as readonly string[]).map((member) => [member, 0]));
  const kinds = [
    'scenario',
    'workflow',
    'cognition-profile',
    'tool-policy',
    'response-source',
    'answers',
    'plugin-manifest',
    'plugin-conformance',
  ].map((name) => documentKindOf('/a.json', required(`${name}.schema.json`)));
  assert.deepEqual(kinds, [
    'scenario',
    'cognition_workflow',
    'cognition_profile',
    'tool_policy',
    'response_source',
    'answers',
    'plugin_manifest',
    'plugin_conformance',
  ]);
});
