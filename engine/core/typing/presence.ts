/** Whether there is something at a place: in every value that can come, in some of them, or in none. */
export type Presence = 'there' | 'maybe' | 'never';

/** The presence of a value that can be any of several. @param presences at least one, else there is no value */
export function joinPresences(presences: readonly Presence[]): Presence {
  const [first = 'never'] = presences;
  return presences.every((presence) => presence === first) ? first : 'maybe';
}

/** The presence of a place below a place. */
export function followPresences(above: Presence, below: Presence): Presence {
  if (above === 'never' || below === 'never') return 'never';
  return above === 'there' ? below : 'maybe';
}
