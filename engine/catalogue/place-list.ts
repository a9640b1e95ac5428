import type { Entity } from '../core/world/world.js';
import type { WorldSnapshot } from '../ports/worlds.js';
import { type Block, type Blocks, facts, faint, list, note, prose, strong } from './view.js';

/** The places of a world, then its agents and what they remember, then its things. */
export function placeList({ environments, entities }: Pick<WorldSnapshot, 'environments' | 'entities'>): Block {
  const agentsFirst = (left: Entity, right: Entity): number =>
    Number(right.kind === 'agent') - Number(left.kind === 'agent');
  return list([
    ...environments.map(({ label, content }) => [note(strong(label)), prose(content)]),
    ...entities.toSorted(agentsFirst).map(drawEntity),
  ]);
}

function drawEntity({ id, name, kind, environment, goal, state, memory }: Entity): Blocks {
  const about = [name, kind, ...(environment === undefined ? [] : [`in ${environment}`])];
  return [
    note(strong(id), faint(`  ${about.join(' · ')}`)),
    facts({ state, goal: goal ?? null }),
    ...memory.map((remembered) => note(faint(`turn ${remembered.turn} `), remembered.content)),
  ];
}
