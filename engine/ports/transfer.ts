import type { JsonObject } from '../contract/json.js';
import type { AttemptOfTurn } from './attempts.js';
import type { ComponentKind } from './validation.js';

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

/** Finds what is wrong with the row of a document: its member, its place and the reason; undefined where nothing is. */
export type FindDocumentFault = (kind: ComponentKind, row: JsonObject) => string | undefined;
