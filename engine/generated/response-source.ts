// Made by tools/generate-types.ts from schemas/response-source.schema.json: do not edit, run `npm run generate`.
import type { JsonObject } from '../contract/json.js';

/** For the editor only; dropped before hashing. */
export type SchemaUrl = string;
/** Lower-case letters and digits, joined by single hyphens or underscores; at most 64 characters. */
export type HumanId = string;
export type Description = string;
/** Another document: by the hash of its canonical form, or, in a file, by a relative path that linking turns into the hash. */
export type Reference = HashReference | PathReference;

/** Something outside that can be asked, and the interface through which a plugin asks it. */
export interface ResponseSource {
  readonly $schema?: SchemaUrl;
  readonly version: 1;
  readonly label: HumanId;
  readonly description?: Description;
  /** Checked against the plugin's own interface schema. */
  readonly interface: JsonObject & { readonly name: string };
  readonly request_schema_ref?: Reference;
  readonly retry?: Retry;
  /** How many calls of this source one process makes at a time; further calls wait for their turn. Left out: as many as there are. */
  readonly max_in_flight?: number;
}
export interface HashReference {
  readonly hash: string;
}
export interface PathReference {
  readonly path: string;
}
/** When a call to this source is made again after it has failed. It holds for generations, for calls that only read, and for calls with a side effect whose binding is repeatable; of any other call with a side effect, only for unavailable, since nothing was sent. Where it is left out, the first failure ends the attempt. */
export interface Retry {
  /** How often a call is made again, after the first time. */
  readonly max: number;
  /** The failures after which a call is made again; http_5xx stands for the statuses 500 to 599. */
  readonly on: readonly ('timeout' | 'transport' | 'http_408' | 'http_425' | 'http_429' | 'http_5xx' | 'unavailable')[];
  /** The longest wait before the first retry; it doubles with each further one. 500 where it is left out. */
  readonly backoff_ms?: number;
  /** No wait is longer than this, and a service that asks for a longer one by Retry-After is not asked again. Where it is left out, 30000, or backoff_ms where that is more. */
  readonly backoff_max_ms?: number;
}
