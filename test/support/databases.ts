import { readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { Store } from '../../engine/store/open-store.js';
import type { OpenDatabase } from '../../engine/store/database.js';
import { openInMemory } from '../../engine/store/embedded.js';
import { toStore } from '../../engine/store/open-store.js';
import { openServer } from '../../engine/store/server.js';
import type { Runner } from '../../engine/store/statement.js';
import { ensureTemplate } from '../../engine/store/template.js';
import { makeTemplate, sendTo } from '../../tools/shared-server.js';
import { must } from '../../tools/must.js';
import type { Scope } from './folder.js';
import { startPostgres, toUrls } from '../../tools/postgres-server.js';

/** Where the migrations stand. */
export const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));
const DIST = fileURLToPath(new URL('../../dist', import.meta.url));

/** The names of the migrations, in their order. */
export const MIGRATION_NAMES = readdirSync(MIGRATIONS)
  .filter((file) => /^\d{4}_.*\.sql$/.test(file))
  .map((file) => file.slice(0, -4))
  .toSorted();

export type DatabaseKind = 'embedded' | 'PostgreSQL';

/** A view of a database that does not go through its store. */
export interface OutsideView {
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
}

/** A migrated, empty database of its own, with its store. */
export interface TestDatabase {
  readonly kind: DatabaseKind;
  readonly store: Store;
  readonly database: OpenDatabase;
  /** Another connection to it; of an embedded one, which has a single one, that one. */
  readonly outside: OutsideView;
  /** The address, where it has one. */
  readonly url: string | undefined;
  /** The statements that the store sends while some work is done. */
  statementsOf(work: () => Promise<unknown>): Promise<readonly string[]>;
  /** One more store on the same database, as another process would have it; of an embedded one, the same. */
  anotherStore(): Promise<Store>;
  close(): Promise<void>;
}

/**
 * Describes the same behaviour on both databases. `open` gives one database that the whole description shares;
 * it is closed at the end, also when tests fail.
 */
export function forEachDatabase(name: string, define: (open: () => Promise<TestDatabase>) => void): void {
  for (const kind of ['embedded', 'PostgreSQL'] as const) {
    describe(`${name} (${kind})`, () => {
      let opened: Promise<TestDatabase> | undefined;
      after(async () => (await opened)?.close());
      define(() => (opened ??= openTestDatabase(kind)));
    });
  }
}

/** Opens a migrated, empty database. Close it. */
export function openTestDatabase(kind: DatabaseKind): Promise<TestDatabase> {
  return kind === 'embedded' ? openEmbedded() : openPostgres();
}

async function openEmbedded(): Promise<TestDatabase> {
  const database = await openInMemory(await templateFile());
  const store = toStore(database, []);
  return {
    kind: 'embedded',
    store,
    database,
    url: undefined,
    outside: toView(database),
    statementsOf: (work) => statementsOf(database, work),
    anotherStore: async () => store,
    close: () => database.close(),
  };
}

let template: Promise<string> | undefined;

/** The packed migrated database of the build, which is made here where it is missing or old. */
export function templateFile(): Promise<string> {
  template ??= (async () => {
    await mkdir(DIST, { recursive: true });
    const file = join(DIST, 'template.tar.gz');
    await ensureTemplate(file, MIGRATIONS);
    return file;
  })();
  return template;
}

interface Served {
  readonly url: (database: string) => string;
  readonly template: string;
}

let served: Promise<Served> | undefined;
let opened = 0;

async function openPostgres(): Promise<TestDatabase> {
  const { url, drop } = await copyTemplate();
  const database = must(await openServer(url));
  const second = new pg.Client({ connectionString: url });
  await second.connect();
  const others: OpenDatabase[] = [];
  return {
    kind: 'PostgreSQL',
    store: toStore(database, []),
    database,
    url,
    outside: toView(second),
    statementsOf: (work) => statementsOf(database, work),
    anotherStore: async () => {
      const other = must(await openServer(url));
      others.push(other);
      return toStore(other, []);
    },
    close: async () => {
      await second.end();
      for (const open of [database, ...others]) await open.close();
      await drop();
    },
  };
}

/**
 * The variable that leads to a migrated, empty database of a server, for commands and engines. An embedded database costs
 * six times the CPU, which only tests of the embedded database itself need to spend.
 * @param scope whose end deletes the database
 */
export async function emptyDatabase(scope: Scope): Promise<{ readonly CHUKWA_DATABASE_URL: string }> {
  const { url, drop } = await copyTemplate();
  scope.after(drop);
  return { CHUKWA_DATABASE_URL: url };
}

interface CopiedDatabase {
  readonly url: string;
  readonly drop: () => Promise<void>;
}

async function copyTemplate(): Promise<CopiedDatabase> {
  served ??= serve();
  const { url, template } = await served;
  const name = `chukwa_test_${process.pid}_${(opened += 1)}`;
  await sendTo({ url }, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  // Connections left open by a failed test must not hide why it failed.
  return { url: url(name), drop: () => sendTo({ url }, `DROP DATABASE ${name} WITH (FORCE)`) };
}

/** The server that test files share, with a migrated database to copy; or one of our own, which ends with this process. */
async function serve(): Promise<Served> {
  const { CHUKWA_TEST_DATABASE_URL: shared, CHUKWA_TEST_TEMPLATE: template } = process.env;
  if (shared !== undefined && template !== undefined) return { url: toUrls(shared), template };
  const own = { url: (await startPostgres()).url, template: 'chukwa_template' };
  await makeTemplate(own, own.template, MIGRATIONS);
  return own;
}

function toView(runner: Runner): OutsideView {
  return {
    query: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
      (await runner.query<Row>(text, [...values])).rows,
  };
}

/**
 * Listens to every client that a pool hands out while some work is done. Notifications do not count: those of the commits
 * before are gathered for a moment, and may be sent meanwhile. Nor does the upkeep of an embedded database, which comes
 * with every 16th attempt.
 */
async function statementsOf(database: OpenDatabase, work: () => Promise<unknown>): Promise<readonly string[]> {
  const received: string[] = [];
  const undo: (() => void)[] = [];
  const listen = (client: pg.PoolClient): void => {
    const query = client.query;
    client.query = ((...call: readonly unknown[]) => {
      const [first] = call as readonly [string | { readonly text: string }];
      const text = typeof first === 'string' ? first : first.text;
      if (!/pg_notify|^ANALYZE$|^CHECKPOINT$|pg_control_checkpoint/.test(text)) received.push(text);
      return Reflect.apply(query, client, call) as unknown;
    }) as typeof client.query;
    undo.push(() => {
      client.query = query;
    });
  };
  const { connect } = database.pool;
  const connectAndListen = async (): Promise<pg.PoolClient> => {
    const client = await connect();
    listen(client);
    return client;
  };
  Object.assign(database.pool, { connect: connectAndListen });
  try {
    await work();
  } finally {
    Object.assign(database.pool, { connect });
    for (const restore of undo.toReversed()) restore();
  }
  return received;
}
