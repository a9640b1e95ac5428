import { overHttp } from './entry.js';

/** What an HTTP request alone can get wrong. Exit codes are those of a command that goes through a server. */
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
  BODY_TOO_LARGE: overHttp(413, 'The body is larger than a mebibyte (413).', 'Answer with less.'),
  REQUEST_MALFORMED: overHttp(
    400,
    'The request is no HTTP, not complete, or takes too long (400, 408).',
    'Send it whole.',
  ),
  NOTHING_HERE: overHttp(404, 'Nothing is served there (404).', 'Correct method and path.'),
  NOT_READY: overHttp(503, 'What is stored cannot be reached (503).', 'Wait, or see `chukwa doctor`.'),
};
