import type { FastifyReply } from 'fastify';
import { type Outcome, problem, type Problem, refuse, succeed } from '../../../contract/problem.js';
import type { Json, JsonObject } from '../../../contract/json.js';
import { present } from '../../../contract/present.js';
import { parseJson } from '../../../core/content/parse-json.js';
import type { OperatorAction } from '../../../operations/act.js';
import { REASON_LENGTH_MAX } from '../../../operations/reason.js';
import type { Acknowledgement } from '../../../operations/reports.js';
import { pathOf } from '../../../catalogue/places.js';
import { actorOf } from '../actors.js';
import { isForm } from '../body.js';
import { type Fields, readFields } from '../fields.js';
import { isCommand } from '../problem-document.js';
import { refuseForm } from '../refused-form.js';
import { ACKNOWLEDGEMENT, acknowledge, type Exchange, type Route, TEXT } from './route.js';

const TURNS_MAX = 1_000;

/** Members of actions that may be left out. */
const OPTIONAL = ['answer', 'call', 'scenario'];

/** One thing that operators do: by a form of a page, or as JSON. */
interface Action {
  readonly url: string;
  readonly summary: string;
  /** Who may do it; operators where it is left out. */
  readonly access?: 'command';
  /** The schemas of its members, beside the reason. */
  readonly members?: Readonly<Record<string, JsonObject>>;
  /** A program may leave the reason out, as a person at the terminal has none to give; a form always has one. */
  readonly is_reason_optional?: true;
  readonly read: (parameters: Readonly<Record<string, string>>, fields: Fields) => Outcome<OperatorAction>;
}

const ACTIONS: readonly Action[] = [
  {
    url: '/worlds/:world_slug/turns',
    summary: 'Queues turns of a world.',
    members: { turns: { type: 'integer', minimum: 1, maximum: TURNS_MAX } },
    read({ world_slug = '' }, fields) {
      const turns = fields.whole('turns');
      if (turns === undefined || turns < 1 || turns > TURNS_MAX)
        return refuse(fieldInvalid('turns', `a whole number from 1 to ${TURNS_MAX}`));
      return succeed({ kind: 'run_turns', world_slug, turns });
    },
  },
  {
    url: '/worlds/:world_slug/queue/stop',
    summary: 'Takes back the queued turns of a world that have not begun.',
    is_reason_optional: true,
    read: ({ world_slug = '' }) => succeed({ kind: 'take_back_turns', world_slug }),
  },
  {
    url: '/worlds/:world_slug/fork',
    summary: 'Forks a world at a turn, by the scenario of that turn or by a stored one with this hash.',
    members: { at_turn: { type: 'integer', minimum: 0 }, as: TEXT, scenario: TEXT },
    read({ world_slug = '' }, fields) {
      const at_turn = fields.whole('at_turn');
      const as = fields.text('as');
      if (at_turn === undefined) return refuse(fieldInvalid('at_turn', 'a turn of the world'));
      if (as === undefined) return refuse(fieldInvalid('as', 'the name of the new world'));
      const scenario_hash = fields.text('scenario');
      const scenario = scenario_hash === undefined ? undefined : { scenario_hash };
      return succeed(present({ kind: 'fork_world', world_slug, at_turn, as, scenario }));
    },
  },
  {
    url: '/attempts/:attempt_id/stop',
    summary: 'Stops an attempt.',
    is_reason_optional: true,
    read: ({ attempt_id = '' }) => succeed({ kind: 'stop_attempt', attempt_id }),
  },
  {
    url: '/source-invocations/:source_invocation_id/settlement',
    summary: 'Settles a call in doubt: it took place, with this answer; without one, it did not.',
    members: { answer: {} },
    read({ source_invocation_id = '' }, fields) {
      const answer = readAnswer(fields);
      if (!answer.ok) return answer;
      return succeed(present({ kind: 'settle_call', source_invocation_id, answer: answer.value }));
    },
  },
  {
    url: '/attempts/:attempt_id/settlement',
    summary: 'Settles a call of an attempt in the same way; the call is named where several are in doubt.',
    members: { answer: {}, call: TEXT },
    read({ attempt_id = '' }, fields) {
      const answer = readAnswer(fields);
      if (!answer.ok) return answer;
      const call = { source_invocation_id: fields.text('call'), answer: answer.value };
      return succeed({ kind: 'settle_call', attempt_id, ...present(call) });
    },
  },
  {
    url: '/worlds/:world_slug/deletion',
    access: 'command',
    summary: 'Deletes a world with all that is recorded of it, for good.',
    is_reason_optional: true,
    read: ({ world_slug = '' }) => succeed({ kind: 'delete_world', world_slug }),
  },
  {
    url: '/source-invocations/:source_invocation_id/report',
    summary:
      'Reports the answer of a pending call by hand, and refuses an answer that does not fit; without an answer, reports that the call failed, and why. Also accepts the id that the service gave the call.',
    members: { answer: {} },
    is_reason_optional: true,
    read({ source_invocation_id: correlation_id = '' }, fields) {
      const answer = readAnswer(fields);
      if (!answer.ok) return answer;
      const { value } = answer;
      const message = fields.text('reason') ?? 'an operator reported a failure';
      const said =
        value === undefined ? ({ kind: 'failed', message } as const) : ({ kind: 'answered', value } as const);
      return succeed({ kind: 'report_call', correlation_id, said });
    },
  },
];

