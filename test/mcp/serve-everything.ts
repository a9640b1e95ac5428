import { createServer, request as forward } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { startServer } from '../../engine/surfaces/http/server.js';
import { TOKENS } from '../support/served-park.js';
import { openEverything } from './everything.js';

const NOTHING = { ok: true, value: undefined } as const;

/** Serves what the suite asks for, at a URL that adds the token, which the suite cannot send. */
export async function serveEverything(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const desk = {
    report: async () => ({ ok: true, value: { accepted: true, message: '' } }) as const,
    act: async () => ({ ok: true, value: { accepted: true, message: '' } }) as const,
    look: async () => ({ ok: false, because: 'environment', problems: [] }) as const,
    isReady: async () => true,
    use: async () => ({ ok: false, because: 'environment', problems: [] }) as const,
    checkReadable: async () => NOTHING,
  };
  const server = await startServer(desk, TOKENS, { host: '127.0.0.1', port: 0 }, openEverything());
  const { port } = new URL(server.url);
  const proxy = createServer((said, answer) => {
    const headers = { ...said.headers, authorization: `Bearer ${TOKENS.token}` };
    const sent = forward({ host: '127.0.0.1', port, path: said.url, method: said.method, headers }, (given) => {
      answer.writeHead(given.statusCode ?? 500, given.headers);
      given.pipe(answer);
    });
    answer.once('close', () => sent.destroy());
    sent.once('error', () => answer.destroy());
    said.pipe(sent);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const close = async (): Promise<void> => {
    proxy.closeAllConnections();
    proxy.close();
    await server.close(0);
  };
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`, close };
}
