import type { AttemptOfTurn } from './attempts.js';

/** Moves worlds between databases, with their whole record, as lines of text. */
export interface WorldTransfer {
  /**
   * Exports worlds, and those whose turns they share, from one snapshot.
   * @param write gets a line without its end; an exception of it ends the export
   */
  export(world_slugs: readonly string[], write: (line: string) => Promise<void>): Promise<Exported>;
  /** Imports an export: all of it, or nothing. @param lines without their ends */
  import(lines: AsyncIterable<string>): Promise<Imported>;
}

/** The summary of an export, or why there is none. */
export type Exported =
  | { readonly kind: 'exported'; readonly worlds: readonly string[]; readonly rows: number }
  | { readonly kind: 'unknown_world'; readonly world_slug: string }
  | { readonly kind: 'under_way'; readonly attempt: OpenAttempt };

/** An attempt that has not ended. */
export interface OpenAttempt extends AttemptOfTurn {
  readonly world_slug: string;
  readonly status: 'running' | 'suspended';
}

/** The summary of an import, or why there is none. */
export type Imported =
  | { readonly kind: 'imported'; readonly worlds: readonly string[]; readonly rows: number }
  | { readonly kind: 'world_exists'; readonly world_slug: string }
  | { readonly kind: 'other_version'; readonly found: string; readonly expected: string; readonly is_later: boolean }
  | { readonly kind: 'damaged'; readonly reason: string };
