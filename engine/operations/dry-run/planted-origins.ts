import { present } from '../../contract/present.js';
import type { Origins } from '../../core/prompt/origins.js';
import { composeWorld, type World } from '../../core/world/world.js';
import type { WorldStart } from '../../ports/worlds.js';
import type { Engine } from '../engine.js';

/**
 * An engine in which what a planted world begins with comes from where it came from in its own world: here, no patch has
 * written it, and policy would take it for the scenario's.
 */
export function withOrigins(engine: Engine, start: Pick<WorldStart, 'environments' | 'entities'>): Engine {
  const ofMemory = originsOfMemories(start);
  const { attempts } = engine.runtime;
  const begin: typeof attempts.begin = async (request, isAlive) => {
    const begun = await attempts.begin(request, isAlive);
    return begun.kind === 'begun' ? { ...begun, world: toOriginal(begun.world, start, ofMemory) } : begun;
  };
  const retrieve: typeof attempts.retrieve = async (lease, query) => {
    const found = await attempts.retrieve(lease, query);
    return found.map((memory) => ({ ...ofMemory(query.entity_id, memory), ...memory }));
  };
  return { ...engine, runtime: { ...engine.runtime, attempts: { ...attempts, begin, retrieve } } };
}

type OfMemory = (
  entity_id: string,
  memory: { readonly turn: number; readonly content: string },
) => { readonly origins?: Origins };

function originsOfMemories({ entities }: Pick<WorldStart, 'entities'>): OfMemory {
  const nameOf = (entity_id: string, turn: number, content: string) => JSON.stringify([entity_id, turn, content]);
  const known = new Map(
    entities.flatMap(({ id, memory }) =>
      memory.map(({ turn, content, origins }) => [nameOf(id, turn, content), origins] as const),
    ),
  );
  return (entity_id, { turn, content }) => present({ origins: known.get(nameOf(entity_id, turn, content)) });
}

/** What a patch has written since has origins already. */
function toOriginal(
  world: World,
  { environments, entities }: Pick<WorldStart, 'environments' | 'entities'>,
  ofMemory: OfMemory,
): World {
  const ofEnvironment = new Map(environments.map(({ label, origins }) => [label, present({ origins })]));
  const ofEntity = new Map(entities.map(({ id, origins }) => [id, present({ origins })]));
  return composeWorld({
    ...world,
    environments: [...world.environments].map(([label, content]) => [
      label,
      { ...ofEnvironment.get(label), ...content },
    ]),
    entities: [...world.entities.values()].map((entity) => ({
      ...ofEntity.get(entity.id),
      ...entity,
      memory: entity.memory.map((memory) => ({ ...ofMemory(entity.id, memory), ...memory })),
    })),
  });
}
