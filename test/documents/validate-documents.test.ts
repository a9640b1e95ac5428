import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DocumentParts, validateDocuments } from '../../engine/operations/documents/index.js';
import { documentParts, folderOf, inShort, PACKAGE_ROOT } from './document-parts.js';

const policy = {
  version: 1,
  label: 'p',
  allow: [],
  require_approval: [],
  budgets: { max_runtime_ms: 1, max_result_bytes: 1 },
};
const source = { version: 1, label: 'weather', interface: { name: 'http_json' } };
const workflow = {
  version: 1,
  execution: 'per_subject_ordered',
  ambient_sources: [],
  nodes: [
    {
      id: 'fetch',
      type: 'source_call',
      source_ref: { path: '../sources/weather.json' },
      request_template: {},
      effect: 'read_only',
      redaction: { allow: 'all' },
    },
  ],
  apply: { from: 'act.final' },
};
const profile = { version: 1, label: 'bob', workflow_ref: { path: './workflow.json' } };
const scenario = {
  version: 1,
  label: 'yard',
  start_time: '2026-01-01T00:00:00Z',
  chronon_seconds: 60,
  environments: [{ label: 'yard', content: 'Grass.' }],
  entities: [{ id: 'bob', name: 'Bob', kind: 'agent', state: 'Well.' }],
  cognition: [{ profile_ref: { path: './profile.json' }, subjects: ['bob'] }],
};
interface LinkedScenario {
  readonly cognition: readonly [{ readonly profile_ref: { readonly hash: string } }];
}
interface LinkedProfile {
  readonly workflow_ref: { readonly hash: string };
}
const tree = {
  'bob/scenario.json': scenario,
  'bob/profile.json': profile,
  'bob/workflow.json': workflow,
  'sources/weather.json': source,
};

test('of 1,000 documents with 200 broken, all 200 are found, in order', async (t) => {
  const names = Array.from({ length: 1000 }, (_, index) => `${String(index).padStart(4, '0')}.json`);
  const isBroken = (index: number): boolean => index % 5 === 0;
  const files = names.map((name, index) => [name, isBroken(index) ? { ...policy, allow: 'all' } : policy] as const);
  const folder = await folderOf(t, Object.fromEntries(files));
  const { findings, ok } = await validateDocuments(await documentParts(folder), ['.']);
  const broken = names.filter((_, index) => isBroken(index));
  assert.equal(ok, false);
  assert.deepEqual(
    findings.map(inShort),
    broken.map((name) => `${name}:4:3 WRONG_TYPE at "/allow"`),
  );
});

test('the documents that ship are without a finding', async () => {
  const { findings, components } = await validateDocuments(await documentParts(PACKAGE_ROOT), ['workflows']);
  assert.deepEqual(findings, []);
  assert.ok(components.some(({ kind }) => kind === 'scenario'));
});

test('one file is checked with all that it refers to, within the working folder', async (t) => {
  const folder = await folderOf(t, { ...tree, 'sources/weather.json': { ...source, version: 2 } });
  const { findings } = await validateDocuments(await documentParts(folder), ['bob/scenario.json']);
  assert.deepEqual(findings.map(inShort), ['sources/weather.json:2:3 UNEXPECTED_VALUE at "/version"']);
});

test('a folder that is given is the root of what it holds, unless a wider one is named', async (t) => {
  const folder = await folderOf(t, tree);
  const narrow = await validateDocuments(await documentParts(folder), ['bob']);
  assert.deepEqual(narrow.findings.map(inShort), [
    'bob/workflow.json:10:9 PATH_LEAVES_ROOT at "/nodes/0/source_ref/path"',
  ]);
  const wide = await validateDocuments(await documentParts(folder, '.'), ['bob']);
  assert.deepEqual(wide.findings, []);
  assert.equal(wide.components.length, 4);
});

test('a file outside of the working folder has its own folder as root', async (t) => {
  const folder = await folderOf(t, tree);
  const elsewhere = await folderOf(t, {});
  const { findings } = await validateDocuments(await documentParts(elsewhere), [`${folder}/bob/scenario.json`]);
  assert.deepEqual(findings.map(inShort), [
    `${folder}/bob/workflow.json:10:9 PATH_LEAVES_ROOT at "/nodes/0/source_ref/path"`,
  ]);
});

