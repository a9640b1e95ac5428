import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTemplate } from './migrated-template.js';
import { startPostgres } from './postgres-server.js';

/** Folders of `test/` whose files open databases on a PostgreSQL server. */
const SERVED = [
  'acceptance',
  'browser',
  'chaos',
  'documents-',
  'doorbells',
  'operations',
  'runtime',
  'store',
  'surfaces',
];

/** A server that test files share, if they want one. */
export interface Shared {
  /** What tells test files of the server. */
  readonly variables: Readonly<Record<string, string>>;
  readonly stop: () => Promise<void>;
}

/** One PostgreSQL with one migrated template for all files that want one: a start for each costs more than many tests. */
export async function shareServer(files: readonly string[]): Promise<Shared> {
  const isGiven = process.env['CHUKWA_TEST_DATABASE_URL'] !== undefined;
  const wanting = files.filter((file) => SERVED.some((folder) => file.startsWith(join('test', folder))));
  if (isGiven || wanting.length < 2) return { variables: {}, stop: async () => {} };
  const server = await startPostgres();
  await makeTemplate(server, 'chukwa_template', fileURLToPath(new URL('../migrations', import.meta.url)));
  const variables = { CHUKWA_TEST_DATABASE_URL: server.url('postgres'), CHUKWA_TEST_TEMPLATE: 'chukwa_template' };
  return { variables, stop: server.stop };
}
