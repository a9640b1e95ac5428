import type { Example } from '../../../../generated/plugin-conformance.js';
import { askThrough, toCorrelation, variablesFor, withSession } from '../ask.js';
import { answerAs } from '../canned.js';
import { describeOutcome } from '../describe.js';
import { makeToken } from '../placeholders.js';
import { judge, type Rule, type Scene, skip } from '../rule.js';
import { type SeenRequest, withServer } from '../server.js';

/** Whoever answers later needs a name for the call; and where an author lets nobody answer later, nobody may. */
export const pending: Rule = {
  rule: 'pending',
  sentence: 'Where an answer comes later, the other side was told which call it is',
  needs: ['answers'],
  check: async (scene) => {
    const examples = scene.examples.filter(({ expect }) => 'pending' in expect);
    if (examples.length === 0) return skip('no example says that its answer comes later');
    const complaints: string[] = [];
    for (const example of examples) complaints.push(...(await play(scene, example)));
    return judge(
      complaints,
      'Send context.correlation_id along, and answer { pending: {...} } only to say that the answer comes later.',
    );
  },
};

async function play({ bench }: Scene, example: Example): Promise<readonly string[]> {
  return withServer(answerAs(example), ({ url, seen }) =>
    withSession(bench, variablesFor(bench.manifest, example, example.server && url), async (session) => {
      const token = makeToken();
      await askThrough(bench, session, example, { token });
      const isTold = example.server === undefined || seen.some((request) => names(request, toCorrelation(token)));
      const outcome = await askThrough(bench, session, { ...example, expect: { value: null } });
      const isRefused = outcome.status === 'failed' && outcome.failure_class === 'schema_invalid';
      return [
        ...(isTold ? [] : [`${example.name}: no request holds the correlation_id of its call`]),
        ...(isRefused
          ? []
          : [
              `${example.name}: where no answer may come later it should fail as schema_invalid, and ${describeOutcome(outcome)}`,
            ]),
      ];
    }),
  );
}

function names(request: SeenRequest, correlation: string): boolean {
  return JSON.stringify(request).includes(correlation);
}
