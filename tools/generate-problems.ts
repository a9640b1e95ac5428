/** Writes docs/problems.md from the catalogue of problems. */
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { PROBLEM_SECTIONS } from '../engine/contract/problems/index.js';

const INTRODUCTION = [
  '# Problems',
  '',
  'What `chukwa` complains of, by code. A code is stable; a message may say more. `npm run generate` writes this page from',
  '[the catalogue](../engine/contract/problems/index.ts). `exit` is the exit code of a command that ends with this problem,',
  '`HTTP` the status of a response that carries it.',
];

/** The page docs/problems.md as the catalogue now asks for it. */
export function problemsPage(): string {
  const sections = PROBLEM_SECTIONS.flatMap(({ heading, introduction, problems }) => [
    '',
    `## ${heading}`,
    ...(introduction === undefined ? [] : ['', introduction]),
    '',
    '| code | meaning | repair | exit | HTTP |',
    '| --- | --- | --- | --- | --- |',
    ...Object.entries(problems).map(
      ([code, { meaning, repair, exit, status }]) => `| \`${code}\` | ${meaning} | ${repair} | ${exit} | ${status} |`,
    ),
  ]);
  return [...INTRODUCTION, ...sections, ''].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await writeFile(join(dirname(fileURLToPath(import.meta.url)), '../docs/problems.md'), problemsPage());
