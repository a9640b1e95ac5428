import type { FastifyReply } from 'fastify';
import type { JsonObject } from '../../../contract/json.js';
import { present } from '../../../contract/present.js';
import { type Outcome, problem, refuse } from '../../../contract/problem.js';
import { ask } from '../../../catalogue/act.js';
import { readInput } from '../../../catalogue/read-input.js';
import type { Action } from '../../../catalogue/action.js';
import { ACTIONS } from '../../../catalogue/actions.js';
import { pathOf, PLACES } from '../../../catalogue/places.js';
import { REASON_LENGTH_MAX } from '../../../operations/people/reason.js';
import type { Acknowledgement } from '../../../operations/settling/reports.js';
import { actorOf } from '../actors.js';
import { isForm } from '../body.js';
import { readFields } from '../fields.js';
import { isCommand } from '../problem-document.js';
import { pageOf, refuseForm } from '../refused-form.js';
import { ACKNOWLEDGEMENT, acknowledge, type Exchange, type Route, TEXT } from './route.js';

/** The actions of operators, each with a reason and an entry in the audit: by a form of a page, or as JSON. */
export const ACTION_ROUTES: readonly Route[] = ACTIONS.map((action) => ({
  method: 'POST',
  url: action.path,
  access: action.by === 'command' ? 'command' : 'actor',
  summary: action.says,
  takes_form: true,
  answers: { 200: ACKNOWLEDGEMENT, 202: ACKNOWLEDGEMENT },
  takes: { 'application/json': toBody(action) },
  answer: (exchange) => answerAction(action, exchange),
}));

function toBody({ takes, is_reason_optional }: Action): JsonObject {
  const fields = Object.entries(takes);
  const required = fields.filter(([, field]) => field.is_optional !== true).map(([name]) => name);
  return {
    type: 'object',
    required: is_reason_optional === true ? required : [...required, 'reason'],
    properties: {
      ...Object.fromEntries(fields.map(([name, { schema }]) => [name, schema])),
      reason: { ...TEXT, maxLength: REASON_LENGTH_MAX },
    },
    additionalProperties: false,
  };
}

async function answerAction(action: Action, exchange: Exchange): Promise<FastifyReply> {
  const { request, reply } = exchange;
  const done = await perform(action, exchange);
  if (!isForm(request)) return acknowledge(reply, isCommand(request) ? done : placeInBody(done));
  if (done.ok) return reply.redirect(pathAfter(done.value, request.url), 303);
  return refuseForm(exchange, done);
}

/** An operation knows places in the answer alone, which is a member of the body. A command has it from a file of its own. */
function placeInBody(done: Outcome<Acknowledgement>): Outcome<Acknowledgement> {
  if (done.ok) return done;
  const [first, ...rest] = done.problems.map((found) =>
    found.pointer === undefined ? found : { ...found, pointer: `/answer${found.pointer}` },
  );
  return first === undefined ? done : refuse(first, ...rest);
}

async function perform(action: Action, { desk, request }: Exchange): Promise<Outcome<Acknowledgement>> {
  const fields = readFields(request, action.takes);
  if (!fields.ok) return fields;
  const { reason, ...said } = fields.value;
  // Reasons are kept, and holders of the consumer's token read them.
  if (desk.sessions.holdsToken(JSON.stringify(fields.value)))
    return refuse(problem('FIELD_INVALID', { kind: 'token' }));
  const why = typeof reason === 'string' && reason.trim() !== '' ? reason.trim() : undefined;
  const needsReason = isForm(request) || (action.is_reason_optional !== true && !isCommand(request));
  if (why === undefined && needsReason) return refuse(problem('REASON_MISSING'));
  const input = readInput(action, { ...said, ...(request.params as Readonly<Record<string, string>>) });
  if (!input.ok) return input;
  const actor = present({ ...actorOf(request), reason: why });
  return desk.act(ask(action, input.value), actor);
}

/** The page that shows the outcome of an action: of its attempt, of a world that it made, or of what it was done on. */
function pathAfter({ attempt_id, world }: Acknowledgement, url: string): string {
  const home = pageOf(url);
  const isWorld = home.startsWith(PLACES.world.path);
  if (attempt_id !== undefined && !isWorld) return `${pathOf('attempt', attempt_id)}#actions`;
  const after = world === undefined ? home : pathOf('world', world);
  return isWorld && after !== home ? after : `${after}#actions`;
}
