/** Makes `migrations/schema.sql`, in which a reviewer sees the schema without its history, and the row types of its tables. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely, PostgresDialect as Dialect } from 'kysely';
import { openInMemory } from '../engine/store/embedded.js';
import { loadMigrations, migrate } from '../engine/store/migrations.js';
import type { OpenDatabase } from '../engine/store/database.js';
import type { GeneratedFile } from './generated-files.js';
import { must } from './must.js';

/** Both files, as the migrations now ask for them. */
export async function generateSchema(root: string): Promise<readonly GeneratedFile[]> {
  const database = await openInMemory(undefined);
  try {
    must(await migrate(database, await loadMigrations(join(root, 'migrations'))));
    return [
      { path: 'migrations/schema.sql', text: await describeSchema(database) },
      { path: 'engine/store/tables.ts', text: await describeTables(root, database) },
    ];
  } finally {
    await database.close();
  }
}

/** The row types of every table, as TypeScript in the format of the project. */
async function describeTables(root: string, { pool }: OpenDatabase): Promise<string> {
  const { generate, PostgresDialect } = await import('kysely-codegen');
  const folder = await mkdtemp(join(tmpdir(), 'chukwa-tables-'));
  try {
    const outFile = join(folder, 'tables.ts');
    await generate({
      // Its parameter has the type of the CommonJS build.
      db: new Kysely({ dialect: new Dialect({ pool: { connect: pool.connect, end: async () => {} } }) }) as never,
      dialect: new PostgresDialect(),
      outFile,
      excludePattern: 'schema_migrations',
      typeMapping: { int8: 'number', timestamptz: 'string', json: 'Json' },
    });
    const input = (await readFile(outFile, 'utf8')).replace(/^\/\*\*[^]*?\*\/\n/, HEAD);
    const format = ['format', '--stdin-file-path=engine/store/tables.ts'];
    return execFileSync(join(root, 'node_modules/.bin/biome'), format, { cwd: root, input, encoding: 'utf8' });
  } finally {
    await rm(folder, { recursive: true });
  }
}

const HEAD = `// Made by tools/generate-schema.ts from migrations/: do not edit, run \`npm run generate\`.

import type { Json } from '../contract/json.js';`;

/** The schema as SQL in a fixed order: types, tables with their constraints, views, indexes, functions, triggers. */
async function describeSchema(database: Pick<OpenDatabase, 'query'>): Promise<string> {
  const parts = [
    '-- What the migrations come to. Made by tools/generate-schema.ts: do not edit, run `npm run generate`.',
  ];
  for (const query of [DOMAINS, ENUMS, TABLES, FOREIGN_KEYS, VIEWS, INDEXES, FUNCTIONS, TRIGGERS]) {
    const { rows } = await database.query<{ text: string }>(query);
    parts.push(...rows.map(({ text }) => text));
  }
  return `${parts.join('\n\n')}\n`;
}

const OURS = `= 'public'::regnamespace`;

const DOMAINS = `
  SELECT format('CREATE DOMAIN %I AS %s%s%s;', typname, format_type(typbasetype, typtypmod), ' COLLATE ' || quote_ident(collname),
    (SELECT string_agg(E'\\n    ' || pg_get_constraintdef(oid), '' ORDER BY conname) FROM pg_constraint
     WHERE contypid = pg_type.oid)) AS text
  FROM pg_type LEFT JOIN pg_collation ON pg_collation.oid = typcollation
  WHERE typtype = 'd' AND typnamespace ${OURS} ORDER BY typname`;

const ENUMS = `
  SELECT format(E'CREATE TYPE %I AS ENUM (\\n%s\\n);', typname,
    string_agg('    ' || quote_literal(enumlabel), E',\\n' ORDER BY enumsortorder)) AS text
  FROM pg_type JOIN pg_enum ON enumtypid = pg_type.oid WHERE typnamespace ${OURS} GROUP BY typname ORDER BY typname`;

const TABLES = `
  SELECT format(E'CREATE TABLE %I (\\n%s\\n)%s;', relname, concat_ws(E',\\n',
    (SELECT string_agg(format('    %I %s', attname, format_type(atttypid, atttypmod))
       || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END
       || CASE WHEN attidentity = 'a' THEN ' GENERATED ALWAYS AS IDENTITY' ELSE '' END
       || coalesce((SELECT format(' (INCREMENT BY %s)', seqincrement) FROM pg_sequence
            WHERE seqrelid = pg_get_serial_sequence(relname, attname)::regclass AND seqincrement <> 1), '')
       || CASE WHEN attgenerated = 's' THEN format(' GENERATED ALWAYS AS (%s) STORED', pg_get_expr(adbin, adrelid))
               WHEN adbin IS NOT NULL THEN format(' DEFAULT %s', pg_get_expr(adbin, adrelid)) ELSE '' END,
       E',\\n' ORDER BY attnum)
     FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
     WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped),
    (SELECT string_agg(format('    CONSTRAINT %I %s', conname, pg_get_constraintdef(oid)), E',\\n'
       ORDER BY array_position('{p,u,c}'::"char"[], contype), conname)
     FROM pg_constraint WHERE conrelid = pg_class.oid AND contype IN ('p', 'u', 'c'))), ' WITH (' || array_to_string(reloptions, ', ') || ')') AS text
  FROM pg_class WHERE relkind = 'r' AND relnamespace ${OURS} ORDER BY relname`;

const FOREIGN_KEYS = `
  SELECT string_agg(format('ALTER TABLE %I ADD CONSTRAINT %I %s;', conrelid::regclass, conname,
    pg_get_constraintdef(oid)), E'\\n' ORDER BY conname) AS text
  FROM pg_constraint WHERE contype = 'f' AND connamespace ${OURS}
  GROUP BY conrelid ORDER BY conrelid::regclass::text`;

const VIEWS = `
  SELECT format(E'CREATE VIEW %I AS\\n%s', viewname, definition) AS text
  FROM pg_views WHERE schemaname = 'public' ORDER BY viewname`;

const INDEXES = `
  SELECT string_agg(indexdef || ';', E'\\n' ORDER BY indexname) AS text
  FROM pg_indexes
  WHERE schemaname = 'public' AND NOT EXISTS (SELECT FROM pg_constraint WHERE conname = indexname AND contype IN ('p', 'u'))
  GROUP BY tablename ORDER BY tablename`;

const FUNCTIONS = `
  SELECT pg_get_functiondef(oid) || ';' AS text FROM pg_proc WHERE pronamespace ${OURS} ORDER BY proname`;

const TRIGGERS = `
  SELECT string_agg(pg_get_triggerdef(pg_trigger.oid) || ';', E'\\n' ORDER BY relname, tgname) AS text
  FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid WHERE NOT tgisinternal AND relnamespace ${OURS}
  HAVING count(*) > 0`;
