import { build, type Plugin } from 'esbuild';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** The program's first line once it is bundled. Node.js 22 and newer keep what they have compiled. */
const FIRST_LINE = `#!/usr/bin/env node
import module from 'node:module';
module.enableCompileCache?.();
await import('./program/chukwa.js');
`;

/**
 * Joins the modules of the program into few files: Node.js opens, resolves and links each module by itself, which takes most
 * of the time of a short command. Packages stay where they are installed. What a command imports later is a file of its own.
 * The modules of dist/ stay as well: the library, plugins and tests import them.
 * @param root the folder of the checkout
 * @param dist the folder with the compiled modules, in which the program is replaced by the bundled one
 */
export async function bundleProgram(root: string, dist: string): Promise<void> {
  const engine = join(dist, 'engine');
  const outdir = join(engine, 'program');
  await rm(outdir, { recursive: true, force: true });
  await build({
    entryPoints: [join(root, 'engine', 'chukwa.ts')],
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [keepUrls(root, dist, outdir)],
  });
  await writeFile(join(engine, 'chukwa.js'), FIRST_LINE);
}

/** A module that finds files beside itself finds them in dist/, wherever it is bundled. */
function keepUrls(root: string, dist: string, outdir: string): Plugin {
  return {
    name: 'keep-urls',
    setup({ onLoad }) {
      onLoad({ filter: /\/(engine|fixtures)\/.*\.ts$/ }, async ({ path }) => {
        const text = await readFile(path, 'utf8');
        const module = join(dist, relative(root, path)).replace(/\.ts$/, '.js');
        const url = `new URL(${JSON.stringify(relative(outdir, module))}, import.meta.url).href`;
        return { contents: text.replaceAll('import.meta.url', url), loader: 'ts' };
      });
    },
  };
}
