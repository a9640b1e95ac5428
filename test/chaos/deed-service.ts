import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Json } from '../../engine/contract/json.js';
import { readText, startLoopbackServer } from '../../fixtures/toys/loopback-server.js';

/** A service whose every call does something, and that keeps a book of it. */
export interface DeedService {
  readonly url: string;
  /** How often each call was performed, by its client request id. */
  readonly performed: ReadonlyMap<string, number>;
  /** The correlation ids of all requests that were performed. */
  readonly correlations: ReadonlySet<string>;
  close(): Promise<void>;
}

/**
 * Starts a service that answers every request alike.
 * @param deduplicates performs a call once however often it is sent, and answers it alike each time
 */
export async function startDeedService(answer: Json, deduplicates: boolean): Promise<DeedService> {
  const performed = new Map<string, number>();
  const correlations = new Set<string>();
  const perform = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    await readText(request);
    const id = String(request.headers['x-client-request-id']).replace(/~[0-9a-f]{12}/, '');
    const times = performed.get(id) ?? 0;
    if (times === 0 || !deduplicates) performed.set(id, times + 1);
    correlations.add(String(request.headers['x-chukwa-correlation-id']));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  };
  const server = await startLoopbackServer((request, response) => {
    perform(request, response).catch(() => response.destroy());
  });
  return { url: server.url, performed, correlations, close: () => server.close() };
}
