import type { AmbientSourceBinding } from '../../generated/workflow.js';
import type { Visibility } from './program.js';

/** Whom a binding's reading is for, as authored. */
export function toVisibility(visibleTo: AmbientSourceBinding['visible_to']): Visibility {
  if (visibleTo === 'all_subjects' || visibleTo === 'acting_subject') return { kind: visibleTo };
  if ('environment_label' in visibleTo) return { kind: 'environment', environment_label: visibleTo.environment_label };
  return { kind: 'entity', entity_id: visibleTo.entity_id };
}
