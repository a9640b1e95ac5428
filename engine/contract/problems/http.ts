import { overHttp, usage } from './entry.js';

/** The problems of HTTP requests. Exit codes are those of commands that go through a server. */
export const HTTP_PROBLEMS = {
  UNAUTHORISED: overHttp(
    401,
    'No token that lets the caller in (401).',
    "Send `Authorization: Bearer TOKEN`, or use the callback's URL whole.",
  ),
  TOO_MANY_REQUESTS: overHttp(429, 'Too many of those from one address (429).', 'Wait a minute.'),
  BODY_NOT_JSON: overHttp(
    400,
    'The body is no JSON in UTF-8 that can be kept (400), or says that it is something else (415). Nothing was ' +
      'taken in.',
    'Send JSON in UTF-8; it can be sent again.',
  ),
  BODY_TOO_LARGE: overHttp(
    413,
    'The body is larger than its path takes: a mebibyte, or 8 KiB to sign in (413).',
    'Send less.',
  ),
  REQUEST_MALFORMED: overHttp(
    400,
    'The request is no HTTP, not complete, says two things of one, takes too long, or has too large a head (400, 408, 431).',
    'Send it whole, and once.',
  ),
  NOTHING_HERE: overHttp(404, 'Nothing is served there (404).', 'Correct method and path.'),
  METHOD_NOT_ALLOWED: overHttp(
    405,
    'A path is served, and not by this method (405).',
    'Use one of the methods of `Allow`.',
  ),
  HOST_UNKNOWN: overHttp(
    403,
    'The request gives the server a name that it does not have (403).',
    'Use its address, or set `CHUKWA_PUBLIC_URL`.',
  ),
  ORIGIN_UNKNOWN: overHttp(
    403,
    'A form was sent from a page of another host (403).',
    'Open the page, and send it again.',
  ),
  FORM_FOREIGN: overHttp(
    403,
    'A form does not hold the token of the session that sends it (403).',
    'Open the page again, and send it from there.',
  ),
  REASON_MISSING: overHttp(400, 'An operator acts and does not say why (400).', 'Write a reason.'),
  REASON_TOO_LONG: usage('A reason has more characters than are kept.', 'Write a shorter one.'),
  FIELD_INVALID: overHttp(
    400,
    'A field of a form, or a member of a body, is not what it has to be (400).',
    'Correct it.',
  ),
  OPERATOR_ONLY: overHttp(
    403,
    'A page or an action is for operators, and the token is the other one (403).',
    'Use the operator token.',
  ),
  TICKET_USED: overHttp(401, 'A link that signs in once was used, or is old (401).', 'Sign in with a token.'),
  FORMAT_UNKNOWN: overHttp(
    400,
    'There is no such format of a page or a stream (400).',
    'Write `format=json` for a page, `format=ai-sdk` for a stream, or leave it out.',
  ),
  PARAMETER_UNKNOWN: overHttp(
    400,
    'The query of a page has a parameter that the page does not know (400).',
    'Correct its name, or leave it out.',
  ),
  LIMIT_INVALID: usage('The limit of a list is no number from 1 to 200 (400).', 'Correct it, or leave it out.'),
  CURSOR_INVALID: overHttp(400, 'The cursor of a list is none (400).', 'Write the `next` of the part before.'),
  EVENT_ID_UNKNOWN: overHttp(
    400,
    'A `Last-Event-ID` names no event of the stream (400).',
    'Send the id of one of its events, or none.',
  ),
  READERS_TOO_MANY: overHttp(
    503,
    'As many read streams as the server, or one address, may have (503).',
    'Close some, or come back later with your `Last-Event-ID`.',
  ),
  SEARCH_INVALID: usage('A search is too long, or asks for a kind of text that there is not (400).', 'Correct it.'),
  TURN_INVALID: usage('A turn is no whole number (400).', 'Write one, such as 0.'),
  NOT_READY: overHttp(503, 'What is stored cannot be reached (503).', 'Wait, or see `chukwa doctor`.'),
};
