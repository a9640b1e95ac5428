import { present } from '../contract/present.js';
import { type Outcome, refuse } from '../contract/problem.js';
import type { BrowsableStore } from '../ports/browse.js';
import { attemptStore } from './attempts/attempt-store.js';
import { freeWorlds } from './attempts/fence.js';
import { componentStore } from './components.js';
import type { OpenDatabase } from './database.js';
import { CACHE_MB_TO_READ, DESCRIPTION_IN_MEMORY, isMade, openInFolder, openInMemory } from './embedded.js';
import { findFaultProblem, isPassing } from './database-fault.js';
import { openInbox } from './inbox/inbox.js';
import { operatorActions } from './operator-actions.js';
import { pendingCalls } from './pending/pending-calls.js';
import { loadMigrations, migrate, type Migration } from './migrations.js';
import { factReader } from './records/attempt-facts.js';
import { browseReader } from './records/browse-lists.js';
import { recordReader } from './records/record-reader.js';
import { catchUp } from './search/catch-up.js';
import { findTexts, listNames } from './search/find-texts.js';
import { openServerDoorbell } from './doorbell/server-doorbell.js';
import { startThreadHeartbeat } from './heartbeat/thread-heartbeat.js';
import { openServer } from './server.js';
import { exportWorlds } from './transfer/export-worlds.js';
import { importWorlds } from './transfer/import-worlds.js';
import { worldStore } from './worlds.js';

/** Where everything is stored. */
export interface StoreConfiguration {
  /** `postgres://...`, or `memory:`; left out for the embedded database in `data_dir`. */
  readonly url?: string;
  readonly data_dir: string;
  readonly migrations_dir: string;
  /** An already migrated embedded database, packed; without it the first start takes seconds more. */
  readonly template_file?: string;
  /** How much the embedded database keeps in memory. */
  readonly cache_mb?: number;
}

/**
 * Opens the store and brings its database up to date.
 * @returns a problem where the database is locked, out of reach, or not this program's
 */
export async function openStore(configuration: StoreConfiguration): Promise<Outcome<BrowsableStore>> {
  const database = await openConfigured(configuration);
  if (!database.ok) return database;
  try {
    const migrations = await loadMigrations(configuration.migrations_dir);
    const applied = await migrate(database.value, migrations);
    if (applied.ok) {
      if (database.value.is_exclusive) await freeWorlds(database.value);
      return { ok: true, value: toStore(database.value, applied.value, migrations) };
    }
    await database.value.close();
    return applied;
  } catch (error) {
    await database.value.close();
    const problem = findFaultProblem(database.value.description, error);
    if (problem === undefined) throw error;
    return refuse({ ...problem, details: { may_pass: isPassing(error) } });
  }
}

/** Opens the store to read it: an embedded database that has not been made stays so, and an empty one is read in its place. */
export async function openToRead(configuration: StoreConfiguration): Promise<Outcome<BrowsableStore>> {
  const { url, data_dir } = configuration;
  if (url !== undefined && url !== '') return openStore(configuration);
  const made = await isMade(data_dir);
  if (!made.ok) return made;
  if (made.value) return openStore({ ...configuration, cache_mb: CACHE_MB_TO_READ });
  const opened = await openStore({ ...configuration, url: 'memory:' });
  if (!opened.ok) return opened;
  const database = { ...opened.value.database, description: `embedded, in ${data_dir}, and not made yet` };
  return { ok: true, value: { ...opened.value, database } };
}

/** Opens the database that is configured; makes the embedded one where there is none. */
export async function openConfigured(configuration: StoreConfiguration): Promise<Outcome<OpenDatabase>> {
  const { url, data_dir, template_file, cache_mb } = configuration;
  if (url === undefined || url === '') return openInFolder(data_dir, template_file, present({ cache_mb }));
  return url === 'memory:' ? tryInMemory(template_file) : openServer(url);
}

async function tryInMemory(template_file: string | undefined): Promise<Outcome<OpenDatabase>> {
  try {
    return { ok: true, value: await openInMemory(template_file) };
  } catch (error) {
    const problem = findFaultProblem(DESCRIPTION_IN_MEMORY, error);
    if (problem === undefined) throw error;
    return refuse(problem);
  }
}

/**
 * The store of an open, migrated database.
 * @param applied the migrations that opening it has applied
 * @param migrations all of this program, for imports of earlier ones
 */
export function toStore(
  database: OpenDatabase,
  applied: readonly string[],
  migrations: readonly Migration[] = [],
): BrowsableStore {
  return {
    database: {
      description: database.description,
      is_kept: database.is_kept,
      migrate: async () => applied,
      findFault: (error) => findFaultProblem(database.description, error),
      close: database.close,
    },
    components: componentStore(database),
    worlds: worldStore(database),
    attempts: attemptStore(database),
    inbox: openInbox(database),
    pending: pendingCalls(database),
    records: recordReader(database),
    actions: operatorActions(database),
    browse: browseReader(database),
    facts: factReader(database),
    search: {
      find: (question, part) => findTexts(database, question, part),
      names: async (of, world_slug) => (await listNames[of](database, { world_slug })).map(({ name }) => name),
      catchUp: (attempts_max) => catchUp(database, attempts_max),
    },
    transfer: {
      export: (world_slugs, write) => exportWorlds(database, world_slugs, write),
      import: (lines) => importWorlds(database, lines, migrations),
    },
    ...toShared(database),
  };
}

function toShared({ server_url }: OpenDatabase): Pick<BrowsableStore, 'shared'> {
  if (server_url === undefined) return {};
  return {
    shared: {
      openDoorbell: () => openServerDoorbell(server_url),
      startHeartbeat: ({ program, ...settings }) =>
        startThreadHeartbeat(program, { ...settings, connectionString: server_url }),
    },
  };
}
