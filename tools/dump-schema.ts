import { writeFile } from 'node:fs/promises';
import { dumpSchema } from './schema-dump.js';

// Writes what the migrations come to, so that a reviewer sees the schema and not its history.
const root = new URL('../', import.meta.url);
await writeFile(new URL('migrations/schema.sql', root), await dumpSchema(new URL('migrations', root)));
