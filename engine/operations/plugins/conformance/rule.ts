import type { PluginBench } from '../../../ports/plugin-bench.js';
import type { Example } from '../../../generated/plugin-conformance.js';

export interface Scene {
  readonly bench: PluginBench;
  readonly examples: readonly Example[];
  /** An example that succeeds, asked of a server where the plugin connects to one: what misbehaving servers are made from. */
  readonly model: Example;
}

export type Verdict =
  | { readonly status: 'passed' }
  | { readonly status: 'failed'; readonly complaints: readonly string[]; readonly repair: string }
  | { readonly status: 'skipped'; readonly reason: string };

/** One thing that every plugin keeps. */
export interface Rule {
  readonly rule: string;
  readonly sentence: string;
  /** Rules without which this one could only repeat their complaint. */
  readonly needs: readonly string[];
  /** What to do about its complaints. */
  readonly repair: string;
  /** Why it cannot be looked at, for a reason that is no fault. */
  readonly skips?: (scene: Scene) => string | undefined;
  /** @returns complaints; none where the plugin keeps the rule */
  readonly check: (scene: Scene) => Promise<readonly string[]>;
}

/** Skips a rule about servers where the plugin is asked of none. */
export function withoutServer({ model }: Scene): string | undefined {
  return model.server === undefined ? 'it is asked of no server' : undefined;
}

/** The complaints of several tries, one after the other. */
export async function complainOf<Item>(
  items: readonly Item[],
  check: (item: Item) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const complaints: string[] = [];
  for (const item of items) complaints.push(...(await check(item)));
  return complaints;
}

export const PASSED: Verdict = { status: 'passed' };

/** Failed where there are complaints, each of them once. */
export function judge(complaints: readonly string[], repair: string): Verdict {
  return complaints.length === 0 ? PASSED : { status: 'failed', complaints: [...new Set(complaints)], repair };
}

/** Cannot be looked at, for a reason that is no fault. */
export function skip(reason: string): Verdict {
  return { status: 'skipped', reason };
}

/** How long a plugin may take to obey. */
const PATIENCE_MS = 4_000;

/** What a promise gives, or undefined where it takes longer than a plugin may. */
export async function soon<Value>(promise: Promise<Value>): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), PATIENCE_MS);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
