/** Writes everything that is generated from schemas, types and catalogues: `npm run generate`. */
import { rm, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateCatalogue } from './generate-catalogue.js';
import { ANSWERS_FILE, generateAnswers } from './generate-answers.js';
import { problemsPage } from './generate-problems.js';
import { generateReference } from './generate-reference.js';
import { type GeneratedFile, generateTypes } from './generate-types.js';

const REFERENCE = 'docs/reference';
const root = fileURLToPath(new URL('..', import.meta.url));
const write = ({ path, text }: GeneratedFile): Promise<void> => writeFile(join(root, path), text);

for (const file of await generateTypes(root)) await write(file);
for (const file of await generateCatalogue(root)) await write(file);
await write({ path: ANSWERS_FILE, text: generateAnswers(root) });
await write({ path: 'docs/problems.md', text: problemsPage() });
await rm(join(root, REFERENCE), { recursive: true, force: true });
await mkdir(join(root, REFERENCE));
for (const { name, text } of await generateReference(root)) await write({ path: join(REFERENCE, name), text });
