import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { linkDocuments } from '../../engine/core/workflow/link.js';
import { resolveWithin } from '../../engine/core/workflow/link/resolve-path.js';
import { validateDocuments } from '../../engine/operations/documents/index.js';
import { documentParts, folderOf } from './document-parts.js';

const profile = (path: string) => ({ version: 1, label: 'bob', workflow_ref: { path } });
const policy = { version: 1, label: 'none', allow: [], require_approval: [], budgets: {} };

async function complaintsOf(context: TestContext, files: Readonly<Record<string, unknown>>, paths: readonly string[]) {
  const folder = await folderOf(context, files);
  const { findings, ok } = await validateDocuments(await documentParts(folder), paths);
  return { ok, complaints: findings.map(({ file, line, code, repair }) => [file, line, code, repair]) };
}

test('a folder without a document is an error, since nothing was checked', async (t) => {
  const { ok, complaints } = await complaintsOf(t, { 'empty/notes.txt': 'none' }, ['empty']);
  assert.equal(ok, false);
  assert.deepEqual(complaints[0]?.slice(0, 3), ['empty', 0, 'NO_DOCUMENTS']);
});

test('a folder without a document is reported beside those that have some', async (t) => {
  const { ok, complaints } = await complaintsOf(t, { 'empty/notes.txt': '', 'policies/none.json': policy }, [
    'empty',
    'policies',
  ]);
  assert.equal(ok, false);
  assert.ok(complaints.some(([file, , code]) => file === 'empty' && code === 'NO_DOCUMENTS'));
});

test('a path that is not there is answered by the nearest name in its folder', async (t) => {
  const files = { 'worlds/lighthouse/policy.json': policy };
  const { complaints } = await complaintsOf(t, files, ['worlds/lighthose', 'worlds/zeppelin', 'wrlds/lighthouse']);
  assert.deepEqual(complaints, [
    ['worlds/lighthose', 0, 'FILE_MISSING', 'Did you mean worlds/lighthouse?'],
    ['worlds/zeppelin', 0, 'FILE_MISSING', 'Correct the path.'],
    ['wrlds/lighthouse', 0, 'FILE_MISSING', 'Correct the path.'],
  ]);
});

test('a file is not found by the name of a folder', async (t) => {
  const files = { 'worlds/policy.json': policy };
  const { complaints } = await complaintsOf(t, files, ['worlds/policy.json/']);
  assert.deepEqual(complaints, [['worlds/policy.json', 0, 'FILE_MISSING', 'Did you mean worlds/policy.json?']]);
});

const MISSING: readonly (readonly [
  written: string,
  others: Readonly<Record<string, unknown>>,
  said: string | undefined,
])[] = [
  ['./wrkflow.json', { 'a/workflow.json': {} }, 'Did you mean "./workflow.json"?'],
  ['./workflow', { 'a/workflow.json': {} }, 'Did you mean "./workflow.json"?'],
  ['../wrkflow.json', { 'workflow.json': {} }, 'Did you mean "../workflow.json"?'],
  ['./workflow.json', { 'b/workflow.json': {} }, 'Did you mean "../b/workflow.json"?'],
  ['./zeppelin.json', { 'a/workflow.json': {} }, undefined],
];

for (const [written, others, said] of MISSING) {
  test(`a reference to ${written} beside ${Object.keys(others).join()} is told ${said ?? 'no other name'}`, async (t) => {
    const { complaints } = await complaintsOf(t, { 'a/profile.json': profile(written), ...others }, ['.']);
    assert.deepEqual(
      complaints.filter(([, , code]) => code === 'FILE_MISSING'),
      [['a/profile.json', 5, 'FILE_MISSING', said ?? 'Correct the path, or add the file.']],
    );
  });
}

test('a reference to a folder is reported at its place, and there alone', async (t) => {
  const { complaints } = await complaintsOf(t, { 'a/profile.json': profile('./'), 'a/b.json': {} }, ['a/profile.json']);
  assert.deepEqual(
    complaints.map(([file, line, code]) => [file, line, code]),
    [['a/profile.json', 5, 'FILE_MISSING']],
  );
});

test('a file that is checked by itself knows the files beside the one that is missing', async (t) => {
  const files = { 'a/profile.json': profile('../flows/wrkflow.json'), 'flows/workflow.json': {} };
  const { complaints } = await complaintsOf(t, files, ['a/profile.json']);
  assert.deepEqual(complaints, [['a/profile.json', 5, 'FILE_MISSING', 'Did you mean "../flows/workflow.json"?']]);
});

const WIDER: readonly (readonly [root: string, working: string, written: string, said: string])[] = [
  ['/docs/worlds/park', '/docs', '../sources/a.json', '--root worlds'],
  ['/docs/worlds/park', '/docs/worlds', '../sources/a.json', '--root .'],
  ['/docs/worlds/park', '/docs/worlds/park', '../sources/a.json', '--root ..'],
  ['/docs/worlds/park', '/home', '../../a.json', '--root ../docs'],
  ['/my docs/park', '/', '../a.json', '--root "my docs"'],
  ['/docs/worlds/park', '/docs', '../../../etc/a.json', 'Keep a copy of the file in the root folder.'],
];

for (const [root, working, written, said] of WIDER) {
  test(`from ${working}, what ${written} below ${root} needs is: ${said}`, () => {
    const resolved = resolveWithin([root], working)(`${root}/from.json`, written);
    assert.ok(!resolved.ok);
    assert.ok(resolved.problems[0]?.repair?.endsWith(said), resolved.problems[0]?.repair);
  });
}

test('a document does not mean itself', () => {
  const files = [
    { path: '/docs/a.json', kind: 'cognition_profile' as const, value: profile('./b.json'), is_sound: true },
  ];
  const [complaint] = linkDocuments(files, resolveWithin(['/docs'])).problems;
  assert.deepEqual(
    [complaint?.problem.code, complaint?.problem.repair],
    ['FILE_MISSING', 'Correct the path, or add the file.'],
  );
});
