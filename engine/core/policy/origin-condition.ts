import type { Rule as AuthoredRule } from '../../generated/tool-policy.js';
import type { Origin, Origins } from '../prompt/origins.js';

/** What a rule asks of the origins of a call's arguments. */
export interface OriginCondition {
  readonly listed: ReadonlySet<string>;
  readonly isMet: (found: Origins | 'anything') => boolean;
}

const EVERY_SOURCE = 'source:*';

const isOfSource = (origin: Origin): boolean => origin.startsWith('source:');

/** A rule that allows is careful: every origin must be listed. Any other matches as soon as one is. */
export function toOriginCondition({
  origins,
  decide: decision,
}: Pick<AuthoredRule, 'origins' | 'decide'>): OriginCondition | undefined {
  if (origins === undefined) return undefined;
  const listed: ReadonlySet<string> = new Set(origins);
  const everySource = listed.has(EVERY_SOURCE);
  const isListed = (origin: Origin): boolean => listed.has(origin) || (everySource && isOfSource(origin));
  const isMet = (found: Origins | 'anything'): boolean => {
    if (found === 'anything') return decision !== 'allow';
    return decision === 'allow' ? found.every(isListed) : found.some(isListed);
  };
  return { listed, isMet };
}

/** A rule that may have a condition on origins. */
interface OfOrigins {
  readonly origins?: OriginCondition;
}

/** Rules that origins may keep out: those without a condition on them, and those that list one that was found. */
type Narrow<Rule> = (origins: () => Origins | 'anything') => readonly Rule[];

/**
 * Prepares rules, in their order, so that a call asks few of them: a condition that lists no origin of the call is not met,
 * unless the call has none, or any.
 */
export function indexByOrigins<Rule extends OfOrigins>(rules: readonly Rule[]): Narrow<Rule> {
  const free = rules.filter(({ origins }) => origins === undefined);
  if (free.length === rules.length) return () => rules;
  const placesOf = new Map<string, number[]>();
  rules.forEach(({ origins }, place) => {
    for (const origin of origins?.listed ?? []) {
      const places = placesOf.get(origin) ?? [];
      places.push(place);
      placesOf.set(origin, places);
    }
  });
  const isFree = Uint8Array.from(rules, ({ origins }) => (origins === undefined ? 1 : 0));
  return (originsOf) => {
    const found = originsOf();
    if (found === 'anything' || found.length === 0) return rules;
    const keys = found.some(isOfSource) ? [...found, EVERY_SOURCE] : found;
    const listing = keys.flatMap((key) => placesOf.get(key) ?? []);
    if (listing.length === 0) return free;
    const isAsked = isFree.slice();
    for (const place of listing) isAsked[place] = 1;
    return rules.filter((_rule, place) => isAsked[place] === 1);
  };
}
