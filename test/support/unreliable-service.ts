import type { IncomingMessage, ServerResponse } from 'node:http';
import { readText, startLoopbackServer } from '../../fixtures/toys/loopback-server.js';

/**
 * The fate of one request. `cut_before`: the service never gets it; `cut_after`: it does, and its answer is lost;
 * `cut_within`: half of its answer arrives; `repeat`: the service gets it twice.
 */
export type Conduct =
  | { readonly kind: 'pass' }
  | { readonly kind: 'status'; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly kind: 'cut_before' }
  | { readonly kind: 'cut_after' }
  | { readonly kind: 'cut_within' }
  | { readonly kind: 'repeat' }
  | { readonly kind: 'delay'; readonly delay_ms: number };

/** A real HTTP server in front of a service: it passes requests on, or does not. */
export interface UnreliableService {
  readonly url: string;
  /** The header `X-Client-Request-Id` of each request, in the order of arrival. */
  readonly asked: readonly string[];
  /** Sets the fate of the next requests, one after the other; then all are passed on. */
  will(...conduct: readonly Conduct[]): void;
  /** Sets the fate of each other request. */
  always(choose: () => Conduct): void;
  close(): Promise<void>;
}

/**
 * Starts a server in front of a service.
 * @param target where the service is; read at each request
 * @param port any that is free where it is left out
 */
export async function startUnreliableService(target: () => string, port?: number): Promise<UnreliableService> {
  const asked: string[] = [];
  const script: Conduct[] = [];
  let choose = (): Conduct => ({ kind: 'pass' });
  const server = await startLoopbackServer((request, response) => {
    asked.push(String(request.headers['x-client-request-id'] ?? ''));
    serve(target(), script.shift() ?? choose(), request, response).catch(() => response.destroy());
  }, port);
  return {
    url: server.url,
    asked,
    will: (...conduct) => void script.push(...conduct),
    always: (chosen) => void (choose = chosen),
    close: () => server.close(),
  };
}

async function serve(
  target: string,
  conduct: Conduct,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readText(request);
  switch (conduct.kind) {
    case 'status':
      response.writeHead(conduct.status, conduct.headers ?? {}).end('{"error":"not now"}');
      return;
    case 'cut_before':
      response.destroy();
      return;
    case 'cut_after':
      await (await passOn(target, request, body)).arrayBuffer();
      response.destroy();
      return;
    case 'repeat':
      await (await passOn(target, request, body)).arrayBuffer();
      break;
    case 'delay':
      await new Promise((resolve) => setTimeout(resolve, conduct.delay_ms));
      break;
    case 'cut_within':
    case 'pass':
      break;
  }
  const answer = await passOn(target, request, body);
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' });
  const whole = Buffer.from(await answer.arrayBuffer());
  if (conduct.kind === 'cut_within') response.write(whole.subarray(0, whole.length / 2), () => response.destroy());
  else response.end(whole);
}

function passOn(target: string, { method = 'POST', url = '/', headers }: IncomingMessage, body: string) {
  const sent = ['content-type', 'accept', 'x-client-request-id', 'x-chukwa-correlation-id'].flatMap(
    (name): [string, string][] => (headers[name] === undefined ? [] : [[name, String(headers[name])]]),
  );
  return fetch(`${target}${url}`, { method, headers: sent, body });
}
