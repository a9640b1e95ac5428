import type { Json } from '../../contract/json.js';
import { unreachable } from '../../contract/unreachable.js';
import type { AmbientSourceBinding } from '../../generated/workflow.js';
import { contentHash } from '../content/canonical.js';
import type { Entity } from '../world/world.js';
import type { Visibility } from './program.js';

/** Whom a binding's reading is for, as authored. */
export function toVisibility(visibleTo: AmbientSourceBinding['visible_to']): Visibility {
  if (visibleTo === 'all_subjects' || visibleTo === 'acting_subject') return { kind: visibleTo };
  if ('environment_label' in visibleTo) return { kind: 'environment', environment_label: visibleTo.environment_label };
  return { kind: 'entity', entity_id: visibleTo.entity_id };
}

/** Whether a subject is given a binding's reading. */
export function isVisibleTo(visibility: Visibility, subject: Pick<Entity, 'id' | 'environment'>): boolean {
  switch (visibility.kind) {
    case 'all_subjects':
    case 'acting_subject':
      return true;
    case 'environment':
      return visibility.environment_label === subject.environment;
    case 'entity':
      return visibility.entity_id === subject.id;
    default:
      return unreachable(visibility);
  }
}

/** The key of a once-per-turn reading: bindings that are equal make one call. */
export function turnAmbientKey(binding: AmbientSourceBinding): string {
  return `turn/${binding.id}@${contentHash(binding as unknown as Json).slice(0, 12)}`;
}
