import { nearestFirst } from '../content/nearest-name.js';
import { quoteName } from '../prompt/quote.js';
import type { Projected } from './projection.js';
import type { Entity } from './world.js';

/** How many names a roster shows before it says how many more there are. */
const ROSTER_MAX = 50;

/** The names that a patch may use: each id, and the name that is shown behind it; `''` shows none. */
export type Names = readonly (readonly [id: string, name: string])[];

export function entityNames(entities: readonly Entity[]): Names {
  return entities.map(({ id, name }) => [id, name]);
}

/** The names of the agents that a subject perceives. */
export function agentNames({ entities }: Projected): Names {
  return entityNames(entities.filter(({ kind }) => kind === 'agent'));
}

/** The labels of the environments that a subject perceives. */
export function placeNames({ environments }: Projected): Names {
  return environments.map(({ label }) => [label, '']);
}

/** A list of names for a model, the nearest to what was written first, at most `ROSTER_MAX`. */
export function renderRoster(written: string, names: Names): string {
  const nameOf = new Map(names);
  const ordered = nearestFirst(written, [...nameOf.keys()]);
  if (ordered.length === 0) return '- none';
  const lines = ordered.slice(0, ROSTER_MAX).map((id) => {
    const name = nameOf.get(id);
    return name ? `- ${id} (${quoteName(name)})` : `- ${id}`;
  });
  const more = ordered.length - lines.length;
  return [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n');
}