/** @returns undefined where there is none */
function readAnswer(fields: Fields): Outcome<Json | undefined> {
  const text = fields.json('answer');
  if (text === undefined) return succeed(undefined);
  const parsed = parseJson(text);
  return parsed.ok ? parsed : refuse(fieldInvalid('answer', 'JSON; a plain sentence needs double quotes'));
}

/** The actions of operators, each with a reason and an entry in the audit. */
export const ACTION_ROUTES: readonly Route[] = ACTIONS.map((action) => ({
  method: 'POST',
  url: action.url,
  access: action.access ?? 'actor',
  summary: action.summary,
  takes_form: true,
  answers: { 200: ACKNOWLEDGEMENT, 202: ACKNOWLEDGEMENT },
  takes: { 'application/json': toBody(action) },
  answer: (exchange) => answerAction(action, exchange),
}));

function toBody({ members = {}, is_reason_optional }: Action): JsonObject {
  const required = Object.keys(members).filter((name) => !OPTIONAL.includes(name));
  return {
    type: 'object',
    required: is_reason_optional === true ? required : [...required, 'reason'],
    properties: { ...members, reason: { ...TEXT, maxLength: REASON_LENGTH_MAX } },
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
  const fields = readFields(request);
  if (!fields.ok) return fields;
  const known = [...Object.keys(action.members ?? {}), 'reason'];
  const unknown = fields.value.names.find((name) => name !== 'form_token' && !known.includes(name));
  // A misspelt answer must not pass for none.
  if (unknown !== undefined) return refuse(problem('FIELD_INVALID', { kind: 'unknown', name: unknown, known }));
  // Reasons are kept, and holders of the consumer's token read them.
  if (desk.sessions.holdsToken(fields.value.whole_text)) return refuse(problem('FIELD_INVALID', { kind: 'token' }));
  const reason = fields.value.text('reason');
  const needsReason = isForm(request) || (action.is_reason_optional !== true && !isCommand(request));
  if (reason === undefined && needsReason) return refuse(problem('REASON_MISSING'));
  const read = action.read(request.params as Readonly<Record<string, string>>, fields.value);
  if (!read.ok) return read;
  return desk.act(read.value, present({ ...actorOf(request), reason }));
}

/** The page that shows the outcome of an action. */
function pathAfter({ attempt_id, world }: Acknowledgement, url: string): string {
  const [, of] = /^\/worlds\/[^/]+\/(\w+)/.exec(url) ?? [];
  if (of === undefined && attempt_id !== undefined) return `${pathOf('attempt', attempt_id)}#actions`;
  return `${pathOf('world', world ?? '')}${of === 'fork' ? '' : '#actions'}`;
}

function fieldInvalid(name: string, wanted: string): Problem {
  return problem('FIELD_INVALID', { kind: 'invalid', name, wanted }, { details: { field: name } });
}
