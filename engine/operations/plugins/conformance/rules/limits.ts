import { setTimeout } from 'node:timers/promises';
import type { Example } from '../../../../generated/plugin-conformance.js';
import { askBare, askThrough, withExchange } from '../ask.js';
import { finalAnswer, toWire } from '../canned.js';
import { describeEnd, describeOutcome } from '../describe.js';
import { findToken } from '../placeholders.js';
import { type Rule, soon, withoutServer } from '../rule.js';
import type { Respond, SeenRequest } from '../server.js';

const RESULT_BYTES = 2_048;
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
      const isTold = outcome.status === 'failed' && outcome.failure_class === 'result_too_large';
      return isTold ? [] : [`of ${OVERSIZE_BYTES} bytes ${describeOutcome(outcome)}`];
    }),
};

const OBEY = 'Hand context.signal on to fetch and to everything else that waits, and let what it throws through.';

/** An aborted call must end at once. */
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
