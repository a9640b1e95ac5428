import type { PluginBench } from '../../../ports/plugin-bench.js';
import type { PlayedExample } from './examples.js';

export interface Scene {
  readonly bench: PluginBench;
  readonly examples: readonly PlayedExample[];
  /** An example that succeeds, with a server where the plugin connects to one: the base of misbehaving servers. */
  readonly model: PlayedExample;
}

export type Verdict =
  | { readonly status: 'passed' }
  | { readonly status: 'failed'; readonly complaints: readonly string[]; readonly repair: string }
  /** `applies` is false where nothing has to be mended before it can be looked at. */
  | { readonly status: 'skipped'; readonly reason: string; readonly applies: boolean };

export interface Rule {
  readonly rule: string;
  readonly sentence: string;
  /** Rules that must hold first: without them this one would repeat their complaints. */
  readonly needs: readonly string[];
  readonly repair: string;
  readonly skips?: (scene: Scene) => string | undefined;
  /** @returns complaints; none where the plugin keeps the rule */
  readonly check: (scene: Scene) => Promise<readonly string[]>;
}

/** Skips a rule about servers for a plugin without a server. */
export function withoutServer({ model }: Scene): string | undefined {
  return model.server === undefined ? 'no server is asked' : undefined;
}

/** The complaints of several checks, one after the other. */
export async function complainOf<Item>(
  items: readonly Item[],
  check: (item: Item) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const complaints: string[] = [];
  for (const item of items) complaints.push(...(await check(item)));
  return complaints;
}

export const PASSED: Verdict = { status: 'passed' };

/** A failed verdict where there are complaints, without repetitions. */
export function judge(complaints: readonly string[], repair: string): Verdict {
  return complaints.length === 0 ? PASSED : { status: 'failed', complaints: [...new Set(complaints)], repair };
}

export function skip(reason: string, applies = true): Verdict {
  return { status: 'skipped', reason, applies };
}

const PATIENCE_MS = 4_000;

/** The value of a promise, or undefined at the time limit for plugins. */
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
