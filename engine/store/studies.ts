import type { Json } from '../contract/json.js';
import { canonicalText } from '../core/content/canonical.js';
import type { Limits } from '../core/protocol/amounts.js';
import { isAnother } from '../core/study/sealing.js';
import type { ListPart } from '../ports/browse.js';
import type { ListedStudy, PlayedWorld, SealedWorld, Sealing, StudyBudget, StudyRecord } from '../ports/studies.js';
import { inTransaction, type OpenDatabase } from './database.js';
import type { InWorld } from './queries.js';
import { prepare, run, type Runner, toTimestamp } from './statement.js';

const COLUMNS = 'study_label, study_hash, document, probes, answered_by, sealed_at';

const FIND = prepare('find_study', `SELECT ${COLUMNS} FROM studies WHERE study_label = :study_label`);

const SEAL = prepare(
  'seal_study',
  `INSERT INTO studies (${COLUMNS})
   VALUES (:study_label, :study_hash, :document::json, :probes::json, :answered_by, :sealed_at::timestamptz)
   ON CONFLICT DO NOTHING RETURNING sealed_at`,
);

// Those of the study itself are there where another process has sealed it a moment ago.
const FIND_TAKEN = prepare(
  'find_worlds_of_study_names',
  `SELECT world_slug FROM worlds LEFT JOIN study_worlds USING (world_slug)
   WHERE world_slug = ANY(:world_slugs::text[]) AND study_label IS DISTINCT FROM :study_label
   UNION SELECT world_slug FROM study_worlds
   WHERE world_slug = ANY(:world_slugs::text[]) AND study_label <> :study_label
   ORDER BY world_slug`,
);

const ADD_WORLDS = prepare(
  'add_study_worlds',
  `INSERT INTO study_worlds (study_label, world_slug, place, seed, condition, probe, scenario_hash, parent_slug,
     parent_turn, until_turn, roster)
   SELECT :study_label, world->>'world_slug', place, (world->>'seed')::bigint, world->>'condition', world->>'probe',
     world->>'scenario_hash', world->'parent'->>'world_slug', (world->'parent'->>'turn')::bigint,
     (world->>'until_turn')::bigint, world->'roster'
   FROM json_array_elements(:worlds::json) WITH ORDINALITY AS row (world, place)`,
);

// The budget is no part of what a study finds out: it may be raised between two runs.
const SET_LIMITS = prepare(
  'set_study_limits',
  `INSERT INTO budgets (budget_key, limit_tokens, limit_money)
   VALUES ('study/' || :study_label::text, :limit_tokens::bigint, :limit_money::bigint)
   ON CONFLICT (budget_key) DO UPDATE SET limit_tokens = excluded.limit_tokens, limit_money = excluded.limit_money`,
);

/**
 * Seals a study before its first run, with the worlds that it will play, and sets the limits of its budget: one transaction.
 * A study that is sealed already only has its limits set.
 */
export function sealStudy(
  { pool }: Pick<OpenDatabase, 'pool'>,
  sealed: Omit<StudyRecord, 'sealed_at'> & {
    readonly worlds: readonly SealedWorld[];
    readonly limits: Limits;
    readonly sealed_at: number;
  },
): Promise<Sealing> {
  const { study_label, study_hash, worlds, limits } = sealed;
  return inTransaction(pool, async (client): Promise<Sealing> => {
    const world_slugs = worlds.map(({ world_slug }) => world_slug);
    if ((await findStudy(client, study_label)) === undefined) {
      const taken = await run<InWorld>(client, FIND_TAKEN, { study_label, world_slugs });
      if (taken.length > 0) return { kind: 'taken', world_slugs: taken.map(({ world_slug }) => world_slug) };
    }
    const [made] = await run<{ sealed_at: string }>(client, SEAL, {
      study_label,
      study_hash,
      document: canonicalText(sealed.document),
      probes: canonicalText(sealed.probes),
      answered_by: sealed.answered_by,
      sealed_at: toTimestamp(sealed.sealed_at),
    });
    if (made !== undefined)
      await run(client, ADD_WORLDS, { study_label, worlds: canonicalText(worlds as unknown as Json) });
    // Another process may have sealed it meanwhile.
    const known = made === undefined ? await findStudy(client, study_label) : undefined;
    if (known !== undefined && isAnother(known, sealed)) return { kind: 'changed', study: known };
    const { tokens = null, money = null } = limits;
    await run(client, SET_LIMITS, { study_label, limit_tokens: tokens, limit_money: money });
    return known === undefined
      ? { kind: 'sealed', sealed_at: made?.sealed_at ?? '' }
      : { kind: 'known', sealed_at: known.sealed_at };
  });
}

export async function findStudy(runner: Runner, study_label: string): Promise<StudyRecord | undefined> {
  return (await run<StudyRecord>(runner, FIND, { study_label }))[0];
}

const LIST_WORLDS = prepare(
  'list_study_worlds',
  `SELECT planned.world_slug, seed, condition, probe, planned.scenario_hash, parent_slug, parent_turn, until_turn, roster,
     worlds.turn
   FROM study_worlds AS planned LEFT JOIN worlds USING (world_slug)
   WHERE study_label = :study_label ORDER BY place`,
);

interface WorldRow extends Omit<PlayedWorld, 'parent'> {
  readonly parent_slug: string | null;
  readonly parent_turn: number | null;
}

/** The worlds of a study, in the order in which they begin. */
export async function listStudyWorlds(runner: Runner, study_label: string): Promise<readonly PlayedWorld[]> {
  const rows = await run<WorldRow>(runner, LIST_WORLDS, { study_label });
  return rows.map(({ parent_slug, parent_turn, ...world }) => ({
    ...world,
    parent: parent_slug === null || parent_turn === null ? null : { world_slug: parent_slug, turn: parent_turn },
  }));
}

const LIST = prepare(
  'browse_studies',
  `SELECT study_label, document->>'question' AS question, sealed_at, runs, runs_done
   FROM studies CROSS JOIN LATERAL (
     SELECT count(*)::int AS runs, (count(*) FILTER (WHERE worlds.turn >= until_turn))::int AS runs_done
     FROM study_worlds LEFT JOIN worlds USING (world_slug)
     WHERE study_worlds.study_label = studies.study_label AND condition IS NOT NULL AND probe IS NULL) AS counted
   WHERE study_label > coalesce(:after::text COLLATE "C", '')
   ORDER BY study_label LIMIT :limit`,
);

/** Studies by label, after one of them. */
export function listStudies(runner: Runner, { after, limit }: ListPart): Promise<readonly ListedStudy[]> {
  return run<ListedStudy>(runner, LIST, { after: after ?? null, limit });
}

const FIND_BUDGET = prepare(
  'find_study_budget',
  `SELECT study_label, limit_tokens, limit_money
   FROM study_worlds JOIN budgets ON budget_key = 'study/' || study_label
   WHERE study_worlds.world_slug = :world_slug AND num_nulls(limit_tokens, limit_money) < 2`,
);

/** The budget of the study that plays a world; undefined where none does, or its study bounds nothing. */
export async function findStudyBudget(runner: Runner, world_slug: string): Promise<StudyBudget | undefined> {
  const [row] = await run<{
    readonly study_label: string;
    readonly limit_tokens: number | null;
    readonly limit_money: number | null;
  }>(runner, FIND_BUDGET, { world_slug });
  if (row === undefined) return undefined;
  const { study_label, limit_tokens, limit_money } = row;
  const tokens = limit_tokens === null ? {} : { tokens: limit_tokens };
  return { study_label, limits: { ...tokens, ...(limit_money === null ? {} : { money: limit_money }) } };
}
