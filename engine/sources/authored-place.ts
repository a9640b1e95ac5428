import type { Json, JsonObject } from '../contract/json.js';
import { findAt, isList, pointerTokens } from '../core/content/json-pointer.js';
import { schemaShape } from '../core/typing/shape.js';
import { namesBelow, stepInto } from '../core/typing/step.js';

/**
 * Whether each name in the pointer of a place in an answer is written at that place of its schema: then the author chose it,
 * and it tells nothing of the answer. A member that only `additionalProperties` or a pattern allows has its name from the
 * service.
 * @param schema one that compiles, so that its references end
 */
export function isAuthoredPlace(pointer: string, answer: Json, schema: JsonObject): boolean {
  const tokens = pointerTokens(pointer);
  let shape = schemaShape(schema);
  for (const [depth, token] of tokens.entries()) {
    const isElement = isList(findAt(answer, tokens.slice(0, depth)));
    if (!isElement && !namesBelow(shape).includes(token)) return false;
    ({ shape } = stepInto(shape, token));
  }
  return true;
}
