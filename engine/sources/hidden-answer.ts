import type { Asked } from './passage.js';

/** How a person reads what redaction hides of the answer to a call. */
export function hiddenAnswer({ surroundings }: Pick<Asked, 'surroundings'>): string {
  return `chukwa invocation ${surroundings.correlation_id} --unredacted shows the answer`;
}
