import { byKind, overHttp, type Texts, usage } from './entry.js';
import { quoted } from './phrases.js';

/** Why a request cannot be read: it is ambiguous, incomplete or invalid, and is not guessed at. */
export type Malformed =
  | { readonly reason: string }
  | { readonly said_twice: string }
  | { readonly parameter: string; readonly values: readonly string[] };

/** The problems of HTTP requests. Exit codes are those of commands that go through a server. */
export const HTTP_PROBLEMS = {
  UNAUTHORISED: overHttp<{ readonly kind: 'missing' | 'wrong' }>(401, {
    message: ({ kind }) =>
      kind === 'wrong' ? 'This is not a token of this server.' : 'This request needs a valid token.',
    repair: 'Send Authorization: Bearer TOKEN, or sign in at /sign-in; chukwa serve says where the tokens are.',
    example: { kind: 'missing' },
  }),
  TOO_MANY_REQUESTS: overHttp(429, 'Too many requests without a valid token came from your address.', 'Wait a minute.'),
  BODY_NOT_JSON: overHttp(400, {
    meaning: 'The body is not JSON in UTF-8 that can be stored, or has another media type (415).',
    ...byKind(
      {
        unreadable: [
          ({ reason }: Texts<'reason'>) => `The body is not storable JSON: ${reason}.`,
          'Send JSON in UTF-8. Nothing was stored, so it can be sent again.',
        ],
        no_object: ['The body is not a JSON object.', 'Send an object, such as {"reason": "..."}.'],
        other_type: [
          'The body has a media type that this path does not accept.',
          ({ types }: { readonly types: readonly string[] }) => `Send it with the Content-Type ${types.join(' or ')}.`,
        ],
      },
      { kind: 'unreadable', reason: 'it is not UTF-8' },
    ),
  }),
  BODY_TOO_LARGE: overHttp(
    413,
    'The body is larger than this path allows: 1 MiB, or 8 KiB to sign in.',
    'Send a smaller body.',
  ),
  REQUEST_MALFORMED: overHttp<Malformed>(400, {
    meaning: 'The request is incomplete, contradicts itself, or names what none can.',
    message: (said) => {
      if ('parameter' in said) return `The value of ${said.parameter} is neither ${said.values.join(' nor ')}.`;
      return `The request cannot be read: ${'reason' in said ? said.reason : `it says ${quoted(said.said_twice)} twice`}.`;
    },
    repair: (said) =>
      'parameter' in said
        ? `Write ${said.parameter}=${said.values.at(-1)}, or leave it out.`
        : 'Send a complete, valid request.',
    example: { said_twice: 'limit' },
  }),
  NOTHING_HERE: overHttp(404, 'No resource has this path.', 'Correct the method and the path.'),
  METHOD_NOT_ALLOWED: overHttp(405, {
    meaning: 'Allow names the methods of this resource.',
    message: 'This path does not support this method.',
    repair: ({ methods }) => `Send ${methods.join(' or ')}.`,
    example: { methods: ['GET', 'HEAD'] },
  }),
  HOST_UNKNOWN: overHttp(
    403,
    'The Host of the request is not a name of this server.',
    'Use its address, or set CHUKWA_PUBLIC_URL to the URL at which it is reached.',
  ),
  ORIGIN_UNKNOWN: overHttp(
    403,
    'The form was sent from a page of another host.',
    'Open the page here, and send it again.',
  ),
  FORM_FOREIGN: overHttp(
    403,
    'The form does not come from a page of this session.',
    'Open the page again, and send it from there.',
  ),
  REASON_MISSING: overHttp(
    400,
    'The reason for this action is missing.',
    'Write a reason: it is stored with the action.',
  ),
  REASON_TOO_LONG: usage({
    message: ({ length, length_max }) => `The reason has ${length} characters; the limit is ${length_max}.`,
    repair: 'Write a shorter reason.',
    example: { length: 2001, length_max: 2000 },
  }),
  FIELD_INVALID: overHttp(400, {
    meaning: 'A field or member is invalid.',
    ...byKind(
      {
        unknown: [
          ({ name }: Texts<'name'>) => `There is no field ${quoted(name)}.`,
          ({ known }: { readonly known: readonly string[] }) => `Write one of: ${known.join(', ')}.`,
        ],
        invalid: [
          ({ name, wanted }: Texts<'name' | 'wanted'>) => `The field ${name} is not ${wanted}.`,
          ({ wanted }: Texts<'wanted'>) => `Write ${wanted}.`,
        ],
        token: [
          'A field holds a token of this server.',
          'Leave it out: a token belongs in the Authorization header, or into the page that signs in.',
        ],
      },
      { kind: 'invalid', name: 'turns', wanted: 'a whole number from 1 to 1000' },
    ),
  }),
  OPERATOR_ONLY: overHttp(
    403,
    'This is for operators: they see the requests to models and services, and decide on actions.',
    'Send Authorization: Bearer TOKEN with the operator’s token; in a browser, sign out, and sign in with it.',
  ),
  TICKET_USED: overHttp(
    401,
    'This link has been used, or is older than ten minutes. Sign in with a token.',
    'Sign in with a token.',
  ),
  FORMAT_UNKNOWN: overHttp<{ readonly of: 'page'; readonly format: string } | { readonly of: 'stream' }>(400, {
    meaning: 'There is no such format.',
    message: (asked) =>
      asked.of === 'page' ? `There is no format ${quoted(asked.format)}.` : 'The format of the stream is unknown.',
    repair: ({ of }) =>
      of === 'page'
        ? 'Write format=json, or leave it out for a page.'
        : 'Write format=ai-sdk, or leave it out for AG-UI.',
    example: { of: 'page', format: 'xml' },
  }),
  PARAMETER_UNKNOWN: overHttp(400, {
    message: ({ name }) => `This page has no parameter ${quoted(name)}.`,
    repair: ({ suggestion }) => suggestion,
    example: { name: 'limt', suggestion: 'Did you mean limit?' },
  }),
  LIMIT_INVALID: usage({
    message: ({ limit }) => `${quoted(limit)} is not a limit of a list.`,
    repair: ({ most, usual }) => `Write a number from 1 to ${most}, or leave it out for ${usual}.`,
    example: { limit: 'all', most: 200, usual: 50 },
  }),
  CURSOR_INVALID: overHttp(400, {
    message: ({ after }) => `${quoted(after)} is not a cursor of this list.`,
    repair: 'Use the "next" of the previous part, or leave it out for the newest.',
    example: { after: 'second' },
  }),
  EVENT_ID_UNKNOWN: overHttp(400, {
    message: ({ id }) => `The stream has no event ${quoted(id, EVENT_ID_LENGTH_MAX)}.`,
    repair: 'Send the id of an event of this stream as Last-Event-ID, or none to start from the beginning.',
    example: { id: 'ID' },
  }),
  READERS_TOO_MANY: overHttp(
    503,
    'The server, or your address, has reached its limit of stream readers.',
    'Close some streams, or reconnect later with your Last-Event-ID.',
  ),
  SEARCH_INVALID: usage({
    meaning: 'The search is too long, or for an unknown kind of text.',
    message: ({ has }) => `The search has ${has}.`,
    repair: ({ length_max, kinds }) => `Write at most ${length_max} characters; the kinds are ${kinds.join(', ')}.`,
    example: { has: 'a kind that no text has', length_max: 200, kinds: ['narration', 'answer'] },
  }),
  TURN_INVALID: usage({
    message: ({ turn }) => `${quoted(turn)} is not a turn.`,
    repair: 'Write a whole number, such as 0.',
    example: { turn: 'last' },
  }),
  NOT_READY: overHttp(503, 'The database cannot be reached.', 'Wait, or run chukwa doctor.'),
};

const EVENT_ID_LENGTH_MAX = 80;
