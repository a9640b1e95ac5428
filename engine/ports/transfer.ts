/** Moves worlds between databases, with all that is recorded of them, as lines of text. */
export interface WorldTransfer {
  /**
   * Writes out worlds, and those whose turns they share, as they are at one instant.
   * @param write takes a line without its end; what it throws ends the export
   */
  export(world_slugs: readonly string[], write: (line: string) => Promise<void>): Promise<Exported>;
  /** Takes in what was written out: all of it, or nothing. @param lines without their ends */
  import(lines: AsyncIterable<string>): Promise<Imported>;
}

/** What was written out, or why nothing was. */
export type Exported =
  | { readonly kind: 'exported'; readonly worlds: readonly string[]; readonly rows: number }
  | { readonly kind: 'unknown_world'; readonly world_slug: string }
  | { readonly kind: 'under_way'; readonly attempt: OpenAttempt };

/** An attempt that has not ended. */
export interface OpenAttempt {
  readonly world_slug: string;
  readonly attempt_id: string;
  readonly attempted_turn: number;
  readonly status: 'running' | 'suspended';
}

/** What was taken in, or why nothing was. */
export type Imported =
  | { readonly kind: 'imported'; readonly worlds: readonly string[]; readonly rows: number }
  | { readonly kind: 'world_exists'; readonly world_slug: string }
  | { readonly kind: 'other_version'; readonly found: string; readonly expected: string }
  | { readonly kind: 'damaged'; readonly reason: string };
