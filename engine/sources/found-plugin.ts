import type { PluginManifest } from '../generated/plugin-manifest.js';

/** A folder with a valid manifest; none of its code has run. */
export interface FoundPlugin {
  readonly folder: string;
  readonly manifest: PluginManifest;
}
