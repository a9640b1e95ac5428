import type { Json } from '../../contract/json.js';
import type { AmbientSourceBinding } from '../../generated/workflow.js';
import { contentHash } from '../content/canonical.js';
import type { Entity } from '../world/world.js';

/** Whether a subject is given a binding's reading. */
export function isVisibleTo(
  visibleTo: AmbientSourceBinding['visible_to'],
  { id, environment }: Pick<Entity, 'id' | 'environment'>,
): boolean {
  if (typeof visibleTo === 'string') return true;
  return 'entity_id' in visibleTo ? visibleTo.entity_id === id : visibleTo.environment_label === environment;
}

/** The key of a once-per-turn reading: bindings that are equal make one call. */
export function turnAmbientKey(binding: AmbientSourceBinding): string {
  return `turn/${binding.id}@${contentHash(binding as unknown as Json).slice(0, 12)}`;
}
