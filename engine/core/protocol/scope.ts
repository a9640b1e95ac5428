import { present } from '../../contract/present.js';
import type { Json, JsonObject } from '../../contract/json.js';
import { isList } from '../content/json-pointer.js';
import type { Entity, World } from '../world/world.js';
import type { AmbientProgram } from './program.js';

/** The values of every template of one place: frozen when its subject, or the turn, starts. */
export interface Scope {
  readonly world: World;
  readonly simulation_time: string;
  readonly subject?: Entity;
  /** The readings that `inject_as` placed below `/ambient`. */
  readonly ambient: JsonObject;
}

/** The scope as request templates address it. Parts that grow with the world are made on demand. */
export function toTemplateContext(scope: Scope, nodes: Json): JsonObject {
  const { world, simulation_time } = scope;
  const environments = lazily(() =>
    Object.fromEntries([...world.environments].map(([label, content]) => [label, { content }])),
  );
  const entities = lazily(() => Object.fromEntries([...world.entities].map(([id, { state }]) => [id, { state }])));
  return {
    world: {
      slug: world.slug,
      attempted_turn: world.turn + 1,
      simulation_time,
      get environments() {
        return environments();
      },
      get entities() {
        return entities();
      },
    },
    ...present({ subject: scope.subject && toSubjectContext(scope.subject) }),
    ambient: scope.ambient,
    nodes,
  };
}

/** Makes a value at its first use. */
function lazily<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}

function toSubjectContext(subject: Entity): JsonObject {
  return {
    id: subject.id,
    name: subject.name,
    state: subject.state,
    ...present({ environment: subject.environment }),
  };
}

/** Injects readings below `/ambient`, each where its binding says. */
export function injectReadings(
  ambient: JsonObject,
  readings: readonly { readonly binding: AmbientProgram; readonly value: Json }[],
): JsonObject {
  return readings.reduce((into, { binding, value }) => injectAt(into, binding.inject_at, value), ambient);
}

function injectAt(into: JsonObject, [token, ...rest]: readonly string[], value: Json): JsonObject {
  if (token === undefined) throw new Error('a reading needs a place below /ambient');
  const inner = Object.hasOwn(into, token) ? into[token] : undefined;
  const below = typeof inner === 'object' && inner !== null && !isList(inner) ? inner : {};
  return { ...into, [token]: rest.length === 0 ? value : injectAt(below, rest, value) };
}
