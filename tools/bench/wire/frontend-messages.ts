/**
 * Parses the messages of a PostgreSQL client (protocol 3). Each `Sync` and each simple query is one round trip: the
 * client then waits for the server. The first message has no type byte; every other one has.
 */

/** One round trip: the prepared statement's name, or the text of the query. */
type OnRoundTrip = (statement: string) => void;

interface FrontendReader {
  /** Takes the next bytes, cut anywhere. */
  read(bytes: Buffer): void;
}

const LENGTH_BYTES = 4;
const TYPE_BYTES = 1;
const BIND = 0x42;
const PARSE = 0x50;
const QUERY = 0x51;
const SYNC = 0x53;
/** Sent before the start-up message: a request for TLS, or for GSSAPI. */
const ENCRYPTION_REQUESTS = [80_877_103, 80_877_104];

/** A reader of one connection. */
export function openFrontendReader(onRoundTrip: OnRoundTrip): FrontendReader {
  let rest: Buffer = Buffer.alloc(0);
  let hasStarted = false;
  let bound = '';
  const take = (type: number, body: Buffer): void => {
    if (type === PARSE) bound = findText(body, 0) || findText(body, 1);
    else if (type === BIND) bound = findText(body, 1) || bound;
    else if (type === QUERY) onRoundTrip(findText(body, 0));
    else if (type === SYNC) onRoundTrip(bound);
  };
  return {
    read(bytes) {
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      for (;;) {
        const header = hasStarted ? TYPE_BYTES : 0;
        if (rest.length < header + LENGTH_BYTES) return;
        const end = header + rest.readUInt32BE(header);
        if (rest.length < end) return;
        const body = rest.subarray(header + LENGTH_BYTES, end);
        if (hasStarted) take(rest.readUInt8(0), body);
        else hasStarted = !ENCRYPTION_REQUESTS.includes(body.readUInt32BE(0));
        rest = rest.subarray(end);
      }
    },
  };
}

/** The text after so many texts, each ended by a zero byte. */
function findText(body: Buffer, skipped: number): string {
  let begin = 0;
  for (let count = 0; count < skipped; count += 1) begin = body.indexOf(0, begin) + 1;
  return body.toString('utf8', begin, body.indexOf(0, begin));
}
