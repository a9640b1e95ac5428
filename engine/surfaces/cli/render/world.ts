import type { EntityRecord, WorldRecord, WorldSnapshot } from '../../../ports/records.js';
import { EMPTY, faint, hanging, type Line, line, strong } from './line.js';
import { proseLines } from './prose.js';
import { tableLines } from './table.js';
import { shortHash, toMoment } from './words.js';

/** A world at one turn: places, agents and what they remember, things. */
export function worldLines(world: WorldSnapshot): readonly Line[] {
  const { world_slug, scenario_label, scenario_hash, turn, simulation_time, environments, entities } = world;
  return [
    line(strong(`world ${world_slug}`), `  at turn ${turn} · ${toMoment(simulation_time)}`),
    line(faint(`scenario ${scenario_label} (${shortHash(scenario_hash)})`)),
    ...environments.flatMap(({ label, content }) => [EMPTY, line('  ', strong(label)), ...proseLines(content, 4)]),
    ...entities.toSorted(agentsFirst).flatMap((entity) => [EMPTY, ...entityLines(entity)]),
  ];
}

/** All worlds, a line each. */
export function worldListLines(worlds: readonly WorldRecord[]): readonly Line[] {
  if (worlds.length === 0) return [line('There are no worlds. Make one: chukwa world create SLUG --scenario PATH')];
  const rows = worlds.map(({ world_slug, turn, simulation_time, scenario_label, scenario_hash }) => [
    turn,
    world_slug,
    toMoment(simulation_time),
    scenario_label,
    shortHash(scenario_hash),
  ]);
  return tableLines(['turn', 'world', 'simulation time', 'scenario', 'hash'], rows);
}

function agentsFirst(left: EntityRecord, right: EntityRecord): number {
  return Number(right.kind === 'agent') - Number(left.kind === 'agent');
}

function entityLines({ id, name, kind, environment, goal, state, memory }: EntityRecord): readonly Line[] {
  return [
    line(
      '  ',
      strong(id),
      faint(`  ${[name, kind, ...(environment === undefined ? [] : [`in ${environment}`])].join(' · ')}`),
    ),
    hanging(11, faint('    state  '), state),
    ...(goal === undefined ? [] : [hanging(11, faint('    goal   '), goal)]),
    ...memory.map((remembered) => hanging(11, faint(`    turn ${remembered.turn}`.padEnd(11)), remembered.content)),
  ];
}
