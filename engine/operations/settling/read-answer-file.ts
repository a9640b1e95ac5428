import { type Outcome, problem, type Problem, refuse } from '../../contract/problem.js';
import { parseSource, type SourceText } from '../../core/content/source-text.js';
import { type ReadFile, readRegularFile } from '../documents/index.js';

/**
 * The greatest size of an answer that is handed in, as a file or over HTTP: more than any likely limit of a policy. The
 * binding's own limit is applied afterwards.
 */
export const REPORT_BYTES_MAX = 1_048_576;

/** Reads a file with an answer, which may be as large as a report over HTTP. @param named as the person wrote it */
export async function readAnswerFile(path: string, named = path): Promise<Outcome<SourceText>> {
  const file = await readRegularFile(path, REPORT_BYTES_MAX);
  return file.kind === 'text' ? parseSource(named, file.text) : refuse(toProblem(file, named));
}

/** Whether what a person gives as an answer is JSON itself, and not the name of a file. */
export function isJsonItself(given: string): boolean {
  return /^\s*[{["]/.test(given);
}

/** Adds to each problem of a value its place in the text that a person gave. */
export function locateIn(text: SourceText | undefined, problems: readonly Problem[]): readonly Problem[] {
  if (text === undefined) return problems;
  return problems.map((problem) => {
    const { pointer, offset, location } = problem;
    return pointer === undefined ? problem : { ...problem, location: location ?? text.locate(pointer, offset) };
  });
}

function toProblem(file: Exclude<ReadFile, { kind: 'text' }>, answer: string): Problem {
  switch (file.kind) {
    case 'unreadable':
      return problem('FILE_UNREADABLE', { answer });
    case 'folder':
    case 'no_file':
      return problem('NOT_A_FILE', { path: answer });
    case 'too_large':
      return problem('FILE_TOO_LARGE', { bytes: file.size, bytes_max: REPORT_BYTES_MAX, answer });
    case 'not_utf8':
      return problem('NOT_UTF8', { answer });
  }
}
