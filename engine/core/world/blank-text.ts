import { partsOf, PATCH_OPERATIONS } from './patch-operations.js';
import type { WorldPatch } from './world-patch.js';

/**
 * Whether a text has no character that shows: white space of any kind, control characters, and those that Unicode does
 * not draw, such as a zero-width space.
 */
export function isBlank(text: string): boolean {
  return !SHOWS.test(text);
}

const SHOWS = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Control}\p{Format}]/u;

/** The pointers of texts in a patch that are blank. */
export function findBlankTexts({ narration, effects }: WorldPatch): readonly string[] {
  const inEffects = effects.flatMap((effect, index) =>
    isBlank(partsOf(effect).text) ? [`/effects/${index}/${PATCH_OPERATIONS[effect.op].text}`] : [],
  );
  return [...(isBlank(narration) ? ['/narration'] : []), ...inEffects];
}
