import type { Problem } from '../../contract/problem.js';
import { pick } from '../../contract/pick.js';
import type { Validate } from '../../core/protocol/program.js';
import type { PreparePlugin } from '../../ports/plugin-bench.js';
import type { PluginCatalogue, PluginDescription } from '../../ports/sources.js';

export interface Workshop {
  readonly catalogue: PluginCatalogue;
  /** Where confirmed plugins are kept; undefined where the environment names no folder of this user. */
  readonly user_folder: string | undefined;
  readonly preparePlugin: PreparePlugin;
  /** Validates a plugin's `conformance.json`. */
  readonly validateExamples: Validate;
}

/** The plugins that were found, and why others are left out or may not run yet. */
export interface PluginList {
  readonly plugins: readonly Pick<PluginDescription, (typeof LISTED)[number]>[];
  readonly problems: readonly Problem[];
}

const LISTED = ['name', 'description', 'speaks', 'version', 'folder'] as const;

/** All plugins that were found, by name. */
export function listPlugins({ catalogue }: Pick<Workshop, 'catalogue'>): PluginList {
  const plugins = catalogue.plugins.map((plugin) => pick(plugin, LISTED));
  const unconfirmed = catalogue.plugins.flatMap((plugin) => plugin.unconfirmed ?? []);
  return {
    plugins: plugins.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    problems: [...catalogue.problems, ...unconfirmed],
  };
}
