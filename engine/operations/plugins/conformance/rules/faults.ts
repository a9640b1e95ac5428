import type { SourceFailureClass } from '../../../../contract/failure-class.js';
import type { Example } from '../../../../generated/plugin-conformance.js';
import {
  askBare,
  askThrough,
  DEAD_URL,
  describeEnd,
  describeOutcome,
  variablesFor,
  withExchange,
  withSession,
} from '../ask.js';
import {
  answerAs,
  finalAnswer,
  makeToken,
  type Respond,
  type SeenRequest,
  send,
  toFinal,
  withServer,
} from '../server.js';
import { complainOf, type Rule, type Scene, soon, withoutServer } from '../rule.js';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { placeFiles, withFolder } from '../examples.js';
import { parseJson } from '../../../../core/content/parse-json.js';
import { present } from '../../../../contract/present.js';
import { setTimeout } from 'node:timers/promises';

interface Hostile {
  readonly does: string;
  readonly respond: (example: Example) => Respond;
  readonly classes: readonly SourceFailureClass[];
  /** Applies only where the answer is one JSON object. */
  readonly needs_object?: boolean;
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
    return complainOf(hostile, (server) => meetServer(scene, server));
  },
};

async function meetServer(
  { bench, model }: Scene,
  { does, respond, classes, is_dead }: Hostile,
): Promise<readonly string[]> {
  return withServer(respond(model), (server) => {
    const variables = variablesFor(bench.manifest, model, is_dead ? DEAD_URL : server.url);
    return withSession(bench, variables, async (session) => {
      const wanted = `${does} should be reported as ${classes.join(' or ')}, and`;
      const isRight = (failureClass: string): boolean => classes.some((known) => known === failureClass);
      const bare = await askBare(session.open(model.interface), model);
      if (bare.kind === 'answered' || !bare.failure || !isRight(bare.failure.failure_class))
        return [`${wanted} ${describeEnd(bare)}`];
      const outcome = await askThrough(bench, session, model);
      const isReported = outcome.status === 'failed' && isRight(outcome.failure_class);
      return isReported ? [] : [`${wanted} through the pipeline ${describeOutcome(outcome)}`];
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
    const answer = toFinal(example, request);
    send(response, { ...answer, text: change(answer.text) });
  };
}

function breakOff(example: Example): Respond {
  return (request, response) => {
    const { status, headers, text } = toFinal(example, request);
    const bytes = Buffer.from(text);
    response.writeHead(status, { ...headers, 'content-length': String(bytes.length + 1) });
    response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
  };
}

/** A misplaced file: its description, how it is made, and the expected failure. */
type Misplaced = readonly [is: string, change: (file: string) => Promise<unknown>, failure_class: SourceFailureClass];

const RESULT_BYTES = 2_048;

const MISPLACED: readonly Misplaced[] = [
  ['is not there', (file) => rm(file), 'tool_error'],
  [
    `has more than ${RESULT_BYTES} bytes`,
    (file) => writeFile(file, JSON.stringify('x'.repeat(RESULT_BYTES))),
    'result_too_large',
  ],
  ['is a link out of its folder', (file) => rm(file).then(() => symlink(tmpdir(), file)), 'schema_invalid'],
  ['is a folder', (file) => rm(file).then(() => mkdir(file)), 'schema_invalid'],
];

/** Only a plugin whose files are JSON can know that a text is none. */
const NO_JSON: readonly Misplaced[] = [
  ['is no JSON', (file) => writeFile(file, '<p>'), 'non_json'],
  ['is empty', (file) => writeFile(file, ''), 'non_json'],
  ['names a member twice', (file) => writeFile(file, '{"a":1,"a":2}'), 'non_json'],
];

export const files: Rule = {
  rule: 'files',
  sentence: 'Anything else in the place of a file becomes a failure of the right class',
  needs: ['answers'],
  repair: 'Let what files.read throws through, and throw non_json where parseJson refuses the text.',
  skips: ({ bench }) => (bench.manifest.folder ? undefined : 'it reads no files'),
  check: (scene) => {
    const texts = Object.values(scene.model.files ?? {});
    return complainOf(texts.every(isJson) ? [...MISPLACED, ...NO_JSON] : MISPLACED, (one) => meetFile(scene, one));
  },
};

function isJson(text: string): boolean {
  const parsed = parseJson(text);
  return parsed.ok && typeof parsed.value === 'object' && parsed.value !== null;
}

async function meetFile({ bench, model }: Scene, [is, change, failure_class]: Misplaced): Promise<readonly string[]> {
  return withFolder(bench.manifest, model, async ({ folder, ...example }) => {
    const token = makeToken();
    for (const path of await placeFiles({ ...example, ...present({ folder }) }, token)) await change(path);
    return withSession(bench, variablesFor(bench.manifest, example, undefined), async (session) => {
      // Without its folder, the call leaves the files as they are now.
      const outcome = await askThrough(bench, session, example, { token, max_result_bytes: RESULT_BYTES });
      if (outcome.status === 'failed' && outcome.failure_class === failure_class) return [];
      return [`a file that ${is} should be reported as ${failure_class}, and ${describeOutcome(outcome)}`];
    });
  });
}

/** More bytes than a chat source may receive for that result. */
const OVERSIZE_BYTES = 4_000_000;
const SHORT_MS = 250;

/** The engine cuts an oversized answer; the plugin has to report it, and not to use the rest. */
export const sizeLimit: Rule = {
  rule: 'size_limit',
  sentence: 'An answer beyond the size limit fails as result_too_large',
  needs: ['inputs'],
  repair: 'Let the failure through that reading the body throws; never answer with a part of a body.',
  skips: withoutServer,
  check: ({ bench, model }) =>
    withExchange(bench, { example: model, respond: oversize(model) }, async ({ session }) => {
      const outcome = await askThrough(bench, session, model, { max_result_bytes: RESULT_BYTES });
      const isReported = outcome.status === 'failed' && outcome.failure_class === 'result_too_large';
      return isReported ? [] : [`of ${OVERSIZE_BYTES} bytes ${describeOutcome(outcome)}`];
    }),
};

const OBEY = 'Hand context.signal on to fetch and to everything else that waits, and let what it throws through.';

export const abort: Rule = {
  rule: 'abort',
  sentence: 'When its signal is aborted it ends at once',
  needs: ['conformance'],
  repair: OBEY,
  check: async ({ bench, model }) => {
    const exchange = { example: model, respond: hang };
    const early = await withExchange(bench, exchange, ({ session }) =>
      soon(askBare(session.open(model.interface), model, { signal: AbortSignal.abort() })),
    );
    const complaints = early?.kind === 'threw' ? [] : [`called with an aborted signal ${describeEnd(early)}`];
    if (!model.server) return complaints;
    return withExchange(bench, exchange, async ({ session, seen }) => {
      const controller = new AbortController();
      const asked = askBare(session.open(model.interface), model, { signal: controller.signal });
      await whenSeen(seen);
      controller.abort();
      const end = await soon(asked);
      return [
        ...complaints,
        ...(end?.kind === 'threw' ? [] : [`aborted while it waited for an answer, ${describeEnd(end)}`]),
      ];
    });
  },
};

/** In the middle of an answer, where many clients no longer watch the signal. */
export const deadline: Rule = {
  rule: 'deadline',
  sentence: 'At its deadline it ends, in the middle of an answer too',
  needs: ['inputs'],
  repair: OBEY,
  skips: withoutServer,
  check: ({ bench, model }) =>
    withExchange(bench, { example: model, respond: drip(model) }, async ({ session }) => {
      const outcome = await askThrough(bench, session, model, { deadline_ms: SHORT_MS });
      const signal = AbortSignal.timeout(SHORT_MS);
      const asked = askBare(session.open(model.interface), model, { signal, deadline_ms: SHORT_MS });
      await setTimeout(SHORT_MS);
      const end = await soon(asked);
      const isTimeout = outcome.status === 'failed' && outcome.failure_class === 'timeout';
      return [
        ...(end?.kind === 'threw' ? [] : [`at its deadline, in the middle of an answer, ${describeEnd(end)}`]),
        ...(isTimeout ? [] : [`at its deadline, through the pipeline, ${describeOutcome(outcome)}`]),
      ];
    }),
};

const hang: Respond = () => {};

async function whenSeen(seen: readonly SeenRequest[]): Promise<void> {
  const STEPS = 100;
  for (let step = 0; step < STEPS && seen.length === 0; step += 1) await setTimeout(10);
}

function oversize(example: Example): Respond {
  return (request, response) => {
    const { status, headers } = toFinal(example, request);
    const filler = 'x'.repeat(OVERSIZE_BYTES);
    response.writeHead(status, headers).end(finalAnswer(example).events ? `: ${filler}\n\n` : JSON.stringify(filler));
  };
}

function drip(example: Example): Respond {
  return (request, response) => {
    const { status, headers } = toFinal(example, request);
    response.writeHead(status, headers);
    const timer = setInterval(() => response.write(finalAnswer(example).events ? ': wait\n\n' : ' '), 20);
    response.on('close', () => clearInterval(timer));
  };
}
