import { isObject } from '../../../core/content/json-pointer.js';
import { problem } from '../../../contract/problem.js';
import { makeAsked, MAKER_NAMES, pathOfMaker } from '../../../operations/evidence/makers.js';
import { bodyOf, readJson } from '../body.js';
import { sendProblem, sendRefused } from '../problem-document.js';
import type { Route } from './route.js';

const AN_OBJECT = { 'application/json': { type: 'object' } };

/** What commands of this machine have made while this server holds the database: signed by its key, kept by its anchor. */
export const EVIDENCE_ROUTES: readonly Route[] = MAKER_NAMES.map((name) => ({
  method: 'POST',
  url: pathOfMaker(name),
  access: 'command',
  summary: `Make the ${name} that a command asks for.`,
  takes: AN_OBJECT,
  answers: { 200: AN_OBJECT },
  answer: async ({ desk, request, reply }) => {
    const { openSigner } = desk;
    if (openSigner === undefined) return sendProblem(reply, problem('NOTHING_HERE'));
    const said = readJson(bodyOf(request));
    if (!said.ok) return sendRefused(reply, said);
    const { value } = said;
    if (!isObject(value)) return sendProblem(reply, problem('BODY_NOT_JSON', { kind: 'no_object' }));
    const made = await desk.use((engine) => makeAsked(engine, openSigner, { name, said: value }));
    return made.ok ? reply.send(made.value) : sendRefused(reply, made);
  },
}));
