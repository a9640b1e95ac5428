// Made by tools/generate-types.ts from plugins/mcp_tool/interface.schema.json: do not edit, run `npm run generate`.
/** One tool of an MCP server, or the list of its tools. The request is the object of a tool's arguments. */
export interface McpToolInterface {
  readonly name: 'mcp_tool';
  /** The environment variable in which the operator says which server is asked, such as CHUKWA_MCP_MEMORY: the http or https URL of its endpoint, or the command that starts it. Its name begins with CHUKWA_MCP_. */
  readonly server_env: string;
  /** The tool, as the server names it. */
  readonly tool_name?: string;
  /** In place of tool_name: the answer is the server's list of tools, as it says it, and the request is not sent. */
  readonly lists_tools?: true;
  /** The tool answers with a single text that is JSON. Left out, a text is parsed only where the server declares an output schema. */
  readonly text?: 'json';
  /** How long one answer may take, in milliseconds; 30000 where it is left out. The start of the server counts. The call's own deadline may end it sooner. */
  readonly timeout_ms?: number;
}
