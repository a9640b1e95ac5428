// Made by tools/generate-types.ts from schemas/response-source.schema.json: do not edit, run `npm run generate`.
import type { JsonObject } from '../contract/json.js';

/** For the editor only; dropped before hashing. */
export type SchemaUrl = string;
/** Lower-case letters and digits, joined by single hyphens or underscores. */
export type HumanId = string;
export type Description = string;
/** Another document: the hash of its canonical form or, in a file, a relative path, which storing replaces by the hash. */
export type Reference = HashReference | PathReference;

/** An external service or model, and the interface settings with which a plugin calls it. */
export interface ResponseSource {
  readonly $schema?: SchemaUrl;
  readonly version: 1;
  readonly label: HumanId;
  readonly description?: Description;
  /** Checked against the plugin's own interface schema. */
  readonly interface: JsonObject & { readonly name: string };
  readonly request_schema_ref?: Reference;
  readonly retry?: Retry;
  /** How many calls of this source one process makes at a time; others wait. No limit by default. */
  readonly max_in_flight?: number;
}
export interface HashReference {
  readonly hash: string;
}
export interface PathReference {
  readonly path: string;
}
/** When a failed call is made again: a generation, a read-only call, or one whose binding is repeatable; another with a side effect only where it certainly was not performed, as after status 429 or 503. Without it, the first failure ends the attempt. */
export interface Retry {
  /** How many retries a call has. */
  readonly max: number;
  /** The failures after which a call is retried; http_5xx is 500 to 599. */
  readonly on: readonly ('timeout' | 'transport' | 'http_408' | 'http_425' | 'http_429' | 'http_5xx' | 'unavailable')[];
  /** The longest wait before the first retry, doubled with each further one; 500 by default. */
  readonly backoff_ms?: number;
  /** The longest wait; 30000 by default, or backoff_ms if that is more. If Retry-After wants a longer one, there is no retry. */
  readonly backoff_max_ms?: number;
}
