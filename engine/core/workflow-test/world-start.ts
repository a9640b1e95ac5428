import { present } from '../../contract/present.js';
import type { Scenario } from '../../generated/scenario.js';
import type { Given, GivenMemory } from '../../generated/workflow-test.js';
import type { Origins } from '../prompt/origins.js';
import type { Content, Entity, Memory } from '../world/world.js';

interface StartOfWorld {
  readonly turn: number;
  readonly environments: readonly ({ readonly label: string } & Content)[];
  readonly entities: readonly Pick<Entity, 'id' | 'state' | 'origins' | 'memory'>[];
}

/** A scenario's beginning, with some values replaced. */
export function startOfWorld(scenario: Scenario, given: Given = {}): StartOfWorld {
  return {
    turn: given.turn ?? 0,
    environments: scenario.environments.map(({ label, content }) => {
      const other = given.environments?.[label];
      return { label, content: other?.content ?? content, ...fromWhere(other) };
    }),
    entities: scenario.entities.map(({ id, state, memory = [] }) => {
      const other = given.entities?.[id];
      return { id, state: other?.state ?? state, ...fromWhere(other), memory: (other?.memory ?? memory).map(toMemory) };
    }),
  };
}

/** The values to replace so that a scenario begins with a world's contents. */
export function givenFor(scenario: Scenario, start: StartOfWorld): Given {
  const plain = startOfWorld(scenario);
  const entities = start.entities.flatMap(({ id, state, origins, memory }) => {
    const own = plain.entities.find((entity) => entity.id === id);
    const other = present({
      state: own?.state === state ? undefined : state,
      origins: toGiven(origins),
      memory: isSame(own?.memory ?? [], memory) ? undefined : memory.map(fromMemory),
    });
    return Object.keys(other).length === 0 ? [] : [[id, other] as const];
  });
  const environments = start.environments.flatMap(({ label, content, origins }) =>
    origins === undefined && plain.environments.some((own) => own.label === label && own.content === content)
      ? []
      : [[label, present({ content, origins: toGiven(origins) })] as const],
  );
  return present({
    turn: start.turn === 0 ? undefined : start.turn,
    entities: entities.length === 0 ? undefined : Object.fromEntries(entities),
    environments: environments.length === 0 ? undefined : Object.fromEntries(environments),
  });
}

function toMemory(memory: string | GivenMemory): Memory {
  if (typeof memory === 'string') return { content: memory, turn: 0 };
  const { content, turn } = memory;
  return { content, turn, ...fromWhere(memory) };
}

function fromMemory({ content, turn, origins }: Memory): string | GivenMemory {
  return turn === 0 && origins === undefined ? content : present({ content, turn, origins: toGiven(origins) });
}

/** The origins of a value; without any it is the scenario's. The schema has checked their words. */
function fromWhere(given: { readonly origins?: readonly string[] } | undefined): { readonly origins?: Origins } {
  return present({ origins: given?.origins as Origins | undefined });
}

function toGiven(origins: Origins | undefined): [string, ...string[]] | undefined {
  return origins as [string, ...string[]] | undefined;
}

function isSame(one: readonly Memory[], other: readonly Memory[]): boolean {
  return (
    one.length === other.length &&
    other.every(
      ({ content, turn, origins }, index) =>
        origins === undefined && one[index]?.content === content && one[index]?.turn === turn,
    )
  );
}
