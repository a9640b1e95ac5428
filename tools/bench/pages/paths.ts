import { withClient } from '../databases.js';
import type { Filled } from './fill.js';

/** Searches for a rare word, a frequent one, a phrase, within a world, and for nothing that is there. */
export const SEARCHES = [
  '/search?q=number123456',
  '/search?q=bob',
  '/search?q=%22cold+front%22',
  '/search?q=bob&world=bench-77',
  '/search?q=nothinghasthis',
];

/** Each kind of list and detail, of several worlds, early and late parts of lists. */
export async function listPaths(url: string, filled: Filled): Promise<readonly string[]> {
  const { rows } = await withClient(url, (client) =>
    client.query<{ slug: string; attempt: string; call: string; llm: string }>(
      `SELECT world_slug AS slug, attempt_id AS attempt, source_invocation_id AS call, llm_call_id AS llm
       FROM source_invocations
       WHERE world_slug = ANY ($1) AND invocation_seq = 4 AND attempted_turn IN (1, 50, 100)`,
      [filled.world_slugs.filter((_slug, index) => index % 25 === 0)],
    ),
  );
  const lists = [
    '/',
    '/worlds',
    '/worlds?after=bench-3',
    `/worlds?scenario=${filled.scenario_hash}&after=bench-4`,
    '/inbox',
    '/source-invocations',
    '/llm-calls',
    '/scenarios',
    '/response-sources',
    `/response-sources/hash/${filled.source_hash}`,
    `/cognition-workflows/hash/${filled.workflow_hash}`,
    `/scenarios/hash/${filled.scenario_hash}`,
  ];
  const details = rows.flatMap(({ slug, attempt, call, llm }) => [
    `/worlds/${slug}`,
    `/worlds/${slug}?until=40`,
    `/worlds/${slug}/attempts?limit=20&after=${attempt}`,
    `/worlds/${slug}/turns/50`,
    `/worlds/${slug}/diff?from=40&to=50`,
    `/attempts/${attempt}`,
    `/attempts/${attempt}/source-invocations`,
    `/source-invocations/${call}`,
    `/source-invocations?after=${call}`,
    `/llm-calls/${llm}`,
    `/llm-calls?after=${llm}`,
  ]);
  // Each list stands among the details as often as each of them.
  return details.flatMap((path, index) => [path, lists[index % lists.length] ?? '/']);
}
