// Made by tools/generate-types.ts from schemas/plugin-conformance.schema.json: do not edit, run `npm run generate`.
import type { Json, JsonObject } from '../contract/json.js';

export type PluginClass =
  | 'transport'
  | 'timeout'
  | 'http_status'
  | 'call_rejected'
  | 'tool_error'
  | 'non_json'
  | 'result_too_large'
  | 'unavailable'
  | 'structured_output_rejected'
  | 'model_refusal'
  | 'schema_invalid';

/** Examples of a plugin at work: what it is asked, what a server would answer it, and what comes of that. The conformance suite plays them, and derives from them the servers that misbehave. */
export interface PluginConformance {
  /** For the editor only. */
  readonly $schema?: string;
  readonly version: 1;
  readonly examples: readonly Example[];
}
export interface Example {
  readonly name: string;
  /** As a source would write it. Where the manifest takes the origin from a field of the interface, the suite sets the variable that stands there. */
  readonly interface: JsonObject & { readonly name: string };
  /** Values of variables that the manifest names. Secret ones get values of the suite's own. */
  readonly variables?: {
    readonly [k: string]: string;
  };
  /** What the plugin is asked. {{call}} in a text stands for a text of the suite's own, different in each call. A chat plugin is asked {"messages": [...], "output_schema"?: {...}}. */
  readonly request: Json;
  /** To each request the first answer is given that fits it and has not been given in this call; when all that fit have been given, the last of them again. Left out where nothing is asked over HTTP. */
  readonly server?: readonly CannedAnswer[];
  /** Of a plugin that reads files: what stands in the folder, by path. The suite makes the folder and sets the variable that names it. */
  readonly files?: {
    readonly [k: string]: string;
  };
  readonly expect: ExpectedValue | ExpectedFailure | ExpectedPending;
}
export interface CannedAnswer {
  readonly when?: WhenAsked;
  readonly status?: number;
  readonly headers?: {
    readonly [k: string]: string;
  };
  /** A text is sent as it stands, anything else as JSON. {"$from": "/body/id"} becomes what stands there in the request: /method, /path, /query/..., /headers/..., /body/... . */
  readonly body?: Json;
  /**
   * Server-sent events in place of a body, with the same rules: one `data:` each.
   *
   * Items: A text as it stands, anything else as JSON.
   */
  readonly events?: readonly Json[];
}
/** What a request must be to be answered so; every request where it is left out. */
export interface WhenAsked {
  readonly method?: string;
  /** The whole path, without the query. */
  readonly path?: string;
  /** Each member that is written here is in the request's JSON, with this value. */
  readonly body?: Json;
}
export interface ExpectedValue {
  /** The answer, equal as JSON. {{call}} stands for the same text as in the request. */
  readonly value: Json;
}
export interface ExpectedFailure {
  readonly failure_class: PluginClass;
}
export interface ExpectedPending {
  /** The answer comes later. The suite lets it. */
  readonly pending: {
    /** The name that the other side gives to the call; {{call}} as above. */
    readonly correlation_id?: string;
  };
}
