import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Kysely, PostgresDialect as Dialect } from 'kysely';
import type { OpenDatabase } from '../engine/store/database.js';

/** The row types of every table of a migrated database, as TypeScript in the format of the project at `root`. */
export async function describeTables(root: URL, database: Pick<OpenDatabase, 'pool'>): Promise<string> {
  const { generate, PostgresDialect } = await import('kysely-codegen');
  const folder = await mkdtemp(join(tmpdir(), 'chukwa-tables-'));
  try {
    const outFile = join(folder, 'tables.ts');
    await generate({
      // Its parameter has the type of the CommonJS build.
      db: new Kysely({
        dialect: new Dialect({ pool: { connect: database.pool.connect, end: async () => {} } }),
      }) as never,
      dialect: new PostgresDialect(),
      outFile,
      excludePattern: 'schema_migrations',
      typeMapping: { int8: 'number', timestamptz: 'string', json: 'Json' },
    });
    return format(root, (await readFile(outFile, 'utf8')).replace(/^\/\*\*[^]*?\*\/\n/, HEAD));
  } finally {
    await rm(folder, { recursive: true });
  }
}

const HEAD = `// Made by tools/generate-tables.ts from migrations/: do not edit.

import type { Json } from '../contract/json.js';`;

function format(root: URL, text: string): string {
  const biome = fileURLToPath(new URL('node_modules/.bin/biome', root));
  return execFileSync(biome, ['format', '--stdin-file-path=engine/store/tables.ts'], {
    cwd: fileURLToPath(root),
    input: text,
    encoding: 'utf8',
  });
}
