import type { WorldStory } from '../../../operations/tell-world.js';
import { EMPTY, faint, hanging, type Line, line, strong } from './line.js';
import { proseLines } from './prose.js';
import { toMoment } from './words.js';

/** A world retold: turn by turn, place by place, each subject in its own paragraph. */
export function worldStoryLines({ world_slug, turns }: WorldStory): readonly Line[] {
  if (turns.length === 0) return [hanging(0, `Nothing is told of ${world_slug} yet.`)];
  return turns.flatMap(({ turn, simulation_time, patches }, index) => [
    ...(index === 0 ? [] : [EMPTY]),
    line(strong(`turn ${turn}`), faint(`  ${toMoment(simulation_time)}`)),
    ...patches.flatMap(({ name, environment, narration }, at) => {
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
