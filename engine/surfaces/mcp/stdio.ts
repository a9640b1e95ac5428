import { Transform } from 'node:stream';
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
  { stdin, stdout }: Streams,
  signal: AbortSignal,
): Promise<void> {
  const transport = openTransport({ stdin, stdout });
  const offer = toOffer(desk, caller);
  const ended = untilEnded({ stdin, stdout }, signal);
  const handle = serveStdio(() => openServer(offer), { transport });
  await ended;
  await handle.close();
}

type Streams = Pick<NodeJS.Process, 'stdin' | 'stdout'>;

/**
 * The transport to the process that started this one. A message that is too long is answered with an error, and the next one
 * is read: the library's own limit would end the transport, and leave the process to wait for nothing.
 */
export function openTransport({ stdin, stdout }: Streams): StdioServerTransport {
  const lines = toLines(() => void stdout.write(`${JSON.stringify(TOO_LONG)}\n`));
  stdin.pipe(lines);
  // The transport pauses what it reads when it is closed, and nothing else does.
  lines.once('pause', () => void stdin.unpipe(lines).pause());
  return new StdioServerTransport(lines, stdout, { maxBufferSize: REQUEST_BYTES_MAX });
}

/** Its id is not known: nothing of the message is read. */
const TOO_LONG = {
  jsonrpc: '2.0',
  id: null,
  error: { code: -32_600, message: `a message may have ${REQUEST_BYTES_MAX} bytes` },
};

const LINE_END = 10;

/** Passes whole lines on, one by one. @param refuse called in place of each that is too long */
function toLines(refuse: () => void): Transform {
  let [held, bytes]: [Buffer[], number] = [[], 0];
  const hold = (part: Buffer): void => {
    bytes += part.length;
    held = bytes > REQUEST_BYTES_MAX ? [] : [...held, part];
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let from = 0;
      for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, from)) {
        hold(chunk.subarray(from, end + 1));
        if (bytes > REQUEST_BYTES_MAX) refuse();
        else this.push(Buffer.concat(held));
        [held, bytes] = [[], 0];
        from = end + 1;
      }
      hold(chunk.subarray(from));
      done();
    },
  });
}

/** Waits until the process at the other end has gone, or the signal is given. */
export function untilEnded({ stdin, stdout }: Streams, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    stdin.once('end', resolve);
    stdin.once('close', resolve);
    stdout.once('error', () => resolve());
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
