import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A port of loopback that nobody listens on, and that the system gives to no connection: a client that looks for a server
 * which is gone would otherwise, now and then, get its port and reach itself.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.first + Math.floor(Math.random() * (PORTS.last - PORTS.first));
    if (await isFree(port)) return port;
  }
}

/** Below those that Linux, macOS and Windows give by themselves, above those that services have by custom. */
const PORTS = { first: 20_000, last: 32_000 };

async function isFree(port: number): Promise<boolean> {
  const holder = createServer();
  try {
    holder.listen(port, '127.0.0.1');
    await once(holder, 'listening');
    holder.close();
    await once(holder, 'close');
    return true;
  } catch {
    return false;
  }
}
