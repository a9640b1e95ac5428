import { writeFile } from 'node:fs/promises';
import { describeSchema, withMigrated } from './schema-dump.js';

// Writes the schema that results from the migrations, so that a reviewer sees it without its history.
const migrations = new URL('../migrations/', import.meta.url);
await writeFile(new URL('schema.sql', migrations), await withMigrated(migrations, describeSchema));
