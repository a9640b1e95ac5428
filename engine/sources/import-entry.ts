/**
 * Importing an entry runs a plugin's code, which may do whatever this program may. The engine therefore imports a plugin
 * when one of its sources is first called, and never in order to look at it.
 */
import { access } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Outcome, problem, type Problem, refuse, type Refused } from '../contract/problem.js';
import type { Alarm, SourcePlugin } from '../contract/source.js';
import { noLongerThan } from './no-longer-than.js';
import { findRefusal, type FoundPlugin } from './plugin-files.js';

/** In a checkout, tests run this program and its plugins from their TypeScript. */
const RUNS_TYPESCRIPT = import.meta.url.endsWith('.ts');

/** How long a plugin's modules may take to load. */
const DEADLINE_MS = 10_000;

/**
 * Finds the problem of an entry without running it: a path that leads out of the folder, a missing file.
 * @param runs_typescript whether a loader runs the TypeScript beside a missing file
 * @returns the problem, or undefined where the file can be imported
 */
export async function findEntryProblem(
  found: FoundPlugin,
  runs_typescript = RUNS_TYPESCRIPT,
): Promise<Problem | undefined> {
  const { folder, manifest } = found;
  const file = findInside(folder, manifest.entry);
  if (file === undefined) return entryFailed(found, `${manifest.entry} lies outside ${folder}`);
  try {
    const refusal = await findRefusal(file);
    return refusal === undefined ? undefined : entryFailed(found, `${file}: ${refusal}`);
  } catch {
    const source = file.replace(/\.([cm]?)js$/, '.$1ts');
    if (source === file || !(await exists(source))) return entryFailed(found, `${file} is not there`);
    if (runs_typescript) return undefined;
    return entryFailed(found, `${file} is not there, only its TypeScript is`, { kind: 'uncompiled' });
  }
}

/** Imports a plugin's entry, which runs its modules. Refuses what takes longer than the deadline, throws, or is no plugin. */
export async function importEntry(found: FoundPlugin, alarm: Alarm): Promise<Outcome<SourcePlugin>> {
  const problem = await findEntryProblem(found);
  if (problem !== undefined) return refuse(problem);
  const imported = await noLongerThan(DEADLINE_MS, importModule(found), alarm);
  if (imported !== undefined) return imported;
  const reason = `after ${DEADLINE_MS / 1000} seconds, ${found.manifest.entry} still awaits something`;
  return refuse(entryFailed(found, reason));
}

async function importModule(found: FoundPlugin): Promise<Outcome<SourcePlugin>> {
  const file = join(found.folder, found.manifest.entry);
  const fail = (reason: string, how?: How): Refused => refuse(entryFailed(found, reason, how));
  try {
    const module = (await import(pathToFileURL(file).href)) as { readonly default?: unknown };
    return isPlugin(module.default)
      ? { ok: true, value: module.default }
      : fail(`the default export of ${file} has no function open`);
  } catch (error) {
    const reason = `${file} cannot be imported: ${error instanceof Error ? error.message : String(error)}`;
    // Of a module that cannot be parsed, only Node's own command gives the line.
    return error instanceof SyntaxError ? fail(reason, { kind: 'unparsable', file }) : fail(reason);
  }
}

export function entryFailed({ folder, manifest }: FoundPlugin, reason: string, how: How = { kind: 'failed' }): Problem {
  const { name } = manifest;
  return problem('PLUGIN_ENTRY_FAILED', { name, reason, ...how }, { details: { folder, name } });
}

/** What tells how an entry can be repaired. */
type How = { readonly kind: 'failed' | 'uncompiled' } | { readonly kind: 'unparsable'; readonly file: string };

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function isPlugin(value: unknown): value is SourcePlugin {
  return typeof (Object(value) as Partial<SourcePlugin>).open === 'function';
}

/** A path in a plugin's folder. @returns undefined where it leads out */
export function findInside(folder: string, path: string): string | undefined {
  const file = join(folder, path);
  const from = relative(folder, file);
  return from.startsWith('..') || isAbsolute(from) ? undefined : file;
}
