import { present } from '../../contract/present.js';
import type { Json } from '../../contract/json.js';
import type { Projection } from '../../generated/workflow.js';
import { canonicalText } from '../content/canonical.js';
import { joinPieces, OF_SCENARIO, type Piece, structure } from '../prompt/origins.js';
import { quoteName, quoteText } from '../prompt/quote.js';
import type { Content, Entity, Memory, World } from './world.js';

export type { Projection };

/** The part of a world that a subject may see: the only names that prompts and feedback may mention. */
export interface Projected {
  readonly environments: readonly (Content & { readonly label: string })[];
  readonly entities: readonly Entity[];
}

/** The part of a world that a subject sees. The subject itself is always there. */
export function project(world: World, subject: Entity, projection: Projection): Projected {
  const { labels, ids } = projection.scope === 'world' ? everywhere(world) : around(world, subject);
  return {
    environments: labels.flatMap((label) => {
      const content = world.environments.get(label);
      return content === undefined ? [] : [{ label, ...content }];
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

/** A subject's projection as canonical JSON, as a prompt shows it. Memories are the subject's own and are not part of it. */
export function renderProjection({ entities, environments }: Projected): readonly Piece[] {
  return [
    structure('{"entities":{'),
    ...renderMembers(entities.map((entity) => ({ ...entity, name: entity.id, json: toEntityJson(entity) }))),
    structure('},"environments":{'),
    ...renderMembers(environments.map(({ label, content, ...rest }) => ({ name: label, json: content, ...rest }))),
    structure('}}'),
  ];
}

interface Member extends Pick<Content, 'origins'> {
  readonly name: string;
  readonly json: Json;
}

function renderMembers(members: readonly Member[]): readonly Piece[] {
  const ordered = members.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const pieces = ordered.map(({ name, json, origins = OF_SCENARIO }) => {
    return { text: `${canonicalText(name)}:${canonicalText(json)}`, origins };
  });
  return joinPieces(pieces, ',');
}

function toEntityJson({ name, kind, environment, state }: Entity): Json {
  return { name, kind, ...present({ environment }), state };
}

/** The acting subject in prose, with its latest memories, oldest first. */
export function renderSubject(subject: Entity, projection: Projection): readonly Piece[] {
  const recent = recentMemories(subject, projection);
  const fixed = [
    `${quoteName(subject.name)} (id: ${subject.id})`,
    ...(subject.goal === undefined ? [] : [`Goal: ${quoteText(subject.goal)}`]),
    ...(subject.environment === undefined ? [] : [`Environment: ${subject.environment}`]),
  ];
  return joinPieces(
    [
      { text: fixed.join('\n'), origins: OF_SCENARIO },
      { text: `State: ${quoteText(subject.state)}`, origins: subject.origins ?? OF_SCENARIO },
      ...(recent.length === 0 ? [] : [structure('Memories, oldest first:'), ...toLines(recent)]),
    ],
    '\n',
  );
}

/** The latest memories of a subject that its projection includes. */
export function recentMemories({ memory }: Entity, { memory: { recent } }: Projection): readonly Memory[] {
  return recent === 0 ? [] : memory.slice(-recent);
}

/** Memories as a prompt shows them, a line each. */
export function renderMemories(memories: readonly Memory[]): readonly Piece[] {
  return memories.length === 0 ? [structure('- none')] : joinPieces(toLines(memories), '\n');
}

function toLines(memories: readonly Memory[]): readonly Piece[] {
  return memories.map(({ turn, content, origins = OF_SCENARIO }) => {
    return { text: `- [turn ${turn}] ${quoteText(content)}`, origins };
  });
}

/** The memories that the scenario gives its subject. */
export function pinnedMemories({ memory }: Entity): readonly Memory[] {
  return memory.filter(({ turn }) => turn === 0);
}
