import type { JsonObject } from '../contract/json.js';
import type { ComponentReference } from '../core/protocol/component.js';
import type { ComponentKind } from './validation.js';

export interface ComponentRecord {
  readonly kind: ComponentKind;
  /** SHA-256 of the canonical form, 64 hex digits. */
  readonly hash: string;
  readonly content: JsonObject;
}

export interface ComponentToStore extends ComponentRecord {
  readonly refers_to: readonly { readonly kind: ComponentKind; readonly hash: string }[];
}

/** A stored document as a list shows it. */
export interface ComponentSummary extends ComponentReference {
  /** Its `label`, or a schema's `title` or `$id`. */
  readonly label: string | null;
}

/** A stored document in a list of its kind. */
export interface StoredComponent extends ComponentSummary {
  readonly created_at: string;
}

/** The references of a document in both directions, one step each. */
export interface ComponentUses {
  readonly refers_to: readonly ComponentSummary[];
  readonly used_by: readonly ComponentSummary[];
  /** Worlds that have it; of scenarios only. */
  readonly worlds: readonly string[];
}
