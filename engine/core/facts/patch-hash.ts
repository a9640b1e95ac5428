import type { Json } from '../../contract/json.js';
import { hashOfStored } from '../content/canonical.js';
import type { AppliedEffect } from '../world/world-patch.js';

/** A patch that a turn took, as its row holds it. */
export interface TakenPatch {
  readonly narration: string;
  readonly touched_entities: readonly string[];
  readonly effects: readonly AppliedEffect[];
  /** Null of a patch of an earlier version. */
  readonly origins: readonly string[] | null;
}

/** What a patch said and changed, and where it came from, as 64 hex digits. */
export function patchHash(patch: TakenPatch): string {
  return hashOfStored(toHashed(patch));
}

/** The parts of a patch that its hash covers. */
export function toHashed({ narration, touched_entities, effects, origins }: TakenPatch): Json {
  return { narration, touched_entities, effects, ...(origins === null ? {} : { origins }) } as unknown as Json;
}
