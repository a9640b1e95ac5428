/**
 * Importing a plugin runs its modules, and those can do more than fail: never come to an end, end the process, or leave
 * something to be thrown at nobody. Plugins are therefore imported one after the other, each within a deadline, and what
 * goes wrong meanwhile is the fault of one of them and nobody else's.
 */
import { access, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Outcome, Problem } from '../contract/problem.js';
import type { Alarm, SourcePlugin } from '../contract/source.js';
import { type BuiltIns, keepBuiltIns } from './built-ins.js';
import { timerAlarm } from './chunk-collector.js';
import { ownWords } from './own-words.js';
import type { FoundPlugin } from './found-plugin.js';
import { findRefusal } from './json-file.js';
import type { LoadWatch } from './load-watch.js';
import { guardProcess } from './process-guard.js';
import { createSecretReplacer } from './secrets.js';

/** What surrounds the import of plugins. */
export interface LoadSurroundings {
  /** Plugins of this folder came with the engine, and need no watch. */
  readonly own_folder?: string;
  /** Starts what sees, from outside, that modules come to an end; nothing does, unless it is given. */
  readonly startWatch?: () => LoadWatch;
  /** The operator's environment: its values do not show in what a plugin throws. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
  /** A plugin whose import leaves something open, which would keep a process alive, is broken as well. */
  readonly leaves_nothing_open?: boolean;
  /** The process's own timers, unless it is given. */
  readonly alarm?: Alarm;
}

/** Imports entries, one after the other. */
export interface Importer {
  importEntry(found: FoundPlugin): Promise<Outcome<SourcePlugin>>;
  /** What has gone wrong behind an import that had succeeded. */
  findFault(found: FoundPlugin): Promise<Problem | undefined>;
}

/** How long a plugin's modules may take. */
const DEADLINE_MS = 10_000;

/** The process is one: whoever imports has it for himself. */
let turn: Promise<unknown> = Promise.resolve();

/** Lends an importer to a task, when those before it have ended. */
export function whileImporting<Value>(
  surroundings: LoadSurroundings,
  task: (importer: Importer) => Promise<Value>,
): Promise<Value> {
  const done = turn.then(() => importFor(surroundings, task));
  turn = done.catch(() => {});
  return done;
}

async function importFor<Value>(
  { own_folder, startWatch, variables = {}, alarm = timerAlarm, leaves_nothing_open = false }: LoadSurroundings,
  task: (importer: Importer) => Promise<Value>,
): Promise<Value> {
  const guard = guardProcess();
  const builtIns = keepBuiltIns();
  let watch: LoadWatch | undefined;
  const refuse = (found: FoundPlugin, reason: string, repair = REPAIR): Problem =>
    entryFailed(found, conceal(reason, found.folder, variables), repair);
  const findFault = async (found: FoundPlugin): Promise<Problem | undefined> => {
    const fault = guard.findFault(await realpath(found.folder));
    return fault === undefined ? undefined : refuse(found, fault);
  };
  const importEntry = async (found: FoundPlugin): Promise<Outcome<SourcePlugin>> => {
    const { folder, manifest } = found;
    guard.admit(await realpath(folder));
    if (own_folder === undefined || !isBelow(own_folder, folder)) watch ??= startWatch?.();
    watch?.loading({ name: manifest.name, folder });
    const imported = await importTidily(found, { alarm, builtIns, leaves_nothing_open });
    const fault = await findFault(found);
    if (fault) return { ok: false, problems: [fault] };
    return imported.ok
      ? { ok: true, value: imported.plugin }
      : { ok: false, problems: [refuse(found, imported.reason, imported.repair)] };
  };
  try {
    return await task({ importEntry, findFault });
  } finally {
    watch?.close();
    guard.end();
  }
}

const REPAIR = 'Correct its modules, which should do nothing at import but import, or take its folder away.';

function entryFailed({ folder, manifest }: FoundPlugin, reason: string, repair: string): Problem {
  return {
    code: 'PLUGIN_ENTRY_FAILED',
    message: `the plugin ${manifest.name} cannot be loaded: ${reason}`,
    repair,
    details: { folder, name: manifest.name },
  };
}

type Imported =
  | { readonly ok: true; readonly plugin: SourcePlugin }
  | { readonly ok: false; readonly reason: string; readonly repair?: string };

interface Tidily {
  readonly alarm: Alarm;
  readonly builtIns: BuiltIns;
  readonly leaves_nothing_open: boolean;
}

async function importTidily(found: FoundPlugin, { alarm, builtIns, leaves_nothing_open }: Tidily): Promise<Imported> {
  const before = process.getActiveResourcesInfo();
  const imported = await importWithin(found, alarm, builtIns);
  // Only now does the process tell of promises that were left to fail.
  await new Promise((resolve) => setImmediate(resolve));
  const left = leaves_nothing_open ? findLeftOpen(before, process.getActiveResourcesInfo()) : [];
  if (!imported.ok || left.length === 0) return imported;
  const reason = `its import leaves something open, which keeps a process from ending: ${left.join(', ')}`;
  return {
    ok: false,
    reason,
    repair: 'Begin timers, servers and connections in open or invoke, and end them in close.',
  };
}

