import type { Problem } from '../../contract/problem.js';
import { pick } from '../../contract/pick.js';
import type { Validate } from '../../core/protocol/program.js';
import type { PreparePlugin } from '../../ports/plugin-bench.js';
import type { PluginCatalogue, PluginDescription } from '../../ports/sources.js';

export interface Workshop {
  readonly catalogue: PluginCatalogue;
  readonly preparePlugin: PreparePlugin;
  /** Validates a plugin's `conformance.json`. */
  readonly validateExamples: Validate;
}

/** The plugins that can be used, and why others cannot. */
export interface PluginList {
  readonly plugins: readonly Pick<PluginDescription, (typeof LISTED)[number]>[];
  readonly problems: readonly Problem[];
}

const LISTED = ['name', 'description', 'speaks', 'version', 'folder'] as const;

/** All plugins that were found, by name. */
export function listPlugins({ catalogue }: Workshop): PluginList {
  const plugins = catalogue.plugins.map((plugin) => pick(plugin, LISTED));
  return { plugins: plugins.toSorted((a, b) => (a.name < b.name ? -1 : 1)), problems: catalogue.problems };
}
