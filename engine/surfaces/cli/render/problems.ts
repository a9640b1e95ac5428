import type { Problem } from '../../../contract/problem.js';
import { present } from '../../../contract/present.js';
import { isPromptFile } from '../../../core/workflow/link/document-kind.js';
import type { Finding } from '../../../operations/documents/index.js';
import { toPhrase } from '../../../catalogue/phrase.js';
import { advice, bad, faint, hanging, type Lines, verbatim } from './line.js';
import { toVisible } from './neutralise.js';

/**
 * One complaint about a file: `file:line:column  CODE  message  (at /pointer)`, and beneath it what to do; of several
 * complaints in a row that need the same, beneath the last of them, with their number. A prompt file has no pointers.
 */
export function findingLines(findings: readonly Finding[]): Lines {
  return findings.flatMap(({ file, line, column, pointer, code, message, repair, severity }, at) => {
    const what = severity === 'note' ? `note: ${message}` : message;
    const isOfPath = line === 0;
    const name = toVisible(file);
    const first = verbatim(
      isOfPath ? `${name}  ` : `${name}:${line}:${column}  `,
      severity === 'note' ? faint(code) : bad(code),
      isOfPath || isPromptFile(file) ? `  ${what}` : `  ${what}${sayPlace(pointer)}`,
    );
    if (repair === findings[at + 1]?.repair) return [first];
    const alike = at - findings.findLastIndex((other, index) => index < at && other.repair !== repair);
    const what_of = alike === 1 ? 'what to do' : `what to do about these ${alike}`;
    return [first, hanging(4, ...advice(faint(`    ${what_of}: ${repair}`)))];
  });
}

/** A place in a document. The pointer "/" is not its root, but a member with an empty name (RFC 6901). */
export function sayPlace(pointer: string): string {
  return `  (at ${pointer === '' ? "the document's root" : pointer})`;
}

/** Problems as text. Those of files come first, each at its place. */
export function problemLines(problems: readonly Problem[]): Lines {
  const placed = problems.flatMap(toFinding);
  const others = problems.filter((problem) => problem.location === undefined);
  return [findingLines(placed), others.flatMap(toLines)];
}

export function toFinding({ location, pointer = '', severity = 'error', ...problem }: Problem): readonly Finding[] {
  if (location === undefined) return [];
  const { code, message, repair } = problem;
  return [present({ ...location, pointer, code, message, severity, repair })];
}

function toLines({ message, repair, details, pointer, code }: Problem): Lines {
  const place = pointer === undefined || pointer === '' ? '' : ` (at ${pointer})`;
  const more = [...(code === 'USAGE' ? [] : [code]), ...(details === undefined ? [] : [toPhrase(details)])];
  return [
    hanging(2, bad('error'), `: ${message}${place}`),
    hanging(4, ...advice({ text: `  what to do: ${repair}` })),
    more.length > 0 && hanging(4, faint(`  details: ${more.join(' · ')}`)),
  ];
}
