import type { JsonObject } from '../contract/json.js';
import { type Outcome, problem, refuse } from '../contract/problem.js';
import type { AttemptOfTurn } from '../ports/attempts.js';
import type { OpenDatabase } from './database.js';
import { findFaultProblem } from './database-fault.js';
import { isMade } from './embedded.js';
import { findRefusal } from './find-refusal.js';
import { loadMigrations, type Migration, readApplied } from './migrations.js';
import { openConfigured, type StoreConfiguration } from './open-store.js';
import { isDriven } from './records/work-state.js';

/** A database as `doctor` sees it, unchanged. */
export interface DatabaseReport {
  readonly description: string;
  /** False for one that the first command will create. */
  readonly exists: boolean;
  /** Names of migrations. */
  readonly applied: readonly string[];
  readonly pending: readonly string[];
  readonly worlds: number;
  /** Whether the named world exists; true without a name. */
  readonly has_world: boolean;
  /** Whether every user of the server may create tables and operators beside ours; left out where not. */
  readonly is_open_to_all?: boolean;
  /** Attempts of the selected worlds that are open, although nobody drives them. */
  readonly undriven: readonly UndrivenAttempt[];
  /** The distinct `interface` objects of the selected sources. */
  readonly interfaces: readonly JsonObject[];
}

/** An attempt whose driver is gone; the next run of its world resumes it. */
export interface UndrivenAttempt extends AttemptOfTurn {
  readonly world_slug: string;
}

/**
 * Looks at the database that is configured, and neither makes nor migrates it.
 * @param world_slug the world whose sources are listed; those of all that is stored where it is left out
 * @returns a problem where it is locked, out of reach, unreadable, not this program's, or may not be written
 */
export async function inspectDatabase(
  configuration: StoreConfiguration,
  world_slug?: string,
): Promise<Outcome<DatabaseReport>> {
  const migrations = await loadMigrations(configuration.migrations_dir);
  const notMade = await findNotMade(configuration, migrations, world_slug);
  if (notMade) return notMade;
  const description = describe(configuration);
  try {
    const database = await openConfigured(configuration);
    if (!database.ok) return database;
    try {
      return await inspect(database.value, migrations, world_slug);
    } catch (error) {
      const fault = findFaultProblem(database.value.description, error);
      if (fault === undefined) throw error;
      return refuse(fault);
    } finally {
      await database.value.close();
    }
  } catch (error) {
    return refuse(problem('DATABASE_UNREADABLE', { description, reason: toReason(error) }));
  }
}

/** A database that would only come into being if it were opened. */
async function findNotMade(
  { url, data_dir }: StoreConfiguration,
  migrations: readonly Migration[],
  world_slug: string | undefined,
): Promise<Outcome<DatabaseReport> | undefined> {
  const pending = migrations.map(({ name }) => name);
  const has_world = world_slug === undefined;
  const absent = { exists: false, applied: [], pending, worlds: 0, has_world, undriven: [], interfaces: [] };
  if (url === 'memory:') return { ok: true, value: { ...absent, description: describe({ url, data_dir }) } };
  if (url !== undefined && url !== '') return undefined;
  const made = await isMade(data_dir);
  if (!made.ok) return made;
  return made.value ? undefined : { ok: true, value: { ...absent, description: describe({ data_dir }) } };
}

function describe({ url, data_dir }: Pick<StoreConfiguration, 'url' | 'data_dir'>): string {
  if (url === 'memory:') return 'embedded, in memory';
  return url === undefined || url === '' ? `embedded, in ${data_dir}` : 'PostgreSQL';
}

// Of one world, the sources that its scenario leads to.
const SOURCES = `
  WITH RECURSIVE closure (kind, hash) AS (
    SELECT 'scenario'::component_kind, scenario_hash::text COLLATE "C" FROM worlds WHERE world_slug = $1
    UNION
    SELECT to_kind, to_hash::text COLLATE "C" FROM closure JOIN component_references ON from_kind = kind AND from_hash = hash)
  SELECT DISTINCT (content->'interface')::text AS interface FROM response_sources
  WHERE $1::text IS NULL OR hash::text IN (SELECT hash FROM closure WHERE kind = 'response_source')
  ORDER BY 1`;

// In an exclusive database ($2) no lease counts.
const UNDRIVEN = `
  SELECT world_slug, attempt_id, attempted_turn FROM attempts
  WHERE status = 'running' AND ($2::boolean OR NOT ${isDriven('attempts')}) AND ($1::text IS NULL OR world_slug = $1)
  ORDER BY world_slug`;

const OPEN_TO_ALL = `
  SELECT FROM pg_namespace, aclexplode(nspacl)
  WHERE nspname = current_schema() AND grantee = 0 AND privilege_type = 'CREATE'`;

async function inspect(
  database: OpenDatabase,
  migrations: readonly Migration[],
  world_slug: string | undefined,
): Promise<Outcome<DatabaseReport>> {
  const applied = await readApplied(database, migrations);
  if (!applied.ok) return applied;
  const names = migrations.map(({ name }) => name);
  const pending = names.filter((name) => !applied.value.includes(name));
  const is_open_to_all = (await database.query(OPEN_TO_ALL)).rows.length > 0;
  const found = { description: database.description, exists: true, applied: applied.value, pending };
  const report = { ...found, ...(is_open_to_all ? { is_open_to_all } : {}) };
  const refusal = await findRefusal(database, report);
  if (refusal !== undefined) {
    const facts = { description: database.description, reason: refusal };
    return refuse(problem('DATABASE_REFUSES', facts));
  }
  if (applied.value.length === 0)
    return {
      ok: true,
      value: { ...report, worlds: 0, has_world: world_slug === undefined, undriven: [], interfaces: [] },
    };
  const worlds = await database.query<{ count: number; is_there: boolean }>(
    'SELECT count(*) AS count, coalesce(bool_or(world_slug = $1), false) AS is_there FROM worlds',
    [world_slug ?? null],
  );
  const sources = await database.query<{ interface: string }>(SOURCES, [world_slug ?? null]);
  const asked = [world_slug ?? null, database.is_exclusive];
  // Earlier versions have no such columns.
  const undriven = pending.length > 0 ? [] : (await database.query<UndrivenAttempt>(UNDRIVEN, asked)).rows;
  const interfaces = sources.rows.map((row) => JSON.parse(row.interface) as JsonObject);
  const { count = 0, is_there = false } = worlds.rows[0] ?? {};
  return {
    ok: true,
    value: { ...report, worlds: count, has_world: world_slug === undefined || is_there, undriven, interfaces },
  };
}

function toReason(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
}
