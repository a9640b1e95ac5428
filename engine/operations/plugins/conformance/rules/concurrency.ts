import { askThrough, variablesFor, withSession } from '../ask.js';
import { answerAs } from '../canned.js';
import { hasPlaceholder, makeToken } from '../placeholders.js';
import { judge, pause, type Rule, skip } from '../rule.js';
import { type Respond, withServer } from '../server.js';
import { findDifference } from './answers.js';

const CALLS = 8;

/** Calls of one source at the same time, answered in the opposite order. */
export const concurrency: Rule = {
  rule: 'concurrency',
  sentence: "Calls at the same time do not get each other's answers",
  needs: ['answers'],
  check: async ({ bench, examples }) => {
    const example = examples.find(
      ({ request, expect }) => hasPlaceholder(request) && 'value' in expect && hasPlaceholder(expect.value),
    );
    if (!example) return skip('no example has {{call}} in its request and in its value');
    return withServer(lastFirst(answerAs(example)), ({ url }) =>
      withSession(bench, variablesFor(bench.manifest, example, example.server && url), async (session) => {
        const tokens = Array.from({ length: CALLS }, makeToken);
        const outcomes = await Promise.all(tokens.map((token) => askThrough(bench, session, example, { token })));
        return judge(
          outcomes.flatMap((outcome, index) => findDifference(example, outcome, tokens[index] ?? '') ?? []),
          'Keep nothing of one call where another can find it: no variables outside of invoke.',
        );
      }),
    );
  },
};

function lastFirst(respond: Respond): Respond {
  let count = 0;
  return async (request, response) => {
    count += 1;
    await pause(Math.max(0, CALLS - count) * 10);
    return respond(request, response);
  };
}
