// Made by tools/generate-types.ts from schemas/plugin-manifest.schema.json: do not edit, run `npm run generate`.
/** For the editor only; dropped before hashing. */
export type SchemaUrl = string;
export type Description = string;
export type Variable = string;
/** response_format: the plugin is handed the schema beside the messages. json_object and prompt: the schema is a part of the last message; the first says that the endpoint is told to answer with some JSON object. */
export type SchemaDelivery = 'response_format' | 'json_object' | 'prompt';

/** What a plugin folder says of itself. */
export interface PluginManifest {
  readonly $schema?: SchemaUrl;
  readonly version: 1;
  /** The interface name that sources use. */
  readonly name: string;
  readonly description: Description;
  readonly contract_version: 1;
  /** json: a JSON request is answered by JSON. chat: messages are answered by a model's text, with a trace. */
  readonly speaks: 'json' | 'chat';
  /** Path of the JSON Schema of the interface, relative to the manifest. */
  readonly interface_schema: string;
  /** Path of the module whose default export is the plugin, relative to the manifest. */
  readonly entry: string;
  /** Where the plugin may connect. The operator's variable holds the URL; an author only names the variable. */
  readonly origin?: OriginFromInterface | OriginFromVariables;
  readonly folder?: FolderFromInterface;
  /** The interface member with a path whose segments may be {name}, members of the request that capabilities.fillPath puts there: validate refuses a request that lacks one. */
  readonly path_field?: string;
  readonly acting?: ActingInterface;
  /** The variable of the origin may hold a command instead of a URL: an http or https URL leads to a service, anything else starts a program. The variable's name must begin with CHUKWA_. */
  readonly spawn?: boolean;
  /** A reserved prefix of tool names. Tools of this plugin's sources are named prefix, server, two underscores, tool, such as mcp__memory__search_nodes; no other tool's name begins with it. */
  readonly tool_prefix?: string;
  readonly tool_list?: ToolList;
  readonly wire_overhead?: WireOverhead;
  /** Environment variables that the plugin is handed, beside its origin. */
  readonly variables?: readonly Variable[];
  /** Variables that hold secrets: handed over, and replaced wherever a record would hold them. */
  readonly secret_variables?: readonly Variable[];
  /** Interface members that hold the name of a variable with a secret, or an object of such names: each value is handed over, and replaced in the records of that source's calls. Such a name must begin with CHUKWA_. */
  readonly secret_variable_fields?: readonly string[];
  readonly model?: ModelFromInterface;
  readonly timeout?: TimeoutFromInterface;
  readonly schema_delivery?: SchemaDeliveryFromInterface;
  /** Interface members with values that the plugin cannot honour yet, each with the value to write in its place. A scenario with one is refused with NOT_SUPPORTED_YET before anything runs. */
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
  /** The interface member that holds the name of another variable, which must begin with CHUKWA_ and then goes before these. Where a source has it, the default is not used. */
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
/** Values of an interface member with which a call changes something outside: no binding of such a source is read_only. */
export interface ActingInterface {
  readonly interface_field: string;
  readonly values: readonly string[];
}
/** A source can answer with its server's list of tools, {"tools": [...]} in the words of the Model Context Protocol: chukwa mcp tools asks for it. */
export interface ToolList {
  /** The interface member that is true where a source answers with the list. */
  readonly interface_field: string;
  /** The interface member that names one tool. */
  readonly tool_field: string;
}
/** How much larger than its result a response may be on the wire, where the plugin's protocol wraps results or says them twice. Without it a response may be as large as a result. */
export interface WireOverhead {
  /** Times the call's largest result. */
  readonly factor: number;
  /** And so many bytes more. */
  readonly bytes: number;
}
/** Of a chat plugin: where a source says which model is asked. What it comes to is handed over, and stands on the record of each call. */
export interface ModelFromInterface {
  /** The interface member that holds the model's name. */
  readonly interface_field: string;
  /** The interface member that holds the name of a variable with the model's name, which must begin with CHUKWA_; it goes before the other. */
  readonly variable_field?: string;
}
/** Where a source says how long one call may take. The engine ends the call then. Left out: the member timeout_ms, where the interface has one. */
export interface TimeoutFromInterface {
  /** The interface member that holds a number of milliseconds. */
  readonly interface_field: string;
  /** Milliseconds, where the source does not say. The engine's own default where this is left out: 10000, and 120000 of a chat plugin. */
  readonly default_ms?: number;
}
/** Of a chat plugin: how a source says the way in which its model learns the schema of an answer. Left out: the member schema_delivery with the values response_format, json_object and prompt; prompt where a source does not say. */
export interface SchemaDeliveryFromInterface {
  readonly interface_field: string;
  /** The meaning of each value of that member. A value that is not listed is refused with NOT_SUPPORTED_YET before anything runs. */
  readonly values: {
    readonly [k: string]: SchemaDelivery;
  };
  readonly default?: SchemaDelivery;
}
