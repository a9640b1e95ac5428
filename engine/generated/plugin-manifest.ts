// Made by tools/generate-types.ts from schemas/plugin-manifest.schema.json: do not edit, run `npm run generate`.
/** For the editor only; dropped before hashing. */
export type SchemaUrl = string;
export type Description = string;
/** Where the plugin may connect. The operator's variable holds the URL; an author names the variable. */
export type Origin = OriginFromInterface | OriginFromVariables;
export type Variable = string;
/** response_format: the plugin gets the schema beside the messages. json_object and prompt: the last message contains it; with json_object the endpoint has to answer with a JSON object, too. */
export type SchemaDelivery = 'response_format' | 'json_object' | 'prompt';

/** The manifest of a plugin folder. */
export interface PluginManifest {
  readonly $schema?: SchemaUrl;
  readonly version: 1;
  /** The interface name that sources use. */
  readonly name: string;
  readonly description: Description;
  readonly contract_version: 1;
  /** json: it answers JSON with JSON. chat: it answers messages with a model's text and a trace. */
  readonly speaks: 'json' | 'chat';
  /** The JSON Schema of the interface, relative to the manifest. */
  readonly interface_schema: string;
  /** The module whose default export is the plugin, relative to the manifest. */
  readonly entry: string;
  readonly origin?: Origin;
  readonly folder?: FolderFromInterface;
  /** The interface member with a path whose segments may be {name}, members that a request must have. */
  readonly path_field?: string;
  readonly acting?: ActingInterface;
  /** The variable of the origin may hold a command in place of a URL. */
  readonly spawn?: boolean;
  /** A prefix of tool names that this plugin's sources alone have, such as mcp__ in mcp__memory__search_nodes. */
  readonly tool_prefix?: string;
  readonly tool_list?: ToolList;
  readonly wire_overhead?: WireOverhead;
  /** Variables that the plugin receives, beside its origin. */
  readonly variables?: readonly Variable[];
  /** Variables with secrets, which the plugin receives and records replace. */
  readonly secret_variables?: readonly Variable[];
  /** Interface members that name a variable with a secret, or hold an object of such names. */
  readonly secret_variable_fields?: readonly string[];
  /** That of the secret_variable_fields whose members are headers, which the engine adds to each request and the plugin never sees. */
  readonly secret_headers_field?: string;
  readonly model?: ModelFromInterface;
  readonly timeout?: TimeoutFromInterface;
  readonly schema_delivery?: SchemaDeliveryFromInterface;
  readonly tool_calling?: ToolCallingFromInterface;
  /** Interface members with values that are refused with NOT_SUPPORTED_YET, each with the value to use instead. */
  readonly not_yet?: {
    readonly [k: string]: {
      readonly [k: string]: string;
    };
  };
  /** npm packages that the plugin imports. */
  readonly packages?: readonly string[];
}
export interface OriginFromInterface {
  /** The interface member that names the variable. */
  readonly interface_field: string;
}
export interface OriginFromVariables {
  /** The interface member that names another variable, which takes precedence. */
  readonly interface_field?: string;
  readonly variables: readonly Variable[];
  /** Used when no variable is set. */
  readonly default?: string;
}
/** A folder whose files the plugin may read. The operator's variable holds its path; an author names the variable. */
export interface FolderFromInterface {
  /** The interface member that names the variable. */
  readonly interface_field: string;
}
/** Values of an interface member with which a call has a side effect, so that no binding may be read_only. */
export interface ActingInterface {
  readonly interface_field: string;
  readonly values: readonly string[];
}
/** For chukwa mcp tools: a source can answer with its server's list of tools, in the form of MCP. */
export interface ToolList {
  /** The interface member that is true for the list. */
  readonly interface_field: string;
  /** The interface member that names one tool. */
  readonly tool_field: string;
}
/** How much larger than its result a response may be. */
export interface WireOverhead {
  /** A factor of the call's result limit. */
  readonly factor: number;
  /** Bytes added to that. */
  readonly bytes: number;
}
/** For a chat plugin: the interface members that name the model. */
export interface ModelFromInterface {
  /** The interface member that holds the model's name. */
  readonly interface_field: string;
  /** The interface member that names a variable with a model, which takes precedence. */
  readonly variable_field?: string;
}
/** The interface member with the time limit of one call; by default timeout_ms. */
export interface TimeoutFromInterface {
  /** The interface member that holds a number of milliseconds. */
  readonly interface_field: string;
  /** Milliseconds, if the source does not set it; by default 10000, and 120000 for a chat plugin. */
  readonly default_ms?: number;
}
/** For a chat plugin: the interface member that says how the model gets the schema of an answer; by default schema_delivery. A source that leaves it out means prompt. */
export interface SchemaDeliveryFromInterface {
  readonly interface_field: string;
  /** The meaning of each value; others are refused with NOT_SUPPORTED_YET. */
  readonly values: {
    readonly [k: string]: SchemaDelivery;
  };
  readonly default?: SchemaDelivery;
}
/** For a chat plugin: the interface member that says how the model calls a tool; by default, by its JSON answer. */
export interface ToolCallingFromInterface {
  readonly interface_field: string;
  /** The meaning of each value. native: the request holds the tools, and the answer the calls. */
  readonly values: {
    readonly [k: string]: 'json_control' | 'native';
  };
}
