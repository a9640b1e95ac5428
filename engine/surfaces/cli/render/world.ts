import type { WorldSnapshot } from '../../../ports/worlds.js';
import type { ActiveWorld, ShownWorld } from '../../../operations/worlds/worlds.js';
import { command, EMPTY, faint, hanging, type Line, line, type Lines, strong, verbatim } from './line.js';
import { proseLines } from './block.js';
import { queueLines } from './queue.js';
import { placeList } from '../../../catalogue/place-list.js';
import { worldColumns } from '../../../catalogue/tables.js';
import { table } from '../../../catalogue/view.js';
import { blockLines, costLines } from './view.js';
import { shortHash, toMoment } from '../../../catalogue/words.js';
import type { WorldStory } from '../../../operations/worlds/world-story.js';

/** A world at one turn: places, agents and what they remember, things. */
export function worldLines(world: WorldSnapshot): Lines {
  const { world_slug, scenario_label, scenario_hash, turn, simulation_time, forked_from } = world;
  return [
    line(strong(`world ${world_slug}`), `  at turn ${turn} · ${toMoment(simulation_time)}`),
    line(faint(`scenario ${scenario_label} (${shortHash(scenario_hash)})`)),
    forked_from !== undefined && line(faint(`forked from ${forked_from.world_slug} at turn ${forked_from.turn}`)),
    EMPTY,
    blockLines(placeList(world)),
  ];
}

/** The same, with its cost, the world's scenarios, where they are several, and its queue. */
export function shownWorldLines({ queued_turns, put_off, scenarios, cost, ...world }: ShownWorld): Lines {
  const queued = queueLines(world.world_slug, { queued_turns, put_off });
  const lineage = scenarios.length > 1 ? [EMPTY, ...scenarios.map(scenarioLine)] : [];
  const spent = cost.calls > 0 && [EMPTY, costLines({ cost })];
  return [worldLines(world), spent, lineage, queued && [EMPTY, queued]];
}

function scenarioLine({ from_turn, scenario_label, scenario_hash, chosen_at }: ShownWorld['scenarios'][number]): Line {
  const from = `from turn ${from_turn}`.padEnd(14);
  return hanging(
    17,
    faint(`  ${from} `),
    `scenario ${scenario_label} (${shortHash(scenario_hash)}), chosen ${toMoment(chosen_at)}`,
  );
}

interface ListedWorlds {
  /** Its description. */
  readonly database: string;
  readonly worlds: readonly ActiveWorld[];
}

export function worldListLines({ database, worlds }: ListedWorlds): Lines {
  if (worlds.length === 0)
    return [
      line(`There are no worlds in the database (${database}).`),
      verbatim('Make one: ', command('world', 'create', 'SLUG', '--scenario', 'PATH')),
    ];
  const { 'last active (UTC)': _last, ...columns } = worldColumns;
  return [line(faint(`database: ${database}`)), blockLines(table(worlds, columns, ''))];
}

/** A world retold: turn by turn, place by place, each subject in its own paragraph. */
export function worldStoryLines({ world_slug, turns }: WorldStory): Lines {
  if (turns.length === 0) return [hanging(0, `${world_slug} has no story yet.`)];
  return turns.flatMap(({ turn, simulation_time, patches }, index) => [
    index > 0 && EMPTY,
    line(strong(`turn ${turn}`), faint(`  ${toMoment(simulation_time)}`)),
    patches.flatMap(({ name, environment, narration }, at) => {
      const isSamePlace = at > 0 && patches[at - 1]?.environment === environment;
      return [
        EMPTY,
        ...(isSamePlace || environment === null ? [] : [line(faint(`  in ${environment}`))]),
        line('  ', strong(name)),
        ...proseLines(narration, 4),
      ];
    }),
  ]);
}
