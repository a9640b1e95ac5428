import { present } from '../../contract/present.js';
import type { JsonObject } from '../../contract/json.js';
import type { Projection } from '../../generated/workflow.js';
import { quoteName, quoteText } from '../prompt/quote.js';
import type { Entity, Memory, World } from './world.js';

export type { Projection };

/** The part of a world that a subject may see: the only names that prompts and feedback may mention. */
export interface Projected {
  readonly environments: readonly { readonly label: string; readonly content: string }[];
  readonly entities: readonly Entity[];
}

/** The part of a world that a subject sees. The subject itself is always there. */
export function project(world: World, subject: Entity, projection: Projection): Projected {
  const { labels, ids } = projection.scope === 'world' ? everywhere(world) : around(world, subject);
  return {
    environments: labels.flatMap((label) => {
      const content = world.environments.get(label);
      return content === undefined ? [] : [{ label, content }];
    }),
    entities: ids.flatMap((id) => world.entities.get(id) ?? []),
  };
}

/** Names in the scenario's order. */
interface Region {
  readonly labels: readonly string[];
  readonly ids: readonly string[];
}

function everywhere({ environments, entities }: World): Region {
  return { labels: [...environments.keys()], ids: [...entities.keys()] };
}

/** A subject's perceptions at its place, by the index of the world: all else is not looked at. */
function around({ residents }: World, { id, environment }: Entity): Region {
  if (environment === undefined) return { labels: [], ids: [id] };
  return { labels: [environment], ids: residents.get(environment) ?? [] };
}

/** Whether a subject perceives what is in an environment. */
export function perceivesPlace(subject: Entity, { scope }: Pick<Projection, 'scope'>, label: string): boolean {
  return scope === 'world' || label === subject.environment;
}

/** Whether a subject perceives an entity and its actions. Entities never change their environment. */
export function perceivesEntity(subject: Entity, projection: Pick<Projection, 'scope'>, entity: Entity): boolean {
  const { id, environment } = entity;
  if (projection.scope === 'world' || id === subject.id) return true;
  return environment !== undefined && perceivesPlace(subject, projection, environment);
}

/** A subject's projection, as a prompt shows it. Memories are the subject's own and are not part of it. */
export function toProjectionJson(projected: Projected): JsonObject {
  return {
    environments: Object.fromEntries(projected.environments.map(({ label, content }) => [label, content])),
    entities: Object.fromEntries(projected.entities.map((entity) => [entity.id, toEntityJson(entity)])),
  };
}

function toEntityJson(entity: Entity): JsonObject {
  return {
    name: entity.name,
    kind: entity.kind,
    ...present({ environment: entity.environment }),
    state: entity.state,
  };
}

/** The acting subject in prose, with its latest memories, oldest first. */
export function renderSubject(subject: Entity, projection: Projection): string {
  const recent = projection.memory.recent === 0 ? [] : subject.memory.slice(-projection.memory.recent);
  return [
    `${quoteName(subject.name)} (id: ${subject.id})`,
    ...(subject.goal === undefined ? [] : [`Goal: ${quoteText(subject.goal)}`]),
    ...(subject.environment === undefined ? [] : [`Environment: ${subject.environment}`]),
    `State: ${quoteText(subject.state)}`,
    ...(recent.length === 0 ? [] : ['Memories, oldest first:', renderMemories(recent)]),
  ].join('\n');
}

/** Memories as a prompt shows them, a line each. */
export function renderMemories(memories: readonly Memory[]): string {
  const lines = memories.map(({ turn, content }) => `- [turn ${turn}] ${quoteText(content)}`);
  return lines.length === 0 ? '- none' : lines.join('\n');
}

/** The memories that the scenario gives its subject. */
export function pinnedMemories({ memory }: Entity): readonly Memory[] {
  return memory.filter(({ turn }) => turn === 0);
}
