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
}
export interface HashReference {
  readonly hash: string;
}
export interface PathReference {
  readonly path: string;
}
