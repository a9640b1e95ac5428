import { readFile, rename, rm, writeFile } from 'node:fs/promises';

// `npm pack` runs this before and after: who installs the package builds nothing, and npm would warn of a script that does.

const MANIFEST = 'package.json';
/** The manifest of the checkout, while the one to be packed is in its place. */
const KEPT = 'dist/package.json.kept';

const [step] = process.argv.slice(2);
if (step === 'restore') await rename(KEPT, MANIFEST);
else await replaceManifest();

/** A pack that was cut short has left the kept manifest, and is undone first. */
async function replaceManifest(): Promise<void> {
  await rename(KEPT, MANIFEST).catch(() => {});
  const text = await readFile(MANIFEST, 'utf8');
  const manifest = JSON.parse(text) as { scripts: Record<string, string>; devDependencies?: unknown };
  const { postpack = '' } = manifest.scripts;
  delete manifest.devDependencies;
  await writeFile(KEPT, text);
  try {
    await writeFile(MANIFEST, `${JSON.stringify({ ...manifest, scripts: { postpack } }, null, 2)}\n`);
  } catch (error) {
    await rm(KEPT, { force: true });
    throw error;
  }
}
