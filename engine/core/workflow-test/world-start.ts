import { present } from '../../contract/present.js';
import type { Scenario } from '../../generated/scenario.js';
import type { Given } from '../../generated/workflow-test.js';
import type { Memory } from '../world/world.js';

interface StartOfWorld {
  readonly turn: number;
  readonly environments: readonly { readonly label: string; readonly content: string }[];
  readonly entities: readonly { readonly id: string; readonly state: string; readonly memory: readonly Memory[] }[];
}

/** A scenario's beginning, with some values replaced. */
export function startOfWorld(scenario: Scenario, given: Given = {}): StartOfWorld {
  return {
    turn: given.turn ?? 0,
    environments: scenario.environments.map(({ label, content }) => ({
      label,
      content: given.environments?.[label]?.content ?? content,
    })),
    entities: scenario.entities.map(({ id, state, memory = [] }) => {
      const other = given.entities?.[id];
      return { id, state: other?.state ?? state, memory: (other?.memory ?? memory).map(toMemory) };
    }),
  };
}

/** The values to replace so that a scenario begins with a world's contents. */
export function givenFor(scenario: Scenario, start: StartOfWorld): Given {
  const plain = startOfWorld(scenario);
  const entities = start.entities.flatMap(({ id, state, memory }) => {
    const own = plain.entities.find((entity) => entity.id === id);
    const other = present({
      state: own?.state === state ? undefined : state,
      memory: isSame(own?.memory ?? [], memory) ? undefined : memory.map(fromMemory),
    });
    return Object.keys(other).length === 0 ? [] : [[id, other] as const];
  });
  const environments = start.environments.flatMap(({ label, content }) =>
    plain.environments.some((own) => own.label === label && own.content === content)
      ? []
      : [[label, { content }] as const],
  );
  return present({
    turn: start.turn === 0 ? undefined : start.turn,
    entities: entities.length === 0 ? undefined : Object.fromEntries(entities),
    environments: environments.length === 0 ? undefined : Object.fromEntries(environments),
  });
}

function toMemory(memory: string | Memory): Memory {
  return typeof memory === 'string' ? { content: memory, turn: 0 } : memory;
}

function fromMemory(memory: Memory): string | Memory {
  return memory.turn === 0 ? memory.content : { content: memory.content, turn: memory.turn };
}

function isSame(one: readonly Memory[], other: readonly Memory[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ content, turn }, index) => other[index]?.content === content && other[index]?.turn === turn)
  );
}
