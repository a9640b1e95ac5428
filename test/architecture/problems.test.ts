import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Problem } from '../../engine/contract/problem.js';
import type { ProblemEntry } from '../../engine/contract/problems/entry.js';
import { PROBLEM_SECTIONS, PROBLEMS } from '../../engine/contract/problems/index.js';
import { EXIT } from '../../engine/surfaces/cli/exit-code.js';
import { PACKAGE_ROOT } from './cruise.js';

test('each problem code is in one section of the catalogue', () => {
  const listed = PROBLEM_SECTIONS.flatMap(({ problems }) => Object.keys(problems));
  assert.deepEqual(listed.toSorted(), Object.keys(PROBLEMS).toSorted());
});

test('each problem code of the catalogue is used somewhere in the program', async () => {
  const sources = await Promise.all(['engine', 'fixtures'].map(readSources));
  const used = new Set(sources.flatMap((text) => text.match(/'[A-Z][A-Z0-9_]+'|PROBLEMS\.[A-Z_]+/g) ?? []));
  const unused = Object.keys(PROBLEMS).filter((code) => !used.has(`'${code}'`) && !used.has(`PROBLEMS.${code}`));
  assert.deepEqual(unused, []);
});

async function readSources(folder: string): Promise<string> {
  const names = await readdir(join(PACKAGE_ROOT, folder), { recursive: true });
  const files = names.filter((name) => name.endsWith('.ts') && !name.startsWith('contract/problems/'));
  return (await Promise.all(files.map((name) => readFile(join(PACKAGE_ROOT, folder, name), 'utf8')))).join('\n');
}

test('each problem has a message, a repair, an exit code and an HTTP status that fit together', () => {
  for (const [code, entry] of Object.entries(PROBLEMS)) {
    const { meaning = '.', exit, status }: ProblemEntry<never> = entry;
    const { message, repair } = entry.example();
    assert.match(meaning, /\.$/, code);
    assert.match(message, /\S/, code);
    assert.match(repair, /\S/, code);
    assert.ok([EXIT.refused, EXIT.usage, EXIT.environment].includes(exit), code);
    assert.ok(status >= 400 && status < 600, code);
  }
});

test('a problem of a code that is not in the catalogue does not compile', () => {
  // @ts-expect-error: the catalogue has no such code
  const problem: Problem = { code: 'NOT_IN_THE_CATALOGUE', message: 'nothing' };
  assert.ok(!Object.hasOwn(PROBLEMS, problem.code));
});
