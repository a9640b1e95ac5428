import { overHttp, usage } from './entry.js';
import { quoted } from './phrases.js';

/** Why a body cannot be taken. */
export type UnusableBody =
  | { readonly kind: 'unreadable'; readonly reason: string }
  | { readonly kind: 'no_object' }
  | { readonly kind: 'other_type'; readonly types: readonly string[] };

/** Why a request cannot be read: it is ambiguous, incomplete or invalid, and is not guessed at. */
export type Malformed =
  | { readonly reason: string }
  | { readonly said_twice: string }
  | { readonly parameter: string; readonly values: readonly string[] };

/** Why a field of a form, or a member of a body, is refused. */
export type FieldFault =
  | { readonly kind: 'unknown'; readonly name: string; readonly known: readonly string[] }
  | { readonly kind: 'invalid'; readonly name: string; readonly wanted: string }
  | { readonly kind: 'token' };

export interface InvalidLimit {
  readonly limit: string;
  readonly most: number;
  readonly usual: number;
}

export interface InvalidSearch {
  readonly has: string;
  readonly length_max: number;
  readonly kinds: readonly string[];
}

/** The problems of HTTP requests. Exit codes are those of commands that go through a server. */
export const HTTP_PROBLEMS = {
  UNAUTHORISED: overHttp(401, {
    meaning: 'The request has no valid token.',
    message: ({ kind }: { readonly kind: 'missing' | 'wrong' }) =>
      kind === 'wrong' ? 'This is not a token of this server.' : 'This request needs a valid token.',
    repair: 'Send Authorization: Bearer TOKEN, or sign in at /sign-in; chukwa serve says where the tokens are.',
    example: { kind: 'missing' },
  }),
  TOO_MANY_REQUESTS: overHttp(429, 'Too many requests without a valid token came from your address.', 'Wait a minute.'),
  BODY_NOT_JSON: overHttp(400, {
    meaning:
      'The body is not JSON in UTF-8, or not storable (400), or declares another media type (415). Nothing was stored.',
    message: (body: UnusableBody) => {
      switch (body.kind) {
        case 'unreadable':
          return `The body is not storable JSON: ${body.reason}.`;
        case 'no_object':
          return 'The body is not a JSON object.';
        case 'other_type':
          return 'The body has a media type that this path does not accept.';
      }
    },
    repair: (body) => {
      switch (body.kind) {
        case 'unreadable':
          return 'Send JSON in UTF-8. Nothing was stored, so it can be sent again.';
        case 'no_object':
          return 'Send an object, such as {"reason": "..."}.';
        case 'other_type':
          return `Send it with the Content-Type ${body.types.join(' or ')}.`;
      }
    },
    example: { kind: 'unreadable', reason: 'it is not UTF-8' },
  }),
  BODY_TOO_LARGE: overHttp(413, {
    meaning: 'The body exceeds the limit of its path: 1 MiB, or 8 KiB to sign in.',
    message: 'The body is larger than this path allows.',
    repair: 'Send a smaller body.',
    example: undefined,
  }),
  REQUEST_MALFORMED: overHttp(400, {
    meaning: 'The request is incomplete, contradicts itself, or names what no request can name.',
    message: (said: Malformed) => {
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
  METHOD_NOT_ALLOWED: overHttp<{ readonly methods: readonly string[] }>(405, {
    meaning: 'The resource does not support this method; the answer names those that it supports in Allow.',
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
    meaning: 'The reason is too long.',
    message: ({ length, length_max }: { readonly length: number; readonly length_max: number }) =>
      `The reason has ${length} characters; the limit is ${length_max}.`,
    repair: 'Write a shorter reason.',
    example: { length: 2001, length_max: 2000 },
  }),
  FIELD_INVALID: overHttp(400, {
    meaning: 'A field of a form, or a member of a body, is invalid.',
    message: (field: FieldFault) => {
      switch (field.kind) {
        case 'unknown':
          return `There is no field ${quoted(field.name)}.`;
        case 'invalid':
          return `The field ${field.name} is not ${field.wanted}.`;
        case 'token':
          return 'A field holds a token of this server.';
      }
    },
    repair: (field) => {
      switch (field.kind) {
        case 'unknown':
          return `Write one of: ${field.known.join(', ')}.`;
        case 'invalid':
          return `Write ${field.wanted}.`;
        case 'token':
          return 'Leave it out: a token belongs in the Authorization header, or into the page that signs in.';
      }
    },
    example: { kind: 'invalid', name: 'turns', wanted: 'a whole number from 1 to 1000' },
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
  FORMAT_UNKNOWN: overHttp(400, {
    meaning: 'The format of a page or stream is unknown.',
    message: (asked: { readonly of: 'page'; readonly format: string } | { readonly of: 'stream' }) =>
      asked.of === 'page' ? `There is no format ${quoted(asked.format)}.` : 'The format of the stream is unknown.',
    repair: ({ of }) =>
      of === 'page'
        ? 'Write format=json, or leave it out for a page.'
        : 'Write format=ai-sdk, or leave it out for AG-UI.',
    example: { of: 'page', format: 'xml' },
  }),
  PARAMETER_UNKNOWN: overHttp(400, {
    meaning: 'The query of a page has an unknown parameter.',
    message: ({ name }: { readonly name: string; readonly suggestion: string }) =>
      `This page has no parameter ${quoted(name)}.`,
    repair: ({ suggestion }) => suggestion,
    example: { name: 'limt', suggestion: 'Did you mean limit?' },
  }),
  LIMIT_INVALID: usage({
    meaning: 'The limit of a list is not a number from 1 to 200.',
    message: ({ limit }: InvalidLimit) => `${quoted(limit)} is not a limit of a list.`,
    repair: ({ most, usual }) => `Write a number from 1 to ${most}, or leave it out for ${usual}.`,
    example: { limit: 'all', most: 200, usual: 50 },
  }),
  CURSOR_INVALID: overHttp(400, {
    meaning: 'The cursor of a list is invalid.',
    message: ({ after }: { readonly after: string }) => `${quoted(after)} is not a cursor of this list.`,
    repair: 'Use the "next" of the previous part, or leave it out for the newest.',
    example: { after: 'second' },
  }),
  EVENT_ID_UNKNOWN: overHttp(400, {
    meaning: 'The Last-Event-ID is not an event of the stream.',
    message: ({ id }: { readonly id: string }) => `The stream has no event ${quoted(id, EVENT_ID_LENGTH_MAX)}.`,
    repair: 'Send the id of an event of this stream as Last-Event-ID, or none to start from the beginning.',
    example: { id: 'ID' },
  }),
  READERS_TOO_MANY: overHttp(
    503,
    'The server, or your address, has reached its limit of stream readers.',
    'Close some streams, or reconnect later with your Last-Event-ID.',
  ),
  SEARCH_INVALID: usage({
    meaning: 'A search is too long, or asks for an unknown kind of text.',
    message: ({ has }: InvalidSearch) => `The search has ${has}.`,
    repair: ({ length_max, kinds }) => `Write at most ${length_max} characters; the kinds are ${kinds.join(', ')}.`,
    example: { has: 'a kind that no text has', length_max: 200, kinds: ['narration', 'answer'] },
  }),
  TURN_INVALID: usage({
    meaning: 'A turn is not a whole number.',
    message: ({ turn }: { readonly turn: string }) => `${quoted(turn)} is not a turn.`,
    repair: 'Write a whole number, such as 0.',
    example: { turn: 'last' },
  }),
  NOT_READY: overHttp(503, 'The database cannot be reached.', 'Wait, or run chukwa doctor.'),
};

const EVENT_ID_LENGTH_MAX = 80;
