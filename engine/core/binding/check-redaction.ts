import { appendToken, pointerTokens } from '../content/json-pointer.js';
import { suggestName } from '../content/nearest-name.js';
import type { Complaint } from '../protocol/document-problem.js';
import { anyBelow } from '../typing/any-below.js';
import type { Shape } from '../typing/shape.js';
import { namesBelow, stepInto } from '../typing/step.js';

/**
 * Every pointer of an allow-list must be able to lead to something in the result.
 * @param result what the result is known to be, nothing hidden
 */
export function checkRedaction(allow: 'all' | readonly string[], result: Shape, pointer: string): readonly Complaint[] {
  if (allow === 'all') return [];
  return allow.flatMap((written, index) => {
    const end = findEnd(result, pointerTokens(written));
    if (end === undefined) return [];
    return [
      {
        code: 'REDACTION_NAMES_NOTHING',
        message: `${JSON.stringify(written)} matches nothing in the result schema.`,
        pointer: appendToken(`${pointer}/redaction/allow`, index),
        repair: end.known.length === 0 ? 'Remove it.' : suggestName(end.missing, end.known),
      },
    ];
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
