// Made by tools/generate-types.ts from schemas/plugin-conformance.schema.json: do not edit, run `npm run generate`.
import type { Json, JsonObject } from '../contract/json.js';

export type PluginClass =
  | 'transport'
  | 'timeout'
  | 'http_status'
  | 'call_rejected'
  | 'tool_error'
  | 'internal_error'
  | 'non_json'
  | 'result_too_large'
  | 'unavailable'
  | 'structured_output_rejected'
  | 'model_refusal'
  | 'schema_invalid';

/** Examples of a plugin's calls: the request, the server's answers and the expected result. The conformance suite plays them, and derives misbehaving servers from them. */
export interface PluginConformance {
  /** For the editor only. */
  readonly $schema?: string;
  readonly version: 1;
  readonly examples: readonly Example[];
}
export interface Example {
  readonly name: string;
  /** The interface of a source. If a field of it names the variable of the origin, the suite sets that variable. */
  readonly interface: JsonObject & { readonly name: string };
  /** Values of variables that the manifest names. The suite makes up the values of secret ones. */
  readonly variables?: {
    readonly [k: string]: string;
  };
  /** The request to the plugin. {{call}} in a text is replaced by a text of the suite, different in each call. The request of a chat plugin is {"messages": [...], "output_schema"?: {...}}. */
  readonly request: Json;
  /** The server's answers. Each request gets the first matching answer that was not used in this call; when all are used, the last matching one again. Leave it out for a plugin without HTTP. */
  readonly server?: readonly CannedAnswer[];
  /** For a plugin that reads files: the files of the folder, by path. The suite makes the folder and sets its variable. {{call}} as in the request; a text holds it only where its path does. */
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
  /** A text is sent unchanged, anything else as JSON. {"$from": "/body/id"} is replaced by that value of the request: /method, /path, /query/..., /headers/..., /body/... . */
  readonly body?: Json;
  /**
   * Server-sent events in place of a body, by the same rules: one `data:` each.
   *
   * Items: A text is sent unchanged, anything else as JSON.
   */
  readonly events?: readonly Json[];
}
/** The condition on the request; without it, every request matches. */
export interface WhenAsked {
  readonly method?: string;
  /** The whole path, without the query. */
  readonly path?: string;
  /** The request's JSON has each of these members, with this value. */
  readonly body?: Json;
}
export interface ExpectedValue {
  /** The expected answer, compared as JSON. {{call}} is the same text as in the request. */
  readonly value: Json;
}
export interface ExpectedFailure {
  readonly failure_class: PluginClass;
}
export interface ExpectedPending {
  /** The call is pending: its answer comes later, which the suite allows. */
  readonly pending: {
    /** The alias that the service gives to the call; {{call}} as above. */
    readonly correlation_id?: string;
  };
}
