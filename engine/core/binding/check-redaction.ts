import { type Problem, problem } from '../../contract/problem.js';
import { appendToken, pointerTokens } from '../content/json-pointer.js';
import { among } from '../content/nearest-name.js';
import { anyBelow } from '../typing/any-below.js';
import type { Shape } from '../typing/shape.js';
import { namesBelow, stepInto } from '../typing/step.js';

/**
 * Every pointer of an allow-list must be able to lead to something in the result.
 * @param result what the result is known to be, nothing hidden
 */
export function checkRedaction(allow: 'all' | readonly string[], result: Shape, pointer: string): readonly Problem[] {
  if (allow === 'all') return [];
  return allow.flatMap((written, index) => {
    const end = findEnd(result, pointerTokens(written));
    if (end === undefined) return [];
    const place = { pointer: appendToken(`${pointer}/redaction/allow`, index) };
    return [problem('REDACTION_NAMES_NOTHING', { written, ...among(end.missing, end.known) }, place)];
  });
}

/** Where a pointer leads no further, in which `*` is every item and every member. */
function findEnd(result: Shape, tokens: readonly string[]) {
  let shape = result;
  for (const token of tokens) {
    const below = token === '*' ? anyBelow(shape) : oneBelow(shape, token);
    if (below === undefined) return { missing: token, known: namesBelow(shape) };
    shape = below;
  }
  return undefined;
}

function oneBelow(shape: Shape, token: string): Shape | undefined {
  const step = stepInto(shape, token);
  return step.presence === 'never' ? undefined : step.shape;
}
