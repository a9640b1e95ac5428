import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Outcome, Problem } from '../contract/problem.js';

/** How large a file that a person hands in may be: as large as a report over HTTP. */
const ANSWER_FILE_BYTES_MAX = 1_048_576;

/**
 * Reads a file that a person has named: a regular one, whole, within its limit. A pipe or a device is refused, since
 * nobody knows when it ends.
 * @param named as the person wrote it
 */
export async function readAnswerFile(path: string, named = path): Promise<Outcome<string>> {
  // Without waiting for somebody who writes, if it is a pipe.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  if (file === undefined) return refuse(answerUnreadable(named));
  try {
    const facts = await file.stat();
    if (!facts.isFile()) return refuse(noFile(named));
    if (facts.size > ANSWER_FILE_BYTES_MAX) return refuse(tooLarge(named, facts.size));
    return decode(named, await file.readFile());
  } catch {
    return refuse(answerUnreadable(named));
  } finally {
    await file.close();
  }
}

/** What is replaced in silence would be another answer. */
function decode(named: string, bytes: Uint8Array): Outcome<string> {
  try {
    return { ok: true, value: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    const message = `The file ${JSON.stringify(named)} is not UTF-8.`;
    return refuse({ code: 'NOT_UTF8', message, repair: 'Save the file as UTF-8.' });
  }
}

/** The file that is to hold what a call answered cannot be read. */
export function answerUnreadable(file: string): Problem {
  return {
    code: 'FILE_UNREADABLE',
    message: `The file ${JSON.stringify(file)} cannot be read.`,
    repair: 'Name a JSON file that holds what the call answered.',
  };
}

function noFile(file: string): Problem {
  return {
    code: 'NOT_A_FILE',
    message: `${JSON.stringify(file)} is not a regular file.`,
    repair: 'Name a file; what a pipe says can be written into one first.',
  };
}

function tooLarge(file: string, size: number): Problem {
  return {
    code: 'FILE_TOO_LARGE',
    message: `The file ${JSON.stringify(file)} has ${size} bytes, and ${ANSWER_FILE_BYTES_MAX} are read at most.`,
    repair: 'Hand in a smaller answer.',
  };
}

function refuse(problem: Problem): Outcome<never> {
  return { ok: false, problems: [problem] };
}
