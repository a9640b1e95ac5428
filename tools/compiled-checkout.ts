import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const LEFT_OUT = ['.git', '.chukwa', 'coverage', 'node_modules'];

/** A copy of the checkout in which every module has its JavaScript beside it. */
interface CompiledCheckout {
  readonly folder: string;
  remove(): void;
}

/**
 * Copies the checkout and compiles all of it at once: a process that has nothing to compile starts in half the time.
 * Types are not checked here. Source maps lead to the TypeScript of the checkout itself.
 * @throws Error where the compiler ends with one
 */
export async function compileCheckout(): Promise<CompiledCheckout> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'chukwa-checkout-')));
  const remove = (): void => rmSync(folder, { recursive: true });
  for (const name of readdirSync('.')) {
    if (!LEFT_OUT.includes(name)) cpSync(name, join(folder, name), { recursive: true });
  }
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
  const manifest = createRequire(import.meta.url).resolve('typescript/package.json');
  const flags = ['-p', 'tsconfig.json', '--noEmit', 'false', '--noCheck', '--inlineSourceMap', '--outDir', folder];
  try {
    await promisify(execFile)(process.execPath, [join(dirname(manifest), 'bin', 'tsc'), ...flags]);
  } catch (error) {
    remove();
    throw error;
  }
  return { folder, remove };
}

/** Where the JavaScript of a module is, in the folder of either. */
export function toCompiled(path: string): string {
  return path.replace(/\.ts$/, '.js');
}
