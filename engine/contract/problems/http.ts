import { overHttp, usage } from './entry.js';

/** The problems of HTTP requests. Exit codes are those of commands that go through a server. */
export const HTTP_PROBLEMS = {
  UNAUTHORISED: overHttp(
    401,
    'The request has no valid token.',
    'Send `Authorization: Bearer TOKEN`, or use the whole callback URL.',
  ),
  TOO_MANY_REQUESTS: overHttp(429, 'Too many such requests from one address.', 'Wait a minute.'),
  BODY_NOT_JSON: overHttp(
    400,
    'The body is not JSON in UTF-8, or not storable (400), or declares another media type (415). Nothing was stored.',
    'Correct the body, and send it again.',
  ),
  BODY_TOO_LARGE: overHttp(
    413,
    'The body exceeds the limit of its path: 1 MiB, or 8 KiB to sign in.',
    'Send a smaller body.',
  ),
  REQUEST_MALFORMED: overHttp(
    400,
    'The request is not valid HTTP, is incomplete, contradicts itself, takes too long, or has too large a head (400, 408, 431).',
    'Send a complete, valid request.',
  ),
  NOTHING_HERE: overHttp(404, 'No resource has this path.', 'Correct the method and the path.'),
  METHOD_NOT_ALLOWED: overHttp(405, 'The resource does not support this method.', 'Use one of the methods of `Allow`.'),
  HOST_UNKNOWN: overHttp(
    403,
    'The `Host` of the request is not a name of this server.',
    'Use the address of the server, or set `CHUKWA_PUBLIC_URL`.',
  ),
  ORIGIN_UNKNOWN: overHttp(403, 'The form was sent from a page of another host.', 'Open the page, and send it again.'),
  FORM_FOREIGN: overHttp(
    403,
    'The form does not hold the token of its session.',
    'Open the page again, and send it from there.',
  ),
  REASON_MISSING: overHttp(400, 'The action of an operator has no reason.', 'Write a reason.'),
  REASON_TOO_LONG: usage('The reason is too long.', 'Write a shorter one.'),
  FIELD_INVALID: overHttp(400, 'A field of a form, or a member of a body, is invalid.', 'Correct it.'),
  OPERATOR_ONLY: overHttp(
    403,
    'The page or action is for operators only, and the token is a consumer token.',
    'Use the operator token.',
  ),
  TICKET_USED: overHttp(401, 'The one-time link for signing in was used, or has expired.', 'Sign in with a token.'),
  FORMAT_UNKNOWN: overHttp(
    400,
    'The format of a page or stream is unknown.',
    'Write `format=json` for a page, `format=ai-sdk` for a stream, or leave it out.',
  ),
  PARAMETER_UNKNOWN: overHttp(
    400,
    'The query of a page has an unknown parameter.',
    'Correct its name, or leave it out.',
  ),
  LIMIT_INVALID: usage('The limit of a list is not a number from 1 to 200.', 'Correct it, or leave it out.'),
  CURSOR_INVALID: overHttp(400, 'The cursor of a list is invalid.', 'Use the `next` of the previous part.'),
  EVENT_ID_UNKNOWN: overHttp(
    400,
    'The `Last-Event-ID` is not an event of the stream.',
    'Send the id of one of its events, or none.',
  ),
  READERS_TOO_MANY: overHttp(
    503,
    'The server, or one address, has reached its limit of stream readers.',
    'Close some streams, or reconnect later with your `Last-Event-ID`.',
  ),
  SEARCH_INVALID: usage('A search is too long, or asks for an unknown kind of text.', 'Correct it.'),
  TURN_INVALID: usage('A turn is not a whole number.', 'Write a whole number, such as 0.'),
  NOT_READY: overHttp(503, 'The database cannot be reached.', 'Wait, or run `chukwa doctor`.'),
};
