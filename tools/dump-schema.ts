import { writeFile } from 'node:fs/promises';
import { describeSchema, withMigrated } from './schema-dump.js';

// Writes what the migrations come to, so that a reviewer sees the schema and not its history.
const migrations = new URL('../migrations/', import.meta.url);
await writeFile(new URL('schema.sql', migrations), await withMigrated(migrations, describeSchema));
