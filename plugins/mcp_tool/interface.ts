// Made by tools/generate-types.ts from plugins/mcp_tool/interface.schema.json: do not edit, run `npm run generate`.
import type { JsonObject } from 'chukwa/plugin';

/** One tool of an MCP server, or the list of its tools. The request is an object: the tool's arguments. */
export interface McpToolInterface {
  readonly name: 'mcp_tool';
  /** The environment variable that says which server is asked, such as CHUKWA_MCP_MEMORY. It holds the http or https URL of the server's endpoint, or the command that starts the server. Its name begins with CHUKWA_MCP_. */
  readonly server_env: string;
  /** The tool's name at the server. */
  readonly tool_name?: string;
  /** To be written in place of tool_name: the answer is the server's own list of tools, and the request is not sent. */
  readonly lists_tools?: true;
  /** SHA-256 of the server's definition of the tool, by the canonical JSON of its name, description, inputSchema and outputSchema. A server that defines the tool otherwise is unavailable. chukwa mcp tools --write writes it, and chukwa mcp diff --write anew. */
  readonly pin?: string;
  /** The definition that the pin is the hash of: chukwa mcp diff shows how the server's own differs. */
  readonly pinned?: JsonObject;
  /** The tool answers with a single text that is JSON. Where this is left out, a text is parsed only if the server declares an output schema. */
  readonly text?: 'json';
  /** How an answer is read that is JSON and cannot be kept as it is written. strict refuses it. lenient takes it: lone surrogates and U+0000 become U+FFFD, whole numbers that no double holds become texts, which fit a schema of numbers, and the last of equal names counts. A call with a side effect that may not be repeated is always read leniently. */
  readonly json?: 'strict' | 'lenient';
  /** How long one call may take, in milliseconds. It is 30000 where it is left out. The call's own deadline may end it sooner. A program that is still starting then goes on, and the next call finds it. */
  readonly timeout_ms?: number;
}
