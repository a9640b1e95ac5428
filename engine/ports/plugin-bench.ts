import type { Json, JsonObject } from '../contract/json.js';
import type { Problem } from '../contract/problem.js';
import type { InvocationContext, SourceFailure } from '../contract/source.js';
import type { PluginManifest } from '../generated/plugin-manifest.js';
import type { CallSource } from './sources.js';

/** Prepares one plugin for examination: reads its manifest, and runs its entry if it can be found. */
export type PreparePlugin = (folder: string) => Promise<PreparedPlugin>;

/** A plugin, prepared as far as possible. */
export interface PreparedPlugin {
  readonly folder: string;
  /** Present where it is valid. */
  readonly manifest?: PluginManifest;
  /** Present where there is no problem. */
  readonly bench?: PluginBench;
  /** The problems; each code names the part. */
  readonly problems: readonly Problem[];
}

/** A plugin that can be called, apart from every other and from every world. */
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
   * Opens a source as the pipeline does, to be called without it.
   * @throws anything that the plugin throws while it opens
   */
  readonly open: (definition: JsonObject) => BareSource;
  /** The number of calls of the injected fetch by sources that `open` opened. */
  readonly countFetches: () => number;
  /** The plugin's log lines, as an operator would see them. */
  readonly listLogged: () => readonly string[];
  /** Ends every source and every connection. */
  readonly close: () => Promise<void>;
}

/** A source without the pipeline's stages before and behind it. */
export interface BareSource {
  /** Never rejects: an exception of the plugin is its end. */
  readonly ask: (request: Json, context: Omit<InvocationContext, 'trace'>) => Promise<BareEnd>;
  /** Absent where the plugin has none. */
  readonly close?: () => Promise<void>;
}

export type BareEnd =
  | { readonly kind: 'answered'; readonly answer: unknown; readonly chunks: readonly string[] }
  | { readonly kind: 'threw'; readonly thrown: unknown; readonly failure: SourceFailure | undefined };
