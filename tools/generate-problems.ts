/** Writes docs/problems.md from the catalogue of problems. */
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ProblemEntry } from '../engine/contract/problems/entry.js';
import { PROBLEM_SECTIONS } from '../engine/contract/problems/index.js';

const INTRODUCTION = [
  '# Problems',
  '',
  'For users: what `chukwa` complains of, by code, and what to do. A code is stable; a message may say more. `npm run generate`',
  'writes this page from [the catalogue](../engine/contract/problems/index.ts). A command that ends with a problem exits with',
  'the code of its section, and a response that carries it has the status of its section, unless its meaning ends with others.',
];

/** The page docs/problems.md as the catalogue now asks for it. */
export function problemsPage(): string {
  const sections = PROBLEM_SECTIONS.flatMap(({ heading, introduction, problems }) => {
    const usual = mostCommon(Object.values(problems).map(toOutcome));
    return [
      '',
      `## ${heading}`,
      ...(introduction === undefined ? [] : ['', introduction]),
      '',
      `${usual}.`,
      '',
      '| code | meaning, and a message | what to do |',
      '| --- | --- | --- |',
      ...Object.entries(problems).map(([code, entry]) => {
        const outcome = toOutcome(entry);
        const { message, repair } = entry.example();
        const kind = entry.severity === 'note' ? 'A note. ' : '';
        const other = outcome === usual ? '' : ` (${outcome})`;
        const shown = entry.meaning === undefined ? '' : `${entry.meaning}${other} `;
        return `| \`${code}\` | ${kind}${shown}*${toCell(message)}*${shown === '' ? other : ''} | ${toCell(repair)} |`;
      }),
    ];
  });
  return [...INTRODUCTION, ...sections, ''].join('\n');
}

/** A sentence as Markdown shows it within a table. */
function toCell(sentence: string): string {
  return sentence.replace(/[|*<]|__/g, '\\$&');
}

/** The exit code of a command that ends with a problem, and the status of a response that carries it. */
function toOutcome({ exit, status }: ProblemEntry<never>): string {
  return `Exit ${exit}, HTTP ${status}`;
}

function mostCommon(outcomes: readonly string[]): string {
  const count = (outcome: string): number => outcomes.filter((other) => other === outcome).length;
  return outcomes.toSorted((left, right) => count(right) - count(left))[0] ?? '';
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await writeFile(join(dirname(fileURLToPath(import.meta.url)), '../docs/problems.md'), problemsPage());
