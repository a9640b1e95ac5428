/** Writes everything that is generated from migrations, schemas, types and catalogues: `npm run generate`. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findLeftOver, type GeneratedFile, GENERATORS } from './generated-files.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const files: GeneratedFile[] = [];
for (const generate of GENERATORS) {
  const made = await generate(root);
  for (const { path, text } of made) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  files.push(...made);
}
for (const path of await findLeftOver(root, files)) await rm(join(root, path));
