import type { WorldActivity } from '../../ports/browse.js';
import { IS_DOUBTED } from '../attempts/doubt.js';
import { prepare, run, type Runner } from '../statement.js';
import { isDriven } from './work-state.js';

// The newest attempt of a world is found by an index, however many the world has.
const newestOf = (worlds: string): string => `
   SELECT newest.*, ${isDriven('newest')} AS is_driven, EXISTS (
     SELECT FROM worlds JOIN source_invocations calls ON calls.attempt_id = worlds.adoptable_attempt_id
       AND calls.world_slug = worlds.world_slug
     WHERE worlds.world_slug = newest.world_slug AND ${IS_DOUBTED}) AS is_in_doubt
   FROM ${worlds} CROSS JOIN LATERAL (
     SELECT world_slug, attempt_id, attempted_turn, status, failure_class, coalesce(ended_at, started_at) AS last_at
     FROM attempts WHERE attempts.world_slug = named.world_slug ORDER BY epoch DESC LIMIT 1) AS newest`;

const ACTIVITY = prepare('world_activity', newestOf('unnest(:world_slugs::text[]) AS named (world_slug)'));

/** How many of the latest attempts of all worlds are looked through for one that is under way or came to no good end. */
const ATTEMPTS_SEEN = 200;

const STIRRED = prepare(
  'stirred_worlds',
  newestOf(`(
     SELECT DISTINCT world_slug FROM (
       SELECT world_slug, status FROM attempts ORDER BY attempt_id DESC LIMIT ${ATTEMPTS_SEEN}) AS lately
     WHERE status <> 'committed'
     UNION SELECT world_slug FROM attempts WHERE status IN ('running', 'suspended')) AS named`),
);

/** The newest attempt of each of these worlds; nothing of one that was never played. */
export function listActivity(runner: Runner, world_slugs: readonly string[]): Promise<readonly WorldActivity[]> {
  return run(runner, ACTIVITY, { world_slugs });
}

/** The newest attempts of the worlds where one is under way, waits, or lately came to no good end. */
export function listStirred(runner: Runner): Promise<readonly WorldActivity[]> {
  return run(runner, STIRRED, {});
}
