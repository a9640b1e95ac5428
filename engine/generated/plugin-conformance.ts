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

/** Examples of a plugin's calls, which `chukwa plugin test` plays, with servers that answer and that misbehave. */
export interface PluginConformance {
  /** For the editor only. */
  readonly $schema?: string;
  readonly version: 1;
  readonly examples: readonly Example[];
}
export interface Example {
  readonly name: string;
  /** The interface of a source. The suite sets the variable of the origin that it names. */
  readonly interface: JsonObject & { readonly name: string };
  /** Values of variables that the manifest names, secret ones apart. */
  readonly variables?: {
    readonly [k: string]: string;
  };
  /** The request to the plugin; of a chat plugin {"messages": [...], "output_schema"?: {...}}. {{call}} in a text becomes another text in each call. */
  readonly request: Json;
  /** The server's answers, for a plugin with HTTP. Each request gets the first matching one that the call has not used, else the last matching one again. */
  readonly server?: readonly CannedAnswer[];
  /** The files of the folder, by path, for a plugin that reads files. The suite sets the variable of the folder. A text holds {{call}} only where its path does. */
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
  /** A text is sent unchanged, anything else as JSON, in which {"$from": "/body/id"} becomes that value of the request (/method, /path, /query, /headers, /body). */
  readonly body?: Json;
  /**
   * Server-sent events in place of a body: one `data:` each.
   *
   * Items: A text is sent unchanged, anything else as JSON.
   */
  readonly events?: readonly Json[];
}
/** The requests that it answers; all by default. */
export interface WhenAsked {
  readonly method?: string;
  /** The whole path, without the query. */
  readonly path?: string;
  /** Members of the request's JSON, with their values. */
  readonly body?: Json;
}
export interface ExpectedValue {
  /** The expected answer, compared as JSON. */
  readonly value: Json;
}
export interface ExpectedFailure {
  readonly failure_class: PluginClass;
}
export interface ExpectedPending {
  /** The call is pending: its answer comes later. */
  readonly pending: {
    /** The alias that the service gives to the call; {{call}} as above. */
    readonly correlation_id?: string;
  };
}
