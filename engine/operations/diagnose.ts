import type { Outcome, Problem } from '../contract/problem.js';
import type { DatabaseReport } from '../ports/store.js';
import type { PluginCatalogue } from '../ports/sources.js';
import type { Diagnosis } from './composition.js';
import type { Doorbell } from '../ports/doorbell.js';
import { diagnoseDoorbell } from './diagnose-doorbell.js';
import { diagnoseModels, diagnoseVariables, type ServiceSurroundings } from './diagnose-services.js';

interface Surroundings extends ServiceSurroundings {
  readonly node_version: string;
  readonly inspectDatabase: () => Promise<Outcome<DatabaseReport>>;
  readonly openDoorbell: () => Outcome<Doorbell>;
  /** Invalid settings, which keep every command that calls a source from beginning. */
  readonly refused: readonly Problem[];
}

/** Diagnoses settings and services. It changes nothing, and one failed check hides no other. */
export async function diagnose(surroundings: Surroundings): Promise<readonly Diagnosis[]> {
  const [database, models, doorbell] = await Promise.all([
    surroundings.inspectDatabase(),
    diagnoseModels(surroundings),
    diagnoseDoorbell(surroundings.openDoorbell()),
  ]);
  return [
    diagnoseNode(surroundings.node_version),
    ...(database.ok ? [diagnoseDatabase(database.value)] : database.problems.map(toBroken('database'))),
    ...(database.ok ? diagnoseWorld(surroundings.world_slug, database.value) : []),
    doorbell,
    ...diagnosePlugins(surroundings.catalogue),
    ...surroundings.refused.map(toRefused),
    ...models,
    ...(database.ok ? await diagnoseVariables(surroundings, database.value.interfaces) : []),
  ];
}

function diagnoseNode(version: string): Diagnosis {
  const [major = 0, minor = 0] = version.replace('v', '').split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return { subject: 'node', state: 'good', message: version };
  return {
    subject: 'node',
    state: 'broken',
    message: `${version} is too old`,
    repair: 'Install Node.js 20.19 or newer.',
  };
}

function diagnoseDatabase({ description, exists, applied, pending, worlds }: DatabaseReport): Diagnosis {
  const subject = 'database';
  if (!exists) return { subject, state: 'good', message: `${description}; the first command makes it` };
  if (pending.length > 0)
    return {
      subject,
      state: 'missing',
      message: `${description}, ${applied.length === 0 ? 'empty' : 'of an earlier version'}; to be applied: ${pending.join(', ')}`,
      repair: 'chukwa migrate, or any command that uses the database.',
    };
  return { subject, state: 'good', message: `${description}, ${worlds} ${worlds === 1 ? 'world' : 'worlds'}` };
}

/** Reports an unknown world. */
function diagnoseWorld(world_slug: string | undefined, { has_world }: DatabaseReport): readonly Diagnosis[] {
  if (world_slug === undefined || has_world) return [];
  const message = 'there is no world of this name';
  return [
    {
      subject: `world ${world_slug}`,
      state: 'broken',
      code: 'WORLD_UNKNOWN',
      message,
      repair: 'See chukwa world list.',
    },
  ];
}

function diagnosePlugins({ plugins, problems }: PluginCatalogue): readonly Diagnosis[] {
  const found = plugins.map(
    ({ name, description }): Diagnosis => ({ subject: `plugin ${name}`, state: 'good', message: description }),
  );
  if (found.length + problems.length > 0) return [...found, ...problems.map(toBroken('plugins'))];
  const repair = 'Install chukwa again: its plugins ship with it.';
  return [{ subject: 'plugins', state: 'broken', message: 'none found, so no source can be asked', repair }];
}

/** A refused setting under its variable, where the problem names one. */
function toRefused(problem: Problem): Diagnosis {
  const { variable } = problem.details ?? {};
  return toBroken(typeof variable === 'string' ? variable : 'settings')(problem);
}

function toBroken(subject: string): (problem: Problem) => Diagnosis {
  return ({ code, message, repair }) => ({
    subject,
    state: 'broken',
    code,
    message,
    ...(repair === undefined ? {} : { repair }),
  });
}
