import { existsSync } from 'node:fs';
import { copyFile, cp, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureTemplate } from '../engine/store/template.js';
import { bundleProgram } from './bundle-program.js';

// The parts of dist/ that the compiler does not write: the JSON beside each plugin, the files that pages and prompts are made of, the bundled
// program, and the packed database that new folders begin as.

const dist = fileURLToPath(new URL('../', import.meta.url));
const root = dirname(dist.replace(/\/$/, ''));

await copyPluginDocuments(join(root, 'plugins'), join(dist, 'plugins'));
const ASSETS = ['engine/surfaces/browser/assets', 'engine/surfaces/mcp/prompts', 'engine/surfaces/mcp/app'];
for (const folder of ASSETS) await cp(join(root, folder), join(dist, folder), { recursive: true });
await bundleProgram(root, dist);
const made = await ensureTemplate(join(dist, 'template.tar.gz'), join(root, 'migrations'));
process.stdout.write(made ? 'Packed the embedded database into dist/template.tar.gz.\n' : '');

async function copyPluginDocuments(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const documents = (await readdir(join(from, entry.name))).filter((file) => file.endsWith('.json'));
    // A file without compiled output is plain JavaScript, and runs from its place.
    if (!existsSync(join(to, entry.name))) continue;
    for (const document of documents) await copyFile(join(from, entry.name, document), join(to, entry.name, document));
  }
}
