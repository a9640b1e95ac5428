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

export interface ComponentStore {
  /** One transaction; idempotent, in any order. @returns how many were new */
  put(components: readonly ComponentToStore[]): Promise<number>;
  find(kind: ComponentKind, hash: string): Promise<ComponentRecord | undefined>;
  /** A component and everything that it refers to, directly or not. */
  closure(kind: ComponentKind, hash: string): Promise<readonly ComponentRecord[]>;
  /** All of one kind, by label and hash. */
  list(kind: ComponentKind): Promise<readonly StoredComponent[]>;
  /** The number of documents of each kind that has any. */
  count(): Promise<ReadonlyMap<ComponentKind, number>>;
  /** Those of any kind whose hash begins so, at most 20. */
  startingWith(digits: string): Promise<readonly ComponentSummary[]>;
  uses(kind: ComponentKind, hash: string): Promise<ComponentUses>;
}
