import { writeFile } from 'node:fs/promises';
import { describeTables } from './table-types.js';

const root = new URL('../', import.meta.url);
await writeFile(new URL('engine/store/tables.ts', root), await describeTables(root));
