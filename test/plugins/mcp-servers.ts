import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Json } from '../../engine/contract/json.js';
import type { Invoke } from '../../engine/core/protocol/command.js';
import type { CallOutcome } from '../../engine/ports/sources.js';
import { FIRST_COMPILED } from '../support/program.js';
import { findFreeOrigin, jsonCall, type Wanted } from '../sources/harness.js';

type RealServer = 'everything' | 'memory' | 'filesystem';

/** The command of a server from npm, as an operator would write it. */
export function commandOf(
  server: RealServer,
  words: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
): string {
  const assigned = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const command = [process.execPath, ...FIRST_COMPILED, entryOf(server), ...words];
  return JSON.stringify(assigned.length === 0 ? command : ['/usr/bin/env', ...assigned, ...command]);
}

function entryOf(server: RealServer): string {
  return fileURLToPath(import.meta.resolve(`@modelcontextprotocol/server-${server}/dist/index.js`));
}

/** A command that runs the given JavaScript. */
export function commandOfScript(script: string, ...words: readonly string[]): string {
  return JSON.stringify([process.execPath, '-e', script, ...words]);
}

/**
 * A server in few lines. `answers` has a function for each method with an answer of its own; it is given the message,
 * and returns the result, or nothing for no answer.
 */
export function fakeServer(answers: string, before = ''): string {
  return commandOfScript(`
    const seen = [];
    const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
    const content = (value) => ({ structuredContent: { value }, content: [] });
    const methods = {
      initialize: ({ params }) => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'fake', version: '1' } }),
      'tools/list': () => ({ tools: [{ name: 'do', inputSchema: { type: 'object' } }] }),
      'tools/call': () => content(process.pid),
      ping: () => ({}),
    };
    const readNoMore = () => { input.pause(); setInterval(() => {}, 1000); };
    ${before}
    Object.assign(methods, { ${answers} });
    const input = require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const message = JSON.parse(line);
      seen.push(message);
      const result = methods[message.method]?.(message);
      if (message.id !== undefined && result !== undefined) say({ id: message.id, result });
    }).on('close', () => process.exit());
  `);
}

/** server-everything over Streamable HTTP, until the test ends; gives the URL of its endpoint. */
export async function startHttpServer(t: TestContext): Promise<string> {
  const { port } = new URL(await findFreeOrigin());
  const child = spawn(process.execPath, [...FIRST_COMPILED, entryOf('everything'), 'streamableHttp'], {
    env: { PATH: process.env['PATH'] ?? '', PORT: port },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.after(() => void child.kill('SIGKILL'));
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`it ended with code ${code}`)));
    child.stderr.on('data', (said: Buffer) => {
      if (said.includes('listening')) resolve();
    });
  });
  return `http://127.0.0.1:${port}/mcp`;
}

/** A call of a tool of the server that `CHUKWA_MCP_TEST` names. */
export function toolCall(tool_name: string, request: Json = {}, { settings = {}, ...wanted }: ToolWanted = {}): Invoke {
  const {
    url_env: _url,
    method: _method,
    path: _path,
    ...source
  } = jsonCall({ request, ...wanted }).call.source.interface as Readonly<Record<string, Json>>;
  const named = { ...source, name: 'mcp_tool', server_env: 'CHUKWA_MCP_TEST', tool_name, ...settings };
  const invoke = jsonCall({ request, ...wanted });
  const { call } = invoke;
  const hash = JSON.stringify(named);
  const limits = { ...call.limits, max_runtime_ms: Number(settings['timeout_ms'] ?? call.limits.max_runtime_ms) };
  return {
    ...invoke,
    call: { ...call, limits, source: { ...call.source, hash, plugin: 'mcp_tool', interface: named } },
  };
}

type ToolWanted = Wanted & { readonly settings?: Readonly<Record<string, Json>> };

/** The failure of a call that must have failed. */
export function failureOf(outcome: CallOutcome): Extract<CallOutcome, { readonly status: 'failed' }> {
  assert.equal(outcome.status, 'failed', JSON.stringify(outcome));
  return outcome;
}

/** The kept part of the output. */
export function bodyOf(outcome: CallOutcome): string {
  return Buffer.from(outcome.response_body ?? []).toString('utf8');
}
