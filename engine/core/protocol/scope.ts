import { present } from '../../contract/present.js';
import type { Json, JsonObject } from '../../contract/json.js';
import { isList, overlaps } from '../content/json-pointer.js';
import { type Answered, originsWithin } from '../policy/answer-origins.js';
import type { OriginsAt } from '../policy/provenance.js';
import { OF_AUTHOR, OF_SCENARIO, type Origins, unionOf } from '../prompt/origins.js';
import type { Entity, World } from '../world/world.js';
import type { AmbientProgram } from './program.js';

/** The values of every template of one place: frozen when its subject, or the turn, starts. */
export interface Scope {
  readonly world: World;
  readonly simulation_time: string;
  readonly subject?: Entity;
  /** The readings that `inject_as` placed below `/ambient`. */
  readonly ambient: JsonObject;
  /** The same readings, one by one. */
  readonly readings: readonly Reading[];
}

/** A reading and the binding that says where it is injected. */
export interface Reading {
  readonly binding: AmbientProgram;
  readonly answer: Answered;
}

/** The outputs of finished nodes, by their ids. */
export type Outputs = ReadonlyMap<string, Answered>;

/** Where the values of templates come from. */
export function traceScope({ world, subject, readings }: Scope, outputs: Outputs): OriginsAt {
  return ([room, ...path]) => {
    switch (room) {
      case 'ambient':
        return ofReadings(readings, path);
      case 'nodes':
        return ofOutputs(outputs, path);
      case 'subject':
        return path.length === 0 || path[0] === 'state' ? (subject?.origins ?? OF_SCENARIO) : OF_SCENARIO;
      case 'world':
        return ofWorld(world, path);
      default:
        return OF_AUTHOR;
    }
  };
}

function ofReadings(readings: readonly Reading[], path: readonly string[]): Origins {
  const read = readings.filter(({ binding }) => overlaps(binding.inject_at, path));
  return unionOf(read.map(({ binding, answer }) => originsWithin(answer, path.slice(binding.inject_at.length))));
}

function ofOutputs(outputs: Outputs, [id, _output, ...path]: readonly string[]): Origins {
  const read = id === undefined ? [...outputs.values()] : [outputs.get(id) ?? []].flat();
  return unionOf(read.map((output) => originsWithin(output, path)));
}

function ofWorld({ environments, entities }: World, [kind, name]: readonly string[]): Origins {
  if (kind !== undefined && kind !== 'environments' && kind !== 'entities') return OF_SCENARIO;
  const read = (
    kind === undefined ? [environments, entities] : [kind === 'entities' ? entities : environments]
  ).flatMap((values): readonly { readonly origins?: Origins }[] =>
    name === undefined ? [...values.values()] : [values.get(name) ?? {}],
  );
  return unionOf(read.map(({ origins = OF_SCENARIO }) => origins));
}

/** The scope as request templates address it. Parts that grow with the world are made on demand. */
export function toTemplateContext(scope: Scope, nodes: Json): JsonObject {
  const { world, simulation_time } = scope;
  const environments = lazily(() =>
    Object.fromEntries([...world.environments].map(([label, { content }]) => [label, { content }])),
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
export function injectReadings(readings: readonly Reading[]): Pick<Scope, 'ambient' | 'readings'> {
  const inject = (into: JsonObject, { binding, answer }: Reading) => injectAt(into, binding.inject_at, answer.value);
  return { readings, ambient: readings.reduce(inject, {}) };
}

function injectAt(into: JsonObject, [token, ...rest]: readonly string[], value: Json): JsonObject {
  if (token === undefined) throw new Error('a reading needs a place below /ambient');
  const inner = Object.hasOwn(into, token) ? into[token] : undefined;
  const below = typeof inner === 'object' && inner !== null && !isList(inner) ? inner : {};
  return { ...into, [token]: rest.length === 0 ? value : injectAt(below, rest, value) };
}
