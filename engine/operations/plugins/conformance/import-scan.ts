import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import type { parse } from 'es-module-lexer';
import type { PluginManifest } from '../../../generated/plugin-manifest.js';

const CONTRACT = 'chukwa/plugin';

/**
 * Follows every import from a plugin's entry through its own files, and reports those that the contract does not allow.
 * An unreadable file is reported by the import of the entry.
 */
export async function scanImports(folder: string, manifest: PluginManifest): Promise<readonly string[]> {
  const lexer = await import('es-module-lexer');
  await lexer.init;
  const complaints: string[] = [];
  const queue = [join(folder, manifest.entry)];
  for (const file of queue) {
    const text = await readSource(file);
    if (text === undefined) continue;
    const name = relative(folder, file);
    for (const specifier of listImports(lexer.parse, text, (reason) => complaints.push(`${name} ${reason}`))) {
      if (specifier.startsWith('.')) {
        const target = join(dirname(file), specifier);
        if (relative(folder, target).startsWith('..'))
          complaints.push(`${name} imports ${specifier}, outside its folder`);
        else if (!queue.includes(target)) queue.push(target);
        continue;
      }
      const complaint = findComplaint(specifier, manifest.packages ?? []);
      if (complaint) complaints.push(`${name} imports ${specifier}, ${complaint}`);
    }
  }
  return complaints;
}

/** Specifiers of a module's imports at run time, without those of types. */
function listImports(read: typeof parse, text: string, complain: (reason: string) => void): readonly string[] {
  try {
    const [imports] = read(text);
    const META = -2;
    const standing = imports.filter(
      ({ d, ss, se }) => d !== META && !/^(import|export)\s+type\b/.test(text.slice(ss, se)),
    );
    if (standing.some(({ n }) => n === undefined)) complain('imports what is only known when it runs');
    return standing.flatMap(({ n }) => n ?? []);
  } catch (error) {
    complain(`cannot be parsed: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  }
}

function findComplaint(specifier: string, packages: readonly string[]): string | undefined {
  if (isBuiltin(specifier)) return 'a module of Node.js';
  if (specifier === CONTRACT) return 'which is types only: import it as a type';
  if (/^[/#]|^[a-z]+:/i.test(specifier)) return 'which is neither a file of its own nor a package';
  const [scope = '', name = ''] = specifier.split('/');
  const named = scope.startsWith('@') ? `${scope}/${name}` : scope;
  return packages.includes(named) ? undefined : 'a package that its manifest does not name';
}

/** In a checkout, the source file of a plugin is the TypeScript one. */
async function readSource(file: string): Promise<string | undefined> {
  if (!/\.m?js$/.test(file)) return undefined;
  for (const path of [file, file.replace(/js$/, 'ts')]) {
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text !== undefined) return text;
  }
  return undefined;
}
