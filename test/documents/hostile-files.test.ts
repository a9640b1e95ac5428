import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, open, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { validateDocuments } from '../../engine/operations/documents/index.js';
import { documentParts, folderOf, inShort } from './document-parts.js';

const policy = {
  version: 1,
  label: 'all',
  allow: [],
  require_approval: [],
  budgets: { max_runtime_ms: 1, max_result_bytes: 1 },
};

async function findingsOf(folder: string, paths: readonly string[] = ['.']): Promise<readonly string[]> {
  return (await validateDocuments(await documentParts(folder), paths)).findings.map(inShort);
}

test('a file of 50 MB is refused by its size, and its content is not read', async (t) => {
  const folder = await folderOf(t, {});
  const file = await open(join(folder, 'huge.json'), 'w');
  await file.truncate(50 * 1024 * 1024);
  await file.close();
  const before = process.memoryUsage().arrayBuffers;
  assert.deepEqual(await findingsOf(folder), ['huge.json:1:1 FILE_TOO_LARGE at ""']);
  assert.ok(process.memoryUsage().arrayBuffers - before < 20 * 1024 * 1024);
});

test('a document of more than a million values is refused before it is parsed', async (t) => {
  const listed = (count: number): string => `[${'0,'.repeat(count - 2)}0]`;
  const folder = await folderOf(t, { 'fits.json': listed(1_000_000), 'over.json': listed(1_000_001) });
  assert.deepEqual(await findingsOf(folder), ['over.json:1:1 FILE_TOO_LARGE at ""']);
});

test('a file of one byte more than allowed is refused, and one of exactly as many is read', async (t) => {
  const padded = (length: number): string => `{}${' '.repeat(length - 2)}`;
  const folder = await folderOf(t, { 'fits.json': padded(16_777_216), 'over.json': padded(16_777_217) });
  assert.deepEqual(await findingsOf(folder), ['over.json:1:1 FILE_TOO_LARGE at ""']);
});

test('10,000 levels of nesting are one finding at the level that is too deep', async (t) => {
  const folder = await folderOf(t, { 'lists.json': '['.repeat(10_000), 'objects.json': `\n${'{"a":'.repeat(10_000)}` });
  assert.deepEqual(await findingsOf(folder), ['lists.json:1:65 TOO_DEEP at ""', 'objects.json:2:321 TOO_DEEP at ""']);
});

test('a megabyte of backslashes, or of one open string, is looked over without a stack overflow', async (t) => {
  const folder = await folderOf(t, {
    'escapes.json': `"${'\\"'.repeat(500_000)}"`,
    'open.json': `"${'a'.repeat(1_000_000)}`,
  });
  assert.deepEqual(await findingsOf(folder), ['open.json:1:1000002 INVALID_JSON at ""']);
});

test('links that leave the root are refused, and links within it are followed', async (t) => {
  const outside = await folderOf(t, { 'secret.json': policy });
  const folder = await folderOf(t, { 'policy.json': policy, 'below/other.json': policy });
  await symlink(join(outside, 'secret.json'), join(folder, 'out.json'));
  await symlink(outside, join(folder, 'out-folder'));
  await symlink(join(folder, 'policy.json'), join(folder, 'in.json'));
  await symlink(folder, join(folder, 'below/loop'));
  const { findings, components } = await validateDocuments(await documentParts(folder), ['.']);
  assert.deepEqual(findings.map(inShort), [
    'below/loop:0:0 LINK_LOOP (note) at ""',
    'out-folder:0:0 LINK_LEAVES_ROOT at ""',
    'out.json:0:0 LINK_LEAVES_ROOT at ""',
  ]);
  const names = components.map(({ path }) => path.slice(folder.length + 1));
  assert.deepEqual(names, ['below/other.json', 'in.json', 'policy.json']);
});

test('a path that cannot be looked into is a finding beside the others', async (t) => {
  const folder = await folderOf(t, { 'label.json': { ...policy, label: 7 } });
  await writeFile(Buffer.concat([Buffer.from(join(folder, 'bad-')), Buffer.from([0xff]), Buffer.from('.json')]), '{}');
  await mkdir(Buffer.concat([Buffer.from(join(folder, 'folder-')), Buffer.from([0xfe])]));
  await symlink(join(folder, 'nowhere'), join(folder, 'broken.json'));
  await symlink(join(folder, 'loop-b.json'), join(folder, 'loop-a.json'));
  await symlink(join(folder, 'loop-a.json'), join(folder, 'loop-b.json'));
  assert.deepEqual(
    (await findingsOf(folder)).map((finding) => finding.replace(/:\d+:\d+/, '')),
    [
      'bad-\uFFFD.json FILE_UNREADABLE at ""',
      'broken.json FILE_UNREADABLE at ""',
      'folder-\uFFFD FILE_UNREADABLE at ""',
      'label.json WRONG_TYPE at "/label"',
      'loop-a.json LINK_LOOP at ""',
      'loop-b.json LINK_LOOP at ""',
    ],
  );
  assert.match((await findingsOf(folder, ['loop-a.json'])).join(), /LINK_LOOP/);
});

test('a folder that may not be read is a finding beside the others', async (t) => {
  if (process.getuid?.() === 0) return t.skip('whoever may read everything cannot see it');
  const folder = await folderOf(t, { 'policy.json': policy, 'closed/policy.json': policy });
  await chmod(join(folder, 'closed'), 0);
  const findings = await findingsOf(folder);
  await chmod(join(folder, 'closed'), 0o700);
  assert.deepEqual(
    findings.map((finding) => finding.replace(/:\d+:\d+/, '')),
    ['closed FILE_UNREADABLE at ""'],
  );
});

test('a reference through a link that leaves the root reads nothing', async (t) => {
  const outside = await folderOf(t, { 'workflow.json': 'SECRET' });
  const profile = { version: 1, label: 'bob', workflow_ref: { path: './link/workflow.json' } };
  const folder = await folderOf(t, { 'profile.json': profile });
  await symlink(outside, join(folder, 'link'));
  const { findings } = await validateDocuments(await documentParts(folder), ['profile.json']);
  assert.deepEqual(findings.map(inShort), ['link/workflow.json:1:1 LINK_LEAVES_ROOT at ""']);
  assert.doesNotMatch(JSON.stringify(findings), /SECRET/);
});

test('a pipe is refused without waiting for its writer', async (t) => {
  const folder = await folderOf(t, {});
  await promisify(execFile)('mkfifo', [join(folder, 'pipe.json')]);
  assert.deepEqual(await findingsOf(folder), ['pipe.json:1:1 NOT_A_FILE at ""']);
});

test('a path that is not there is a finding, and so is one outside of the root', async (t) => {
  const folder = await folderOf(t, { 'a/policy.json': policy, 'b/policy.json': policy });
  assert.deepEqual(await findingsOf(folder, ['nowhere.json']), ['nowhere.json:0:0 FILE_MISSING at ""']);
  const { findings } = await validateDocuments(await documentParts(folder, 'a'), ['a', 'b/policy.json']);
  assert.deepEqual(findings.map(inShort), ['b/policy.json:0:0 PATH_LEAVES_ROOT at ""']);
});

test('members named like parts of objects are data', async (t) => {
  const folder = await folderOf(t, {
    'policy.json': `{"__proto__": 1, "constructor": 2, ${JSON.stringify(policy).slice(1)}`,
  });
  assert.deepEqual(await findingsOf(folder), [
    'policy.json:1:2 UNKNOWN_FIELD at "/__proto__"',
    'policy.json:1:18 UNKNOWN_FIELD at "/constructor"',
  ]);
});
