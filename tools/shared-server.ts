import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dropTemplate, makeTemplate } from './migrated-template.js';
import { startPostgres, toUrls } from './postgres-server.js';

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
  /** The variables by which test files find the server. */
  readonly variables: Readonly<Record<string, string>>;
  readonly stop: () => Promise<void>;
}

/**
 * One PostgreSQL with one migrated template for all files that want one: a start for each costs more than many tests. It is
 * the server that `CHUKWA_TEST_DATABASE_URL` names, which is left as it was, or one that is started here.
 */
export async function shareServer(files: readonly string[]): Promise<Shared> {
  const given = process.env['CHUKWA_TEST_DATABASE_URL'];
  const wanting = files.filter((file) => SERVED.some((folder) => file.startsWith(join('test', folder))));
  if (given === undefined && wanting.length < 2) return { variables: {}, stop: async () => {} };
  const started = given === undefined ? await startPostgres() : undefined;
  const server = started ?? { url: toUrls(given ?? '') };
  const template = `chukwa_template_${process.pid}`;
  await makeTemplate(server, template, fileURLToPath(new URL('../migrations', import.meta.url)));
  const variables = { CHUKWA_TEST_DATABASE_URL: server.url('postgres'), CHUKWA_TEST_TEMPLATE: template };
  return { variables, stop: started?.stop ?? (() => dropTemplate(server, template)) };
}
