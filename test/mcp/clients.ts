import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import {
  StdioClientTransport as OldStdio,
  type StdioServerParameters,
} from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { PROGRAM } from '../acceptance/command.js';
import { FIRST_COMPILED } from '../support/program.js';

/** What both generations of the protocol's own client do alike. */
export interface AnyClient {
  listTools(): Promise<{ readonly tools: readonly Listed[] }>;
  callTool(params: { readonly name: string; readonly arguments?: Record<string, unknown> }): Promise<Called>;
  listResources(): Promise<{ readonly resources: readonly { readonly uri: string }[] }>;
  listResourceTemplates(): Promise<{ readonly resourceTemplates: readonly { readonly uriTemplate: string }[] }>;
  readResource(params: { readonly uri: string }): Promise<{ readonly contents: readonly Content[] }>;
  listPrompts(): Promise<{ readonly prompts: readonly { readonly name: string }[] }>;
  getPrompt(params: { readonly name: string; readonly arguments?: Record<string, string> }): Promise<unknown>;
  close(): Promise<void>;
}

export interface Listed {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: { readonly properties?: object; readonly required?: readonly string[] };
  readonly outputSchema?: { readonly properties?: object };
  readonly annotations?: {
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
  };
}

export interface Called {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string; readonly uri?: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
}

export interface Content {
  readonly uri: string;
  readonly text?: string;
  readonly mimeType?: string;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export type Era = '2025' | '2026';

const INFO = { name: 'a-test', version: '1' };

/** The client of an era over HTTP: of the SDK's first generation, or of its second with the newest revision alone. */
export async function connectHttp(era: Era, url: string, token: string): Promise<AnyClient> {
  const options = { requestInit: { headers: { authorization: `Bearer ${token}` } } };
  if (era === '2025') {
    const client = new OldClient(INFO);
    await client.connect(new OldHttp(new URL(url), options));
    return client as unknown as AnyClient;
  }
  const client = new Client(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), options));
  return client as unknown as AnyClient;
}

/** The arguments with which Node.js starts the program for an assistant. */
export const ASSISTED = [...FIRST_COMPILED, PROGRAM, 'mcp', '--stdio'];

/** The client of an era, which starts `chukwa mcp --stdio`. */
export async function connectStdio(
  era: Era,
  variables: Readonly<Record<string, string>>,
  words: readonly string[] = [],
): Promise<AnyClient> {
  const command = {
    command: process.execPath,
    args: [...ASSISTED, ...words],
    env: { ...process.env, ...variables } as Record<string, string>,
    stderr: 'inherit',
  } satisfies StdioServerParameters;
  if (era === '2025') {
    const client = new OldClient(INFO);
    await client.connect(new OldStdio(command));
    return client as unknown as AnyClient;
  }
  const client = new Client(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(new StdioClientTransport(command));
  return client as unknown as AnyClient;
}

export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** Calls a tool, and is told how far it is. */
export function callForProgress(
  era: Era,
  client: AnyClient,
  params: Parameters<AnyClient['callTool']>[0],
  onprogress: (progress: Progress) => void,
  { signal }: Pick<AbortController, 'signal'> = new AbortController(),
): Promise<Called> {
  const options = { onprogress, signal };
  if (era === '2025') return (client as unknown as OldClient).callTool(params, undefined, options) as Promise<Called>;
  return (client as unknown as Client).callTool(params, options) as Promise<Called>;
}
