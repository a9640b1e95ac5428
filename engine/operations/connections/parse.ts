import type { Json } from '../../contract/json.js';
import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import { findInvisible, listSecretParts } from '../../core/content/variable-value.js';
import type { Validate } from '../../core/protocol/program.js';
import type { Connection } from '../../generated/connection.js';

/** A secret with less could be guessed, and its characters occur in innocent texts. Eight different ones have as much. */
const ENTROPY_BITS_MIN = 24;

/** Visible ASCII, as a header has it. */
const HEADER_VALUE = /^[!-~](?:[ -~]*[!-~])?$/;

/**
 * Headers that hold no secret: HTTP or the engine sets them, they frame or route the request, or the next hop alone reads
 * them. They are the forbidden request headers of the Fetch standard, and those that describe a body. A cookie is left
 * out: some services take their secret nowhere else. What ends in `-` begins the names of others.
 */
const RESERVED_HEADERS = [
  'accept accept-charset accept-encoding connection content-encoding content-length content-type date dnt expect host',
  'http2-settings keep-alive origin proxy-authorization proxy-connection referer set-cookie te trailer transfer-encoding',
  'upgrade via x-client-request-id access-control- content- proxy- sec- x-chukwa-',
].flatMap((line) => line.split(' '));

/** The reserved header that a name is; of one that only begins so, that beginning. */
function findReserved(name: string): string | undefined {
  const header = name.toLowerCase();
  const found = RESERVED_HEADERS.find((reserved) =>
    reserved.endsWith('-') ? header.startsWith(reserved) : header === reserved,
  );
  return found?.replace(/-$/, '-*');
}

/**
 * Reads a connection. Nothing of it is repeated: any part may be the secret.
 * @param place the variable or the id, for messages
 */
export function parseConnection(place: string, value: Json, validate: Validate): Outcome<Connection> {
  const refuseFor = (reason: string) =>
    refuse(problem('CONNECTION_INVALID', { place, reason }, { details: { place } }));
  const problems = validate(value);
  if (problems.length > 0) {
    const places = [...new Set(problems.map(({ pointer = '' }) => pointer || 'the top'))];
    return refuseFor(`it does not fit its schema (at ${places.join(', ')})`);
  }
  const connection = value as unknown as Connection;
  const urls = [connection.origin, ...(connection.kind === 'client_credentials' ? [connection.token_url] : [])];
  if (!urls.every((url) => URL.canParse(url))) return refuseFor('one of its URLs is none');
  const reserved = connection.kind === 'header' ? findReserved(connection.name) : undefined;
  if (reserved !== undefined) return refuseFor(`the header ${reserved} is not for secrets: HTTP or the engine sets it`);
  const { secret } = connection;
  const unseen = findInvisible(secret);
  if (unseen !== undefined) return refuseFor(`its secret holds ${unseen}`);
  const isHeader = connection.kind === 'header' || connection.kind === 'bearer';
  if (isHeader && !HEADER_VALUE.test(secret)) return refuseFor('its secret holds a character that no header may have');
  if (listSecretParts(secret).some((part) => entropyBits(part) < ENTROPY_BITS_MIN))
    return refuseFor('its secret is too easy to guess: it has too few different characters');
  return succeed(connection);
}

/** The information of a text, by how often each of its characters occurs. */
function entropyBits(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  const { length } = Array.from(text);
  return [...counts.values()].reduce((bits, count) => bits - count * Math.log2(count / length), 0);
}
