import type { SourceFailureClass } from '../../../../contract/failure-class.js';
import type { Example } from '../../../../generated/plugin-conformance.js';
import { askBare, askThrough, DEAD_URL, variablesFor, withSession } from '../ask.js';
import { answerAs, finalAnswer, send, toWire } from '../canned.js';
import { describeEnd, describeOutcome } from '../describe.js';
import { complainOf, type Rule, type Scene, withoutServer } from '../rule.js';
import { findToken } from '../placeholders.js';
import { type Respond, withServer } from '../server.js';

interface Hostile {
  readonly does: string;
  readonly respond: (example: Example) => Respond;
  readonly classes: readonly SourceFailureClass[];
  /** Applies only where the answer is one JSON object. */
  readonly needs_object?: boolean;
  /** Nothing listens. */
  readonly is_dead?: boolean;
}

const plain =
  (status: number, type: string, text: string): Hostile['respond'] =>
  () =>
  (_, response) =>
    send(response, { status, headers: { 'content-type': type }, text });

const HOSTILE: readonly Hostile[] = [
  {
    does: 'a server that answers with status 500',
    respond: plain(500, 'application/json', '{"error":"out of order"}'),
    classes: ['http_status'],
  },
  {
    does: 'a server that names a member of its answer twice',
    respond: alter((text) => `{"twice":1,"twice":2${text === '{}' ? '' : ','}${text.slice(1)}`),
    classes: ['non_json', 'transport'],
    needs_object: true,
  },
  {
    does: 'a server that answers with a number that no double holds',
    respond: alter((text) => `{"large":12345678901234567890${text === '{}' ? '' : ','}${text.slice(1)}`),
    classes: ['non_json', 'transport'],
    needs_object: true,
  },
  { does: 'a server that redirects', respond: redirectThenAnswer, classes: ['http_status'] },
  {
    does: 'a server that answers with a page',
    respond: plain(200, 'text/html', '<!doctype html><p>Welcome'),
    classes: ['non_json', 'transport'],
  },
  {
    does: 'a server that answers with nothing',
    respond: plain(200, 'application/json', ''),
    classes: ['non_json', 'transport'],
  },
  {
    does: 'a server that breaks off in the middle of its answer',
    respond: breakOff,
    classes: ['transport', 'non_json'],
  },
  {
    does: 'a server that closes the connection',
    respond: () => (_, response) => void response.destroy(),
    classes: ['transport'],
  },
  {
    does: 'a port without a listener',
    respond: plain(200, 'text/plain', ''),
    classes: ['transport', 'unavailable'],
    is_dead: true,
  },
];

/** Misbehaving servers, made from the model example. */
export const typedErrors: Rule = {
  rule: 'typed_errors',
  sentence: 'Whatever a server does becomes an answer or a failure of the right class',
  needs: ['inputs'],
  repair: 'Throw capabilities.failure(class, message, facts), with the class that is named here.',
  skips: withoutServer,
  check: (scene) => {
    const { body, events } = finalAnswer(scene.model);
    const isObject = events === undefined && typeof body === 'object' && body !== null && !Array.isArray(body);
    const hostile = HOSTILE.filter(({ needs_object }) => isObject || !needs_object);
    return complainOf(hostile, (server) => meet(scene, server));
  },
};

async function meet({ bench, model }: Scene, { does, respond, classes, is_dead }: Hostile): Promise<readonly string[]> {
  return withServer(respond(model), (server) => {
    const variables = variablesFor(bench.manifest, model, is_dead ? DEAD_URL : server.url);
    return withSession(bench, variables, async (session) => {
      const wanted = `${does} should be reported as ${classes.join(' or ')}, and`;
      const isRight = (failureClass: string): boolean => classes.some((known) => known === failureClass);
      const bare = await askBare(session.open(model.interface), model);
      if (bare.kind === 'answered' || !bare.failure || !isRight(bare.failure.failure_class))
        return [`${wanted} ${describeEnd(bare)}`];
      const outcome = await askThrough(bench, session, model);
      const isTold = outcome.status === 'failed' && isRight(outcome.failure_class);
      return isTold ? [] : [`${wanted} through the pipeline ${describeOutcome(outcome)}`];
    });
  });
}

/** A client that follows the redirect gets an ordinary answer. */
function redirectThenAnswer(example: Example): Respond {
  const answer = answerAs(example);
  return (request, response) => {
    if (request.path === '/elsewhere') return answer(request, response);
    return void response.writeHead(307, { location: '/elsewhere' }).end();
  };
}

function alter(change: (text: string) => string): Hostile['respond'] {
  return (example) => (request, response) => {
    const answer = toWire(finalAnswer(example), request, findToken(request));
    send(response, { ...answer, text: change(answer.text) });
  };
}

function breakOff(example: Example): Respond {
  return (request, response) => {
    const { status, headers, text } = toWire(finalAnswer(example), request, findToken(request));
    const bytes = Buffer.from(text);
    response.writeHead(status, { ...headers, 'content-length': String(bytes.length + 1) });
    response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
  };
}
