/** Makes docs/problems.md from the catalogue of problems. */
import type { ProblemEntry } from '../engine/contract/problems/entry.js';
import { PROBLEM_SECTIONS } from '../engine/contract/problems/index.js';

const USUAL = '1, 400';

const INTRODUCTION = [
  '# Problems',
  '',
  'For users: what each problem code means; the message that comes with it names the case, and says what to do. Codes are',
  'stable. A command ends with 1, and a response has the status 400, unless a section or a code has two other numbers. A note',
  'stops nothing.',
];

/** The page docs/problems.md as the catalogue now asks for it. */
export function problemsPage(): string {
  const sections = PROBLEM_SECTIONS.flatMap(({ heading, introduction = '', problems }) => {
    const usual = mostCommon(Object.values(problems).map(toOutcome));
    const outcome = usual === USUAL ? '' : `Exit code and HTTP status: ${usual}.`;
    const codes = new Map<string, string[]>();
    for (const [code, entry] of Object.entries(problems)) {
      const meaning = meaningOf(entry, usual);
      codes.set(meaning, [...(codes.get(meaning) ?? []), `\`${code}\``]);
    }
    const said = [introduction, outcome].filter((text) => text !== '').join(' ');
    return [
      '',
      `## ${heading}`,
      ...(said === '' ? [] : ['', said]),
      '',
      ...[...codes].map(([meaning, same]) => `- ${same.join(', ')}${meaning}`),
    ];
  });
  return [...INTRODUCTION, ...sections, ''].join('\n');
}

function meaningOf(entry: ProblemEntry<never>, usual: string): string {
  const note = entry.severity === 'note' ? ' (note): ' : ': ';
  const outcome = toOutcome(entry) === usual ? '' : ` (${toOutcome(entry)})`;
  const meaning = (entry.meaning ?? toMarkdown(entry.example().message)).replace(/(?<!\.)\.$/, '');
  return `${note}${meaning}${outcome}`;
}

/** A message without the reason that it may add behind a colon, with the capital that a finding lacks. */
function toMarkdown(message: string): string {
  const [fault = ''] = message.split(/(?<!["`]): /);
  const begun = /^[a-z]+ /.test(fault) ? `${fault.charAt(0).toUpperCase()}${fault.slice(1)}` : fault;
  return begun.replace(/[*<]|__/g, '\\$&');
}

/** The exit code of a command that ends with a problem, and the status of a response that carries it. */
function toOutcome({ exit, status }: ProblemEntry<never>): string {
  return `${exit}, ${status}`;
}

function mostCommon(outcomes: readonly string[]): string {
  const count = (outcome: string): number => outcomes.filter((other) => other === outcome).length;
  return outcomes.toSorted((left, right) => count(right) - count(left))[0] ?? '';
}
