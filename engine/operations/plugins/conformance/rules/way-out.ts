import { askBare, variablesFor, withSession } from '../ask.js';
import { answerAs } from '../canned.js';
import { judge, type Rule, skip } from '../rule.js';
import { withServer } from '../server.js';

/** What goes around the fetch that is handed over goes around limits, credentials and records. */
export const wayOut: Rule = {
  rule: 'way_out',
  sentence: 'It connects only through the fetch that it is handed',
  needs: ['answers'],
  check: async ({ bench, model }) => {
    if (!model.server) return skip('it is asked of no server');
    return withServer(answerAs(model), ({ url, seen }) =>
      withSession(bench, variablesFor(bench.manifest, model, url), async (session) => {
        await askBare(session.open(model.interface), model);
        const around = seen.length - session.countFetches();
        return judge(
          around > 0 ? [`${around} of ${seen.length} requests went another way`] : [],
          'Call capabilities.origin.fetch, and hand it to client libraries too.',
        );
      }),
    );
  },
};
