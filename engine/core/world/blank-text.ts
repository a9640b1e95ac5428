import type { WorldPatch } from './world-patch.js';

/**
 * Whether a text has no character that shows: white space of any kind, control characters, and what Unicode says is not
 * drawn, such as a zero-width space.
 */
export function isBlank(text: string): boolean {
  return !SHOWS.test(text);
}

const SHOWS = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Control}\p{Format}]/u;

/** The pointers of texts in a patch that are blank. */
export function findBlankTexts({ narration, effects }: WorldPatch): readonly string[] {
  const inEffects = effects.flatMap((effect, index) => {
    const [member, text] = effect.op === 'set_entity_state' ? ['state', effect.state] : ['content', effect.content];
    return isBlank(text) ? [`/effects/${index}/${member}`] : [];
  });
  return [...(isBlank(narration) ? ['/narration'] : []), ...inEffects];
}