test('a finding of a scenario check is in the file of the document at fault', async (t) => {
  const folder = await folderOf(t, tree);
  const parts = await documentParts(folder);
  const { components } = await validateDocuments(parts, ['.']);
  const faulty = components.find(({ kind }) => kind === 'cognition_workflow');
  assert.ok(faulty);
  const problem = {
    code: 'APPLY_FROM_UNKNOWN' as const,
    message: 'no node is applied',
    repair: 'Name a node.',
    pointer: '/apply/from',
    document: faulty,
  };
  const { findings } = await validateDocuments({ ...parts, checkScenario: () => [problem] }, ['.']);
  assert.deepEqual(findings.map(inShort), ['bob/workflow.json:20:5 APPLY_FROM_UNKNOWN at "/apply/from"']);
});

test('a scenario check finds every document that the scenario refers to', async (t) => {
  const folder = await folderOf(t, tree);
  const parts = await documentParts(folder);
  const { components } = await validateDocuments(parts, ['.']);
  const found: boolean[] = [];
  await validateDocuments(
    {
      ...parts,
      checkScenario: (find, hash) => {
        found.push(
          ...components.map((component) => find(component.kind, component.hash) !== undefined),
          find('scenario', hash) !== undefined,
        );
        return [];
      },
    },
    ['.'],
  );
  assert.deepEqual(found, [true, true, true, true, true]);
});

test('a workflow of which a part is broken is looked into as its scenario is', async (t) => {
  const folder = await folderOf(t, { ...tree, 'sources/weather.json': '{' });
  const parts = await documentParts(folder);
  const found: boolean[] = [];
  const checkScenario: DocumentParts['checkScenario'] = (find, hash) => {
    const { cognition } = find('scenario', hash) as unknown as LinkedScenario;
    const profileFound = find('cognition_profile', cognition[0].profile_ref.hash) as unknown as LinkedProfile;
    found.push(find('cognition_workflow', profileFound.workflow_ref.hash) !== undefined);
    return [];
  };
  const { findings } = await validateDocuments({ ...parts, checkScenario }, ['.']);
  assert.deepEqual(findings.map(inShort), ['sources/weather.json:1:2 INVALID_JSON at ""']);
  assert.deepEqual(found, [true]);
});

test('answers, manifests and workflow tests are read and never stored', async (t) => {
  const folder = await folderOf(t, {
    'answers.json': { version: 1, label: 'a', turns: { '1': { 'bob/act/round-1/try-1': { txt: 'hello' } } } },
    'plugin.json': {
      version: 1,
      name: 'x',
      description: 'X.',
      contract_version: 2,
      speaks: 'json',
      interface_schema: './i.json',
      entry: './i.js',
    },
    'bob.test.json': { version: 1, label: 'bob', scenario_ref: { hash: 'a'.repeat(64) }, expect: {}, anything: true },
  });
  const { findings, components } = await validateDocuments(await documentParts(folder), ['.']);
  assert.deepEqual(findings.map(inShort), [
    'answers.json:6:7 NO_ALTERNATIVE at "/turns/1/bob~1act~1round-1~1try-1"',
    'bob.test.json:4:3 REFERENCE_UNCHECKED (note) at "/scenario_ref"',
    'bob.test.json:8:3 UNKNOWN_FIELD at "/anything"',
    'plugin.json:5:3 UNEXPECTED_VALUE at "/contract_version"',
  ]);
  assert.deepEqual(components, []);
});

test('a reference to the path of a folder is not answered with the same path', async (t) => {
  const { 'sources/weather.json': _, ...others } = tree;
  const folder = await folderOf(t, { ...others, 'sources/weather.json/inside.txt': 'a folder of that name' });
  const { findings } = await validateDocuments(await documentParts(folder), ['bob/scenario.json']);
  const missing = findings.filter(({ code }) => code === 'FILE_MISSING');
  assert.equal(missing.length, 1, JSON.stringify(findings));
  assert.equal(missing[0]?.repair, 'Correct the path, or add the file.');
});
