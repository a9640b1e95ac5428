// Made by tools/generate-types.ts from schemas/response-source.schema.json: do not edit, run `npm run generate`.
import type { JsonObject } from '../contract/json.js';

/** For the editor only; dropped before hashing. */
export type SchemaUrl = string;
/** Lower-case letters and digits, joined by single hyphens or underscores; at most 64 characters. */
export type HumanId = string;
export type Description = string;
/** A reference to another document: the hash of its canonical form or, in a file, a relative path, which linking replaces by the hash. */
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
  /** How many calls of this source one process makes at the same time; further calls wait. By default, there is no limit. */
  readonly max_in_flight?: number;
}
export interface HashReference {
  readonly hash: string;
}
export interface PathReference {
  readonly path: string;
}
/** The retry policy of this source. It applies to generations, to read-only calls, and to calls with a side effect whose binding is repeatable; another call with a side effect is retried only where it is certain that it was not performed, as after status 429 or 503. By default, the first failure ends the attempt. */
export interface Retry {
  /** How many retries a call has. */
  readonly max: number;
  /** The failures after which a call is retried; http_5xx means the statuses 500 to 599. */
  readonly on: readonly ('timeout' | 'transport' | 'http_408' | 'http_425' | 'http_429' | 'http_5xx' | 'unavailable')[];
  /** The longest wait before the first retry; it doubles with each further one. The default is 500. */
  readonly backoff_ms?: number;
  /** The longest wait. If a service requests a longer one by Retry-After, there is no retry. The default is 30000, or backoff_ms if that is more. */
  readonly backoff_max_ms?: number;
}
