import { present } from '../contract/present.js';
import type { OpenAttempt } from '../ports/transfer.js';
import type { ScenarioFiles, WorldScenario } from '../ports/worlds.js';
import { inTransaction, type OpenDatabase } from './database.js';
import type { InWorld } from './queries.js';
import { prepare, run, toTimestamp } from './statement.js';

/** A scenario for a world, and the files that it was read from. */
export interface ChosenScenario {
  readonly scenario_hash: string;
  readonly files?: ScenarioFiles;
}

export interface NewWorld extends InWorld, ChosenScenario {
  readonly created_at: number;
}

/**
 * The first scenario of a new world, as a CTE.
 * @param world a CTE `(world_slug)` of the new world
 * @param turn the last turn that was played without them, as SQL
 */
export function firstScenarioOf(world: string, turn: string): string {
  return `
   first_scenario AS (
     INSERT INTO world_scenarios (world_slug, scenario_seq, from_turn, scenario_hash, chosen_at, files)
     SELECT world_slug, 1, ${turn} + 1, :scenario_hash, :created_at::timestamptz, :files::json FROM ${world})`;
}

const LOCK = prepare('lock_world_scenario', 'SELECT turn FROM worlds WHERE world_slug = :world_slug FOR UPDATE');

const FIND_OPEN = prepare(
  'find_open_attempt_of_world',
  `SELECT world_slug, attempt_id, attempted_turn, status FROM attempts
   WHERE world_slug = :world_slug AND status IN ('running', 'suspended')`,
);

// The epoch grows, so that a driver that left the world reads it again.
const CHANGE = prepare(
  'change_world_scenario',
  `WITH world AS (
     UPDATE worlds SET scenario_hash = :scenario_hash, lease_epoch = lease_epoch + 1
     WHERE world_slug = :world_slug RETURNING world_slug, turn)
   INSERT INTO world_scenarios (world_slug, scenario_seq, from_turn, scenario_hash, chosen_at, files)
   SELECT world_slug, 1 + (SELECT max(scenario_seq) FROM world_scenarios WHERE world_slug = :world_slug),
     turn + 1, :scenario_hash, :chosen_at::timestamptz, :files::json
   FROM world`,
);

/** Gives a world another scenario from its next turn on, unless one of its attempts is open. */
export function changeScenario(
  { pool }: Pick<OpenDatabase, 'pool'>,
  { world_slug, scenario_hash, chosen_at, files }: InWorld & ChosenScenario & { readonly chosen_at: number },
) {
  return inTransaction(pool, async (client) => {
    const [world] = await run(client, LOCK, { world_slug });
    if (!world) return { kind: 'unknown_world' } as const;
    const [attempt] = await run<OpenAttempt>(client, FIND_OPEN, { world_slug });
    if (attempt) return { kind: 'under_way', attempt } as const;
    await run(client, CHANGE, {
      world_slug,
      scenario_hash,
      chosen_at: toTimestamp(chosen_at),
      files: toText(files),
    });
    return { kind: 'changed' } as const;
  });
}

const LIST = prepare(
  'list_world_scenarios',
  `SELECT from_turn, scenario_hash, scenarios.content->>'label' AS scenario_label, chosen_at, files
   FROM world_scenarios JOIN scenarios ON scenarios.hash = scenario_hash
   WHERE world_slug = :world_slug ORDER BY scenario_seq`,
);

type Row = Omit<WorldScenario, 'files'> & { readonly files: ScenarioFiles | null };

/** The scenarios by which a world has continued, in the order in which they were chosen. */
export async function listScenarios(
  database: Pick<OpenDatabase, 'query'>,
  world_slug: string,
): Promise<readonly WorldScenario[]> {
  const rows = await run<Row>(database, LIST, { world_slug });
  return rows.map(({ files, ...row }) => ({ ...row, ...present({ files: files ?? undefined }) }));
}

/** The column of the files that a scenario was read from. */
export function toText(files: ScenarioFiles | undefined): string | null {
  return files === undefined ? null : JSON.stringify(files);
}
