import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { compose } from '../../engine/main.js';
import { checkPaths } from '../../engine/operations/authoring/author.js';
import type { Validation } from '../../engine/operations/documents/index.js';
import { inShort, PACKAGE_ROOT } from './document-parts.js';

const corpus = join(PACKAGE_ROOT, 'fixtures/invalid');
/** The sound documents to which the broken ones refer. */
const SOUND = 'sound';
const folders = (await readdir(corpus, { withFileTypes: true })).filter((entry) => entry.isDirectory());
const cases = folders.map(({ name }) => name).filter((name) => name !== SOUND);

const authoring = await (await compose({})).openAuthoring();

/** Checks a folder of the corpus with the plugins that ship. */
function validate(folder: string): Promise<Validation> {
  const place = { working_folder: folder, root: corpus };
  return checkPaths(authoring, { place, paths: ['.'] });
}

async function expectedIn(name: string): Promise<readonly string[]> {
  return (await readFile(join(corpus, name, 'expected.txt'), 'utf8')).trimEnd().split('\n');
}

test('the corpus of broken documents is there', () => {
  assert.ok(cases.length >= 60, `${cases.length} cases`);
});

test('the documents that the broken ones refer to are sound', async () => {
  const { findings, components } = await validate(join(corpus, SOUND));
  assert.deepEqual(findings, []);
  assert.ok(components.some(({ kind }) => kind === 'scenario'));
});

for (const name of cases) {
  test(`broken documents: ${name.replaceAll('-', ' ')}`, async () => {
    const expected = await expectedIn(name);
    const { findings, ok } = await validate(join(corpus, name));
    assert.deepEqual(findings.map(inShort), expected);
    assert.equal(
      ok,
      expected.every((line) => line.includes(' (note) ')),
    );
    for (const { message, repair } of findings) {
      assert.match(message, /\S+ \S+/);
      assert.match(repair ?? `no repair: ${message}`, /^[A-Z`].*[.?]$/s);
    }
  });
}

test('all of them at once are found as each by itself', async () => {
  const { findings, ok } = await validate(corpus);
  // Beside documents, what nothing marks as one is left out.
  const marked = cases.filter((name) => name !== 'nothing-tells-what-the-document-is');
  const each = await Promise.all(
    marked.map(async (name) => (await expectedIn(name)).map((line) => (line === '' ? '' : `${name}/${line}`))),
  );
  assert.equal(ok, false);
  assert.deepEqual(findings.map(inShort).toSorted(), each.flat().toSorted());
});

test('a secret that is written as a header is not shown', async () => {
  const folder = join(corpus, 'a-header-is-a-secret');
  const { interface: chat } = JSON.parse(await readFile(join(folder, 'source.json'), 'utf8')) as {
    readonly interface: { readonly headers: { readonly Authorization: string } };
  };
  const { findings } = await validate(folder);
  assert.ok(!JSON.stringify(findings).includes(chat.headers.Authorization));
});
