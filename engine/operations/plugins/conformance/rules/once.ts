import { askThrough, variablesFor, withSession } from '../ask.js';
import { judge, type Rule, skip } from '../rule.js';
import { type Respond, type SeenRequest, withServer } from '../server.js';

const REFUSES: readonly (readonly [string, Respond])[] = [
  ['a server that answers with status 500', (_, response) => void response.writeHead(500).end('{}')],
  ['a server that closes the connection', (_, response) => void response.destroy()],
];

/** The record of a call is one row; a request more is one that nobody sees. */
export const once: Rule = {
  rule: 'once',
  sentence: 'It asks once, and does not try again by itself',
  needs: ['inputs'],
  check: async ({ bench, model }) => {
    if (!model.server) return skip('it is asked of no server');
    const complaints: string[] = [];
    for (const [name, respond] of REFUSES) {
      await withServer(respond, ({ url, seen }) =>
        withSession(bench, variablesFor(bench.manifest, model, url), async (session) => {
          await askThrough(bench, session, model);
          const most = countMost(seen);
          if (most > 1) complaints.push(`${name} was sent the same request ${most} times`);
        }),
      );
    }
    return judge(complaints, 'Throw the failure at once, and set the retries of client libraries to none.');
  },
};

function countMost(seen: readonly SeenRequest[]): number {
  const counts = new Map<string, number>();
  for (const { method, path, query, text } of seen) {
    const request = JSON.stringify([method, path, query, text]);
    counts.set(request, (counts.get(request) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values());
}
