import { fileURLToPath } from 'node:url';
import { openInMemory } from '../engine/store/embedded.js';
import { loadMigrations, migrate } from '../engine/store/migrations.js';
import type { OpenDatabase } from '../engine/store/database.js';

/** Runs work on a fresh embedded database that has every migration. */
export async function withMigrated<Result>(
  migrations: URL,
  work: (database: OpenDatabase) => Promise<Result>,
): Promise<Result> {
  const database = await openInMemory(undefined);
  try {
    const migrated = await migrate(database, await loadMigrations(fileURLToPath(migrations)));
    if (!migrated.ok) throw new Error('a new database cannot be migrated');
    return await work(database);
  } finally {
    await database.close();
  }
}

/** The schema of a database as SQL in a fixed order: types, tables with their constraints, views, indexes, functions, triggers. */
export async function describeSchema(database: Pick<OpenDatabase, 'query'>): Promise<string> {
  const parts = ['-- What the migrations come to. Made by tools/dump-schema.ts: do not edit.'];
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
