/** Makes docs/problems.md from the catalogue of problems. */
import type { ProblemEntry } from '../engine/contract/problems/entry.js';
import { PROBLEM_SECTIONS } from '../engine/contract/problems/index.js';

const INTRODUCTION = [
  '# Problems',
  '',
  'For users: what each problem code means. A code is stable; the message names the case, and says what to do. A command that',
  'ends with a problem exits with the exit code of its section, and a response has its HTTP status; where a meaning ends with two',
  'numbers, those count. `npm run generate` writes this page from [the catalogue](../engine/contract/problems/index.ts).',
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
      `Exit code and HTTP status: ${usual}.`,
      '',
      ...Object.entries(problems).map(([code, entry]) => {
        const outcome = toOutcome(entry);
        const note = entry.severity === 'note' ? 'A note. ' : '';
        const meaning = entry.meaning ?? toMarkdown(entry.example().message);
        return `- \`${code}\`: ${note}${meaning}${outcome === usual ? '' : ` (${outcome})`}`;
      }),
    ];
  });
  return [...INTRODUCTION, ...sections, ''].join('\n');
}

/** A message, which is plain text, as a sentence: behind the place of a finding it has no capital and no full stop. */
function toMarkdown(message: string): string {
  const sentence = message.endsWith('.') ? message : `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
  return sentence.replace(/[*<]|__/g, '\\$&');
}

/** The exit code of a command that ends with a problem, and the status of a response that carries it. */
function toOutcome({ exit, status }: ProblemEntry<never>): string {
  return `${exit}, ${status}`;
}

function mostCommon(outcomes: readonly string[]): string {
  const count = (outcome: string): number => outcomes.filter((other) => other === outcome).length;
  return outcomes.toSorted((left, right) => count(right) - count(left))[0] ?? '';
}
