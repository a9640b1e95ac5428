import type { EntityRecord, WorldRecord, WorldSnapshot } from '../../../ports/records.js';
import { EMPTY, faint, hanging, type Line, line, strong } from './line.js';
import { proseLines } from './prose.js';
import { tableLines } from './table.js';
import { shortHash, toMoment } from './words.js';

/** A world at one turn: places, agents and what they remember, things. */
export function worldLines(world: WorldSnapshot): readonly Line[] {
  const { world_slug, scenario_label, scenario_hash, turn, simulation_time, environments, entities, forked_from } =
    world;
  return [
    line(strong(`world ${world_slug}`), `  at turn ${turn} · ${toMoment(simulation_time)}`),
    line(faint(`scenario ${scenario_label} (${shortHash(scenario_hash)})`)),
    ...(forked_from === undefined
      ? []
      : [line(faint(`forked from ${forked_from.world_slug} at turn ${forked_from.turn}`))]),
    ...environments.flatMap(({ label, content }) => [EMPTY, line('  ', strong(label)), ...proseLines(content, 4)]),
    ...entities.toSorted(agentsFirst).flatMap((entity) => [EMPTY, ...entityLines(entity)]),
  ];
}

/** All worlds, a line each. */
export function worldListLines(worlds: readonly WorldRecord[]): readonly Line[] {
  if (worlds.length === 0) return [line('There are no worlds. Make one: chukwa world create SLUG --scenario PATH')];
  const rows = worlds.map(({ world_slug, turn, simulation_time, scenario_label, scenario_hash, forked_from }) => [
    turn,
    world_slug,
    toMoment(simulation_time),
    scenario_label,
    shortHash(scenario_hash),
    forked_from === undefined ? '' : `${forked_from.world_slug} at ${forked_from.turn}`,
  ]);
  const head = ['turn', 'world', 'simulation time', 'scenario', 'hash'];
  const isForked = worlds.some(({ forked_from }) => forked_from !== undefined);
  return isForked
    ? tableLines([...head, 'forked from'], rows)
    : tableLines(
        head,
        rows.map((row) => row.slice(0, head.length)),
      );
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
