import type { Json } from '../../contract/json.js';
import { hashOfStored } from '../content/canonical.js';
import type { AppliedEffect } from '../world/world-patch.js';

/** A patch that a turn took, as its row holds it. */
export interface TakenPatch {
  readonly narration: string;
  readonly touched_entities: readonly string[];
  readonly effects: readonly AppliedEffect[];
}

/** What a patch said and changed, as 64 hex digits. */
export function patchHash({ narration, touched_entities, effects }: TakenPatch): string {
  return hashOfStored({ narration, touched_entities, effects } as unknown as Json);
}
