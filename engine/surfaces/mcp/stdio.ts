import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { REQUEST_BYTES_MAX } from './endpoint.js';
import type { Caller } from './offer.js';
import { openServer } from './server.js';
import { toOffer } from './surface.js';
import type { ToolDesk } from './tools.js';

/** Serves the process that started this one, over its input and output, until it closes them or the signal is given. */
export async function serveParent(
  desk: ToolDesk,
  caller: Caller,
  { stdin, stdout }: Pick<NodeJS.Process, 'stdin' | 'stdout'>,
  signal: AbortSignal,
): Promise<void> {
  const transport = new StdioServerTransport(stdin, stdout, { maxBufferSize: REQUEST_BYTES_MAX });
  const offer = toOffer(desk, caller);
  const ended = untilEnded({ stdin, stdout }, signal);
  const handle = serveStdio(() => openServer(offer), { transport });
  await ended;
  await handle.close();
}

/** Waits until the process at the other end has gone, or the signal is given. */
export function untilEnded(
  { stdin, stdout }: Pick<NodeJS.Process, 'stdin' | 'stdout'>,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    stdin.once('end', resolve);
    stdin.once('close', resolve);
    stdout.once('error', () => resolve());
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
