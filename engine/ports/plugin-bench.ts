import type { Json, JsonObject } from '../contract/json.js';
import type { Problem } from '../contract/problem.js';
import type { InvocationContext, SourceFailure } from '../contract/source.js';
import type { PluginManifest } from '../generated/plugin-manifest.js';
import type { CallSource } from './sources.js';

/** Prepares one plugin to be examined: reads its manifest, and runs its entry where that can be found. */
export type LayOutPlugin = (folder: string) => Promise<LaidOutPlugin>;

/** How far a plugin could be prepared. */
export interface LaidOutPlugin {
  readonly folder: string;
  /** Where it is valid. */
  readonly manifest?: PluginManifest;
  /** Where nothing stood in the way. */
  readonly bench?: PluginBench;
  /** What stood in the way; the code says at which part. */
  readonly problems: readonly Problem[];
}

/** A plugin that can be asked, apart from every other and from every world. */
export interface PluginBench {
  readonly manifest: PluginManifest;
  /** Problems of a source's `interface`. */
  readonly validateInterface: (value: Json) => readonly Problem[];
  /** Begins with nothing opened. */
  readonly begin: (variables: Readonly<Record<string, string>>) => BenchSession;
}

/** The plugin under one set of variables. */
export interface BenchSession {
  /** The real pipeline. */
  readonly callSource: CallSource;
  /**
   * Opens a source as the pipeline does, to be asked without it.
   * @throws whatever the plugin throws while it opens
   */
  readonly open: (definition: JsonObject) => BareSource;
  /** How often sources opened by `open` have called the fetch that they were handed. */
  readonly countFetches: () => number;
  /** What the plugin has logged, as an operator would see it. */
  readonly listLogged: () => readonly string[];
  /** Ends every source and every connection. */
  readonly close: () => Promise<void>;
}

/** A source without the pipeline's stages before and behind it. */
export interface BareSource {
  /** Never rejects: what the plugin throws is its end. */
  readonly ask: (request: Json, context: Omit<InvocationContext, 'trace'>) => Promise<BareEnd>;
  /** Left out where the plugin has none. */
  readonly close?: () => Promise<void>;
}

/** What became of a call. */
export type BareEnd =
  | { readonly kind: 'answered'; readonly answer: unknown; readonly chunks: readonly string[] }
  | { readonly kind: 'threw'; readonly thrown: unknown; readonly failure: SourceFailure | undefined };
