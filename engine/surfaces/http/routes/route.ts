import type { Outcome } from '../../../contract/problem.js';
import type { FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { JsonObject } from '../../../contract/json.js';
import type { HttpDesk } from '../../../operations/composition.js';
import type { Acknowledgement } from '../../../operations/settling/reports.js';
import type { ParameterName } from '../../../catalogue/parameters.js';
import { sendRefused } from '../problem-document.js';
import type { Endpoint } from '../../mcp/endpoint.js';
import type { Streams } from '../../../operations/stream/streams.js';
import type { CountRefusal } from '../authority.js';
import type { StreamPlaces } from '../event-stream.js';
import type { ShareRead } from '../shared-reads.js';
import type { ViewerAuthority } from '../viewer.js';

/**
 * The senders that a route admits: anybody; holders of the callback URL of the call in the path; operators who act;
 * commands of this machine; readers of pages, by a token or a session, and of those the operators alone; assistants, by a
 * token alone, and of those the operators'.
 */
export type RouteAccess =
  | 'anybody'
  | 'reporter'
  | 'actor'
  | 'command'
  | 'viewer'
  | 'operator_viewer'
  | 'assistant'
  | 'operator_assistant';

export interface RouteDesk extends HttpDesk, ViewerAuthority {
  readonly streams: Streams;
  readonly places: StreamPlaces;
  readonly shareRead: ShareRead;
  /** Counts failed sign-ins of an address; true once there have been too many. */
  readonly countSignIn: CountRefusal;
  /** Answers assistants: what they are offered depends on who calls. */
  readonly endpoint: Endpoint;
}

/** A request that is being answered. */
export interface Exchange {
  readonly desk: RouteDesk;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** One route: a file of this folder, and a line in its list. */
export interface Route {
  readonly method: HTTPMethods;
  readonly url: string;
  readonly access: RouteAccess;
  /** Takes a form of a page. */
  readonly takes_form?: true;
  readonly summary: string;
  /** How large a body may be; a mebibyte where it is left out. */
  readonly body_bytes_max?: number;
  readonly query?: readonly ParameterName[];
  /** The bodies that it takes, by media type. */
  readonly takes?: Readonly<Record<string, JsonObject>>;
  /** The answers by status and media type; without a media type, there is no body. */
  readonly answers: Readonly<Record<number, Readonly<Record<string, JsonObject>>>>;
  answer(exchange: Exchange): Promise<unknown>;
}

export const TEXT = { type: 'string' };

export const A_PAGE = { 'text/html': TEXT };

/** The outcome of a report, as an answer. */
export const ACKNOWLEDGEMENT = { 'application/json': { $ref: '#/components/schemas/Acknowledgement' } };

/** Answers 202 where a request has an effect, 200 where it has none: duplicates are idempotent. */
export function acknowledge(reply: FastifyReply, done: Outcome<Acknowledgement>): FastifyReply {
  if (!done.ok) return sendRefused(reply, done);
  return reply.code(done.value.accepted ? 202 : 200).send(done.value);
}
