// Made by tools/generate-types.ts from schemas/plugin-manifest.schema.json: do not edit, run `npm run generate`.
/** For the editor only; dropped before hashing. */
export type SchemaUrl = string;
export type Description = string;
/** Where the plugin may connect. The operator's variable holds the URL; an author only names the variable. */
export type Origin = OriginFromInterface | OriginFromVariables;
export type Variable = string;
/** response_format: the plugin receives the schema beside the messages. json_object and prompt: the last message contains the schema; with json_object the endpoint also has to answer with a JSON object. */
export type SchemaDelivery = 'response_format' | 'json_object' | 'prompt';

/** The manifest of a plugin folder. */
export interface PluginManifest {
  readonly $schema?: SchemaUrl;
  readonly version: 1;
  /** The interface name that sources use. */
  readonly name: string;
  readonly description: Description;
  readonly contract_version: 1;
  /** json: the plugin answers a JSON request with JSON. chat: it answers messages with a model's text and a trace. */
  readonly speaks: 'json' | 'chat';
  /** Path of the JSON Schema of the interface, relative to the manifest. */
  readonly interface_schema: string;
  /** Path of the module whose default export is the plugin, relative to the manifest. */
  readonly entry: string;
  readonly origin?: Origin;
  readonly folder?: FolderFromInterface;
  /** The interface member with a path whose segments may be {name}, members of the request: validate rejects a request that lacks one. */
  readonly path_field?: string;
  readonly acting?: ActingInterface;
  /** The variable of the origin may hold a command instead of an http or https URL. Its name must begin with CHUKWA_. */
  readonly spawn?: boolean;
  /** A reserved prefix of tool names, such as mcp__: tools of this plugin's sources, and no others, are named like mcp__memory__search_nodes. */
  readonly tool_prefix?: string;
  readonly tool_list?: ToolList;
  readonly wire_overhead?: WireOverhead;
  /** Environment variables that the plugin receives, beside its origin. */
  readonly variables?: readonly Variable[];
  /** Variables with secrets: the plugin receives them, and records hold a replacement. */
  readonly secret_variables?: readonly Variable[];
  /** Interface members that hold the name of a variable with a secret, or an object of such names, which begin with CHUKWA_. */
  readonly secret_variable_fields?: readonly string[];
  /** That of the secret_variable_fields whose members are headers. The engine adds these to each request, and the plugin does not receive their values. */
  readonly secret_headers_field?: string;
  readonly model?: ModelFromInterface;
  readonly timeout?: TimeoutFromInterface;
  readonly schema_delivery?: SchemaDeliveryFromInterface;
  readonly tool_calling?: ToolCallingFromInterface;
  /** Interface members with values that the plugin does not support yet, each with the value to use instead: rejected with NOT_SUPPORTED_YET. */
  readonly not_yet?: {
    readonly [k: string]: {
      readonly [k: string]: string;
    };
  };
  /** npm packages that the plugin imports. */
  readonly packages?: readonly string[];
}
export interface OriginFromInterface {
  /** The interface member that holds the variable's name, which must begin with CHUKWA_. */
  readonly interface_field: string;
}
export interface OriginFromVariables {
  /** The interface member that holds the name of another variable, which takes precedence; its name begins with CHUKWA_. */
  readonly interface_field?: string;
  readonly variables: readonly Variable[];
  /** Used when no variable is set. */
  readonly default?: string;
}
/** A folder from which the plugin may read files. The operator's variable holds its path; an author only names the variable. */
export interface FolderFromInterface {
  /** The interface member that holds the name of the variable with the folder, which must begin with CHUKWA_. */
  readonly interface_field: string;
}
/** Values of an interface member with which a call has a side effect: no binding of such a source may be read_only. */
export interface ActingInterface {
  readonly interface_field: string;
  readonly values: readonly string[];
}
/** A source can answer with its server's list of tools, in the form of the Model Context Protocol, for chukwa mcp tools. */
export interface ToolList {
  /** The interface member that is true if a source answers with the list. */
  readonly interface_field: string;
  /** The interface member that names one tool. */
  readonly tool_field: string;
}
/** How much larger than its result a response may be, for a protocol that wraps or repeats results. */
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
  /** The interface member that holds the name of a variable with the model's name, which must begin with CHUKWA_; it takes precedence. */
  readonly variable_field?: string;
}
/** The interface member with the time limit of one call; by default timeout_ms. */
export interface TimeoutFromInterface {
  /** The interface member that holds a number of milliseconds. */
  readonly interface_field: string;
  /** Milliseconds, if the source does not set it. The engine's default is 10000, and 120000 for a chat plugin. */
  readonly default_ms?: number;
}
/** For a chat plugin: the interface member that says how the model gets the schema of an answer; by default schema_delivery, and prompt if a source does not set it. */
export interface SchemaDeliveryFromInterface {
  readonly interface_field: string;
  /** The meaning of each value of that member. Other values are rejected with NOT_SUPPORTED_YET before anything runs. */
  readonly values: {
    readonly [k: string]: SchemaDelivery;
  };
  readonly default?: SchemaDelivery;
}
/** For a chat plugin: the interface member that says how the model calls a tool. Without it, by its JSON answer. */
export interface ToolCallingFromInterface {
  readonly interface_field: string;
  /** The meaning of each value of that member. native: the request holds the tools, and the answer the calls. */
  readonly values: {
    readonly [k: string]: 'json_control' | 'native';
  };
}
