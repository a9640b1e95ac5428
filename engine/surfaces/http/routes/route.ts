import type { FastifyReply, FastifyRequest, FastifySchema, HTTPMethods } from 'fastify';
import type { HttpDesk } from '../../../operations/composition.js';
import type { Done } from '../../../operations/engine.js';
import type { Acknowledgement } from '../../../operations/reports.js';
import { sendRefused } from '../problem-document.js';

/** Who may send a request: anybody, whoever may answer the call that the path names, or operators. */
export type RouteAccess = 'anybody' | 'reporter' | 'operator';

/** One route: a file of this folder, and a line in its list. */
export interface Route {
  readonly method: HTTPMethods;
  readonly url: string;
  readonly access: RouteAccess;
  readonly schema: FastifySchema;
  answer(desk: HttpDesk, request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
}

const TEXT = { type: 'string' };

/** The schema of an acknowledgement. */
export const ACKNOWLEDGEMENT = {
  type: 'object',
  required: ['accepted', 'message'],
  properties: {
    accepted: { type: 'boolean' },
    reason: TEXT,
    message: TEXT,
    world: TEXT,
    attempt_id: TEXT,
    source_invocation_id: TEXT,
  },
};

/** A schema of a path's parameters, which are texts. */
export function parameters(...names: readonly string[]) {
  return { type: 'object', required: names, properties: Object.fromEntries(names.map((name) => [name, TEXT])) };
}

/** Answers 202 where something follows from a request, 200 where nothing does: duplicates are idempotent. */
export function acknowledge(reply: FastifyReply, done: Done<Acknowledgement>): FastifyReply {
  if (!done.ok) return sendRefused(reply, done);
  return reply.code(done.value.accepted ? 202 : 200).send(done.value);
}
