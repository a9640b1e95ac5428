import type { Example } from '../../../../generated/plugin-conformance.js';
import { askBare, askThrough, variablesFor, withSession } from '../ask.js';
import { finalAnswer, toWire } from '../canned.js';
import { describeEnd, describeOutcome } from '../describe.js';
import { findToken } from '../placeholders.js';
import { judge, pause, type Rule, type Scene, skip, soon } from '../rule.js';
import { type Respond, type SeenRequest, withServer } from '../server.js';

const RESULT_BYTES = 2_048;
/** More than a chat source may take over the wire for that result. */
const OVERSIZE_BYTES = 4_000_000;
const SHORT_MS = 250;

/** The engine cuts the answer off; the plugin has to say so, and not to make something of the rest. */
export const sizeLimit: Rule = {
  rule: 'size_limit',
  sentence: 'An answer beyond the size limit fails as result_too_large',
  needs: ['inputs'],
  check: async ({ bench, model }) => {
    if (!model.server) return skip('it is asked of no server');
    return withServer(oversize(model), ({ url }) =>
      withSession(bench, variablesFor(bench.manifest, model, url), async (session) => {
        const outcome = await askThrough(bench, session, model, { max_result_bytes: RESULT_BYTES });
        const isTold = outcome.status === 'failed' && outcome.failure_class === 'result_too_large';
        return judge(
          isTold ? [] : [`of ${OVERSIZE_BYTES} bytes ${describeOutcome(outcome)}`],
          'Let the failure through that reading the body throws; never answer with a part of a body.',
        );
      }),
    );
  },
};

const OBEY = 'Hand context.signal on to fetch and to everything else that waits, and let what it throws through.';

/** A turn that was stopped must not wait for anybody. */
export const abort: Rule = {
  rule: 'abort',
  sentence: 'When its signal is aborted it ends at once',
  needs: ['conformance'],
  check: async (scene) => {
    const early = await askAborted(scene);
    const complaints = early?.kind === 'threw' ? [] : [`called with an aborted signal ${describeEnd(early)}`];
    if (scene.model.server) complaints.push(...(await abortWhileWaiting(scene)));
    return judge(complaints, OBEY);
  },
};

function askAborted({ bench, model }: Scene) {
  return withServer(hang, ({ url }) =>
    withSession(bench, variablesFor(bench.manifest, model, model.server && url), (session) =>
      soon(askBare(session.open(model.interface), model, { signal: AbortSignal.abort() })),
    ),
  );
}

async function abortWhileWaiting({ bench, model }: Scene): Promise<readonly string[]> {
  return withServer(hang, ({ url, seen }) =>
    withSession(bench, variablesFor(bench.manifest, model, url), async (session) => {
      const controller = new AbortController();
      const asked = askBare(session.open(model.interface), model, { signal: controller.signal });
      await whenSeen(seen);
      controller.abort();
      const end = await soon(asked);
      return end?.kind === 'threw' ? [] : [`aborted while it waited for an answer, ${describeEnd(end)}`];
    }),
  );
}

/** In the middle of an answer, where many a client has already let go of the signal. */
export const deadline: Rule = {
  rule: 'deadline',
  sentence: 'At its deadline it ends, in the middle of an answer too',
  needs: ['inputs'],
  check: async ({ bench, model }) => {
    if (!model.server) return skip('it is asked of no server');
    return withServer(drip(model), ({ url }) =>
      withSession(bench, variablesFor(bench.manifest, model, url), async (session) => {
        const outcome = await askThrough(bench, session, model, { deadline_ms: SHORT_MS });
        const signal = AbortSignal.timeout(SHORT_MS);
        const asked = askBare(session.open(model.interface), model, { signal, deadline_ms: SHORT_MS });
        await pause(SHORT_MS);
        const end = await soon(asked);
        const isTimeout = outcome.status === 'failed' && outcome.failure_class === 'timeout';
        return judge(
          [
            ...(end?.kind === 'threw' ? [] : [`at its deadline, in the middle of an answer, ${describeEnd(end)}`]),
            ...(isTimeout ? [] : [`at its deadline, through the pipeline, ${describeOutcome(outcome)}`]),
          ],
          OBEY,
        );
      }),
    );
  },
};

const hang: Respond = () => {};

async function whenSeen(seen: readonly SeenRequest[]): Promise<void> {
  const STEPS = 100;
  for (let step = 0; step < STEPS && seen.length === 0; step += 1) await pause(10);
}

function oversize(example: Example): Respond {
  return (request, response) => {
    const answer = finalAnswer(example);
    const { status, headers } = toWire(answer, request, findToken(request));
    const filler = 'x'.repeat(OVERSIZE_BYTES);
    response.writeHead(status, headers).end(answer.events ? `: ${filler}\n\n` : JSON.stringify(filler));
  };
}

function drip(example: Example): Respond {
  return (request, response) => {
    const answer = finalAnswer(example);
    const { status, headers } = toWire(answer, request, findToken(request));
    response.writeHead(status, headers);
    const timer = setInterval(() => response.write(answer.events ? ': wait\n\n' : ' '), 20);
    response.on('close', () => clearInterval(timer));
  };
}
