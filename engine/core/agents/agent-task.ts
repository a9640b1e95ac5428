import type { AmbientSourceBinding } from '../../generated/workflow.js';
import { isVisibleTo, turnAmbientKey } from '../protocol/visibility.js';
import type { Entity } from '../world/world.js';
import type { AgentTask } from './recorded-attempt.js';

/** The parts of a stored workflow that the fold reads. */
export interface TaskDocument {
  readonly ambient_sources: readonly AmbientSourceBinding[];
  readonly apply: { readonly from: string };
}

/** The task of one of a stored workflow's subjects. */
export function agentTaskOf(workflow: TaskDocument, subject: Pick<Entity, 'id' | 'environment'>): AgentTask {
  return {
    apply_node: workflow.apply.from.slice(0, -'.final'.length),
    turn_reading_keys: workflow.ambient_sources
      .filter(({ run, visible_to }) => run === 'once_per_turn' && isVisibleTo(visible_to, subject))
      .map((binding) => turnAmbientKey(binding)),
  };
}
