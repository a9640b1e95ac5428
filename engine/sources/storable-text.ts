import type { Problem } from '../contract/problem.js';

/**
 * Text of unknown origin as every store can keep it: lone surrogates and U+0000 become U+FFFD.
 * (`String.prototype.toWellFormed` would leave the latter, which PostgreSQL refuses.)
 */
export function toStorableText(text: string): string {
  return text.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]|\0/g, '\uFFFD');
}

/** The most problems of one value that a failure names. */
const NAMED_MAX = 20;

/** A validator's problems, in one line that is kept with a call. */
export function listProblems(problems: readonly Problem[]): string {
  const more = problems.length - NAMED_MAX;
  return [
    ...problems.slice(0, NAMED_MAX).map(({ message, pointer }) => (pointer ? `${message} (at ${pointer})` : message)),
    ...(more > 0 ? ['and more'] : []),
  ].join('; ');
}
