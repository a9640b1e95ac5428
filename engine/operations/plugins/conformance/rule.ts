import type { PluginBench } from '../../../ports/plugin-bench.js';
import type { Example } from '../../../generated/plugin-conformance.js';

/** What every rule works with. */
export interface Scene {
  readonly bench: PluginBench;
  readonly examples: readonly Example[];
  /** An example that succeeds, asked of a server where the plugin connects to one: what misbehaving servers are made from. */
  readonly model: Example;
}

/** What came of one rule. */
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
  readonly check: (scene: Scene) => Promise<Verdict>;
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

/** Waits. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
