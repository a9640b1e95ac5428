import type { Phrase } from './view.js';

type Listed = readonly string[] | null | undefined;

/** Everything that a value comes from, in words. */
export function sayOrigins(origins: Listed): string | null {
  return origins === null || origins === undefined ? null : origins.join(', ');
}

/** The origins of each argument of a call; `""` stands for all that are not listed. */
export function sayArgumentOrigins(origins: Readonly<Record<string, readonly string[]>> | null): Phrase {
  if (origins === null) return null;
  const { '': others = [], ...known } = origins;
  const listed = Object.entries(known).map(([pointer, its]) => `${pointer}: ${its.join(', ')}`);
  return [
    ...listed,
    ...(others.length === 0 ? [] : [`${listed.length === 0 ? '' : 'all else: '}${others.join(', ')}`]),
  ].join('; ');
}
