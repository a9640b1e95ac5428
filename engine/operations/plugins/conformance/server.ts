import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json, JsonObject } from '../../../contract/json.js';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: JsonObject;
  readonly headers: JsonObject;
  readonly text: string;
  /** JSON where the text is, else the text. */
  readonly body: Json;
}

export type Respond = (request: SeenRequest, response: ServerResponse) => unknown;

interface LoopbackServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  /** Ends at once, with all connections. */
  close(): Promise<void>;
}

async function startServer(respond: Respond): Promise<LoopbackServer> {
  const seen: SeenRequest[] = [];
  const server = createServer((incoming, response) => {
    response.on('error', () => {});
    readRequest(incoming).then(
      (request) => {
        seen.push(request);
        return respond(request, response);
      },
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export async function withServer<Value>(
  respond: Respond,
  task: (server: LoopbackServer) => Promise<Value>,
): Promise<Value> {
  const server = await startServer(respond);
  try {
    return await task(server);
  } finally {
    await server.close();
  }
}

async function readRequest(incoming: IncomingMessage): Promise<SeenRequest> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  const text = Buffer.concat(pieces).toString('utf8');
  const url = new URL(incoming.url ?? '/', 'http://127.0.0.1');
  return {
    method: incoming.method ?? 'GET',
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
    text,
    body: toBody(text),
  };
}

function toBody(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
