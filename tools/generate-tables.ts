import { writeFile } from 'node:fs/promises';
import { withMigrated } from './schema-dump.js';
import { describeTables } from './table-types.js';

const root = new URL('../', import.meta.url);
const text = await withMigrated(new URL('migrations/', root), (database) => describeTables(root, database));
await writeFile(new URL('engine/store/tables.ts', root), text);
