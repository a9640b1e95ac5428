import { askBare, variablesFor, withSession } from '../ask.js';
import { answerAs } from '../canned.js';
import { judge, type Rule, soon } from '../rule.js';
import { withServer } from '../server.js';

/** A source without `close` has nothing to end. */
export const close: Rule = {
  rule: 'close',
  sentence: 'Closing it ends, and nothing can be asked of it afterwards',
  needs: ['answers'],
  check: async ({ bench, model }) =>
    withServer(answerAs(model), ({ url }) =>
      withSession(bench, variablesFor(bench.manifest, model, model.server && url), async (session) => {
        const source = session.open(model.interface);
        if (!source.close) return judge([], '');
        await askBare(source, model);
        const complaints: string[] = [];
        for (const time of ['once', 'a second time']) {
          const ended = await soon(
            source.close().then(
              () => 'ended',
              (thrown: unknown) => `it threw ${String(thrown)}`,
            ),
          );
          if (ended !== 'ended') complaints.push(`closed ${time}, ${ended ?? 'it did not end'}`);
        }
        const after = await soon(askBare(source, model));
        if (after?.kind !== 'threw')
          complaints.push(`asked after it was closed, it ${after ? 'answered' : 'did not end'}`);
        return judge(complaints, 'End what the source holds, once; afterwards throw failure("unavailable", ...).');
      }),
    ),
};