/** The kinds, as Node.js names them, of which there are more than before. */
function findLeftOpen(before: readonly string[], after: readonly string[]): readonly string[] {
  const count = (kinds: readonly string[], kind: string): number => kinds.filter((each) => each === kind).length;
  return [...new Set(after)].filter((kind) => count(after, kind) > count(before, kind));
}

async function importWithin(found: FoundPlugin, alarm: Alarm, builtIns: BuiltIns): Promise<Imported> {
  let cancel = (): void => {};
  const late = new Promise<Imported>((resolve) => {
    const reason = `after ${DEADLINE_MS / 1000} seconds, ${found.manifest.entry} still awaits something`;
    cancel = alarm(DEADLINE_MS, () => resolve({ ok: false, reason }));
  });
  const imported = await Promise.race([importPlugin(found, builtIns), late]);
  builtIns.restore();
  cancel();
  return imported;
}

async function importPlugin({ folder, manifest }: FoundPlugin, builtIns: BuiltIns): Promise<Imported> {
  const file = findInside(folder, manifest.entry);
  if (!file) return { ok: false, reason: `${manifest.entry} lies outside ${folder}` };
  try {
    // What is not there may still be found by a loader, as it is where sources are run.
    const refusal = await findRefusal(file).catch(() => undefined);
    if (refusal !== undefined) return { ok: false, reason: `${file}: ${refusal}` };
    const module = (await import(pathToFileURL(file).href)) as { readonly default?: unknown };
    const changed = builtIns.restore();
    if (changed.length > 0) return { ok: false, reason: describeChanged(changed) };
    if (isPlugin(module.default)) return { ok: true, plugin: module.default };
    return { ok: false, reason: `the default export of ${file} has no function open` };
  } catch (error) {
    builtIns.restore();
    if (await isUncompiled(file))
      return { ok: false, reason: `${file} is not there, only its TypeScript is`, repair: COMPILE };
    const reason = `${file} cannot be imported: ${ownWords(error)}`;
    if (!(error instanceof SyntaxError)) return { ok: false, reason };
    // Of a module that cannot be parsed, only Node's own command tells the line.
    return { ok: false, reason, repair: `\`node --check ${file}\` shows the place.` };
  }
}

/** Of many changes, some are named. */
const CHANGES_NAMED = 3;

function describeChanged(changed: readonly string[]): string {
  const more = changed.length > CHANGES_NAMED ? ` and ${changed.length - CHANGES_NAMED} more` : '';
  return `its import changes ${changed.slice(0, CHANGES_NAMED).join(', ')}${more}, on which everybody here relies`;
}

const COMPILE =
  'Compile it, as npm run build does, and name the folder with what was compiled: a plugin that ships is dist/plugins/NAME.';

async function isUncompiled(file: string): Promise<boolean> {
  const isThere = (path: string): Promise<boolean> =>
    access(path).then(
      () => true,
      () => false,
    );
  const source = file.replace(/\.([cm]?)js$/, '.$1ts');
  return source !== file && !(await isThere(file)) && (await isThere(source));
}

function isPlugin(value: unknown): value is SourcePlugin {
  return typeof value === 'object' && value !== null && 'open' in value && typeof value.open === 'function';
}

/** A path in a plugin's folder. @returns undefined where it leads out */
export function findInside(folder: string, path: string): string | undefined {
  const file = join(folder, path);
  return isBelow(folder, file) ? file : undefined;
}

function isBelow(folder: string, file: string): boolean {
  const from = relative(folder, file);
  return !from.startsWith('..') && !isAbsolute(from);
}

/** What every environment says of a user and a machine, and everybody may read. */
const ORDINARY = new Set(
  'CI COLORTERM EDITOR HOME HOSTNAME INIT_CWD LANG LANGUAGE LOGNAME NODE NODE_ENV OLDPWD PAGER PATH PWD SHELL SHLVL TEMP TERM TERM_PROGRAM TMP TMPDIR TZ USER USERNAME USERPROFILE VISUAL'.split(
    ' ',
  ),
);

function isOrdinary(variable: string): boolean {
  return ORDINARY.has(variable) || /^(LC_|XDG_|npm_lifecycle_|npm_package_)/.test(variable);
}

/** Without values of the environment: a plugin can read all of it. What stands in its own path is no secret. */
function conceal(text: string, folder: string, variables: Readonly<Record<string, string | undefined>>): string {
  const secrets = Object.entries(variables).flatMap(([variable, value]) =>
    value === undefined || isOrdinary(variable) || folder.includes(value) ? [] : [{ variable, value }],
  );
  return createSecretReplacer(secrets).text(text);
}
