import { type Outcome, type Problem, problem } from '../contract/problem.js';
import type { DatabaseReport, UndrivenAttempt } from '../store/inspect.js';
import type { ExamineOrigin, PluginCatalogue } from '../ports/sources.js';
import type { Diagnosis } from './composition.js';
import type { Doorbell } from '../ports/doorbell.js';
import type { JsonObject } from '../contract/json.js';
import { present } from '../contract/present.js';
import type { OriginFromVariables } from '../generated/plugin-manifest.js';

interface Surroundings extends ServiceSurroundings {
  readonly node_version: string;
  readonly inspectDatabase: () => Promise<Outcome<DatabaseReport>>;
  readonly openDoorbell: () => Outcome<Doorbell>;
  /** Invalid settings, which keep every command that calls a source from beginning. */
  readonly refused: readonly Problem[];
}

/** Diagnoses settings and services. It changes nothing, and one failed check hides no other. */
export async function diagnose(surroundings: Surroundings): Promise<readonly Diagnosis[]> {
  const [database, doorbell] = await Promise.all([
    surroundings.inspectDatabase(),
    diagnoseDoorbell(surroundings.openDoorbell()),
  ]);
  const models = await diagnoseModels(surroundings, database.ok ? database.value.interfaces : []);
  return [
    diagnoseNode(surroundings.node_version),
    ...(database.ok ? [diagnoseDatabase(database.value)] : database.problems.map(toBroken('database'))),
    ...(database.ok && database.value.is_open_to_all === true ? [OPEN_TO_ALL] : []),
    ...(database.ok ? diagnoseWorld(surroundings.world_slug, database.value) : []),
    ...(database.ok ? database.value.undriven.map(diagnoseUndriven) : []),
    doorbell,
    ...diagnosePlugins(surroundings.catalogue),
    ...surroundings.refused.map(toRefused),
    ...(await diagnoseProxies(surroundings)),
    ...models,
    ...(database.ok ? await diagnoseVariables(surroundings, database.value.interfaces) : []),
  ];
}

function diagnoseNode(version: string): Diagnosis {
  const [major = 0, minor = 0] = version.replace('v', '').split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return good('node', version);
  return broken('node', `${version} is too old`, 'Install Node.js 20.19 or newer.');
}

function diagnoseDatabase({ description, exists, applied, pending, worlds }: DatabaseReport): Diagnosis {
  if (!exists) return good('database', `${description}; the first command makes it`);
  if (pending.length === 0) return good('database', `${description}, ${worlds} ${worlds === 1 ? 'world' : 'worlds'}`);
  const age = applied.length === 0 ? 'empty' : 'of an earlier version';
  const message = `${description}, ${age}; to be applied: ${pending.join(', ')}`;
  return missing('database', message, 'chukwa migrate, or any command that uses the database.');
}

const OPEN_TO_ALL = missing(
  'rights',
  'every user of the server may create functions and operators beside the tables, and alter with them what statements do',
  'As the owner of the database: REVOKE CREATE ON SCHEMA public FROM PUBLIC;',
);

function diagnoseWorld(world_slug: string | undefined, { has_world }: DatabaseReport): readonly Diagnosis[] {
  if (world_slug === undefined || has_world) return [];
  return [{ subject: `world ${world_slug}`, state: 'broken', ...problem('WORLD_UNKNOWN', { slug: world_slug }) }];
}

function diagnoseUndriven({ world_slug, attempt_id, attempted_turn }: UndrivenAttempt): Diagnosis {
  return missing(
    `world ${world_slug}`,
    `the driver of turn ${attempted_turn} is gone (attempt ${attempt_id})`,
    `chukwa run ${world_slug} resumes it. To end it: chukwa stop ${attempt_id}, then chukwa run ${world_slug}.`,
  );
}

function diagnosePlugins({ plugins, problems }: PluginCatalogue): readonly Diagnosis[] {
  const found = plugins.map(({ name, description, unconfirmed }) =>
    unconfirmed === undefined ? good(`plugin ${name}`, description) : toBroken(`plugin ${name}`)(unconfirmed),
  );
  if (found.length + problems.length > 0) return [...found, ...problems.map(toBroken('plugins'))];
  const repair = 'Install the package again: its plugins ship with it.';
  return [broken('plugins', 'none found, so no source can be called', repair)];
}

/** A refused setting under its variable, where the problem names one. */
function toRefused(problem: Problem): Diagnosis {
  const { variable } = problem.details ?? {};
  return toBroken(typeof variable === 'string' ? variable : 'settings')(problem);
}

function toBroken(subject: string): (problem: Problem) => Diagnosis {
  return ({ code, message, repair }) => present({ subject, state: 'broken', code, message, repair });
}

const PATIENCE_MS = 3_000;
const LOOK_MS = 50;

/** Whether the doorbell of workers works. Without it they poll every second. */
async function diagnoseDoorbell(chosen: Outcome<Doorbell>): Promise<Diagnosis> {
  const subject = 'doorbell';
  if (!chosen.ok) {
    const { code = '', message = 'none', repair = '' } = chosen.problems[0] ?? {};
    return { subject, state: 'broken', code, message, repair };
  }
  const doorbell = chosen.value;
  try {
    const fault = await findLastingFault(doorbell);
    if (fault === undefined) return good(subject, doorbell.description);
    const repair = 'Start it, and make it reachable; until then workers poll every second.';
    return broken(subject, `${doorbell.description} does not work: ${fault}`, repair);
  } finally {
    await doorbell.close();
  }
}

async function findLastingFault(doorbell: Doorbell): Promise<string | undefined> {
  const stop = doorbell.listen(() => {});
  try {
    for (let waited = 0; waited < PATIENCE_MS && doorbell.findFault() !== undefined; waited += LOOK_MS)
      await new Promise((resume) => setTimeout(resume, LOOK_MS));
    return doorbell.findFault();
  } finally {
    stop();
  }
}

interface ServiceSurroundings {
  /** Undefined for a variable that is not set, or empty. */
  readonly lookUp: (variable: string) => string | undefined;
  readonly catalogue: PluginCatalogue;
  readonly examineOrigin: ExamineOrigin;
  /** The one world to diagnose: toys that it lacks are reported as well. */
  readonly world_slug: string | undefined;
}

/** The proxies through which services are asked, without user and password. */
function diagnoseProxies({ lookUp, examineOrigin }: ServiceSurroundings): Promise<readonly Diagnosis[]> {
  const named = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY'].flatMap((variable) => {
    const value = lookUp(variable);
    return value === undefined ? [] : [{ variable, value }];
  });
  return Promise.all(
    named.map(async ({ variable, value }) => {
      const found = await examineOrigin(variable, value, PROXY_EXAMPLE);
      return found.ok ? good(variable, `proxy ${found.origin}`) : broken(variable, found.message, found.repair);
    }),
  );
}

/** Examples of valid values; that of a model has a path. */
const PROXY_EXAMPLE = 'http://proxy.example.org:3128';
const SERVICE_EXAMPLE = 'http://127.0.0.1:8080';
const ENDPOINT_EXAMPLE = 'http://127.0.0.1:8080/v1';

/**
 * Whether an endpoint and a key are set, for each plugin whose manifest names the variables of its endpoint. Of one world,
 * none is missing where each of its sources names another variable.
 */
function diagnoseModels(
  surroundings: ServiceSurroundings,
  interfaces: readonly JsonObject[],
): Promise<readonly Diagnosis[]> {
  const isUsed = (plugin: string, field: string | undefined): boolean => {
    const own = surroundings.world_slug === undefined ? [] : interfaces.filter(({ name }) => name === plugin);
    return own.length === 0 || own.some((wire) => field === undefined || wire[field] === undefined);
  };
  const endpoints = surroundings.catalogue.plugins.flatMap(({ name, speaks, manifest }): readonly Endpoint[] => {
    const { origin, secret_variables = [] } = manifest;
    return speaks === 'chat' && origin !== undefined && 'variables' in origin && isUsed(name, origin.interface_field)
      ? [{ ...origin, plugin: name, keys: secret_variables }]
      : [];
  });
  return Promise.all(
    endpoints.map((endpoint) =>
      diagnoseModel(surroundings, endpoint, endpoints.length === 1 ? 'model' : `model of ${endpoint.plugin}`),
    ),
  );
}

interface Endpoint extends OriginFromVariables {
  readonly plugin: string;
  readonly keys: readonly string[];
}

async function diagnoseModel(
  { lookUp, examineOrigin }: ServiceSurroundings,
  { variables, default: otherwise, keys }: Endpoint,
  subject: string,
): Promise<Diagnosis> {
  const variable = variables.find((name) => lookUp(name) !== undefined);
  const [first = ''] = variables;
  const hasKey = keys.some((name) => lookUp(name) !== undefined);
  const base = (variable && lookUp(variable)) ?? (hasKey ? otherwise : undefined);
  if (base === undefined)
    return missing(
      subject,
      'no endpoint and no key; the park, --llm scripted and --llm ask need none',
      `For a real model set ${first}${keys[0] === undefined ? '' : `, and ${keys[0]} if it requires a key`}.`,
    );
  const found = await examineOrigin(variable ?? first, base, ENDPOINT_EXAMPLE);
  if (!found.ok) return broken(subject, found.message, found.repair);
  return good(subject, `${found.origin}${keys.length === 0 ? '' : `, ${hasKey ? 'with' : 'without'} a key`}`);
}

/** Whether the variables that stored sources name are set, and their addresses answer. */
function diagnoseVariables(
  surroundings: ServiceSurroundings,
  interfaces: readonly JsonObject[],
): Promise<readonly Diagnosis[]> {
  const pluginOf = (wire: JsonObject) => surroundings.catalogue.plugins.find(({ name }) => name === wire['name']);
  const services = interfaces.flatMap((wire) => {
    const { origin, spawn = false } = pluginOf(wire)?.manifest ?? {};
    const variable = origin?.interface_field === undefined ? undefined : wire[origin.interface_field];
    return typeof variable === 'string' ? [{ variable, spawn }] : [];
  });
  const commands = new Set(services.filter(({ spawn }) => spawn).map(({ variable }) => variable));
  const others = interfaces.flatMap((wire) => pluginOf(wire)?.listVariables(wire) ?? []);
  const folders = new Set(interfaces.map((wire) => wire[pluginOf(wire)?.manifest.folder?.interface_field ?? '']));
  const { world_slug, lookUp } = surroundings;
  // A park starts its own toys, so they are missing only where one world is diagnosed.
  const wanted = (names: readonly string[]): readonly string[] =>
    [...new Set(names)].filter((name) => world_slug !== undefined || !isToy(name) || lookUp(name) !== undefined).sort();
  return Promise.all([
    ...wanted(services.map(({ variable }) => variable)).map((variable) =>
      diagnoseVariable(surroundings, variable, commands.has(variable)),
    ),
    ...wanted(others).map(async (variable) =>
      diagnoseSetting(surroundings, variable, folders.has(variable) ? 'folder that holds the files' : 'secret'),
    ),
  ]);
}

/** A folder or a secret; of a secret only the name is shown. */
function diagnoseSetting({ lookUp }: ServiceSurroundings, variable: string, what: string): Diagnosis {
  if (lookUp(variable) !== undefined) return good(variable, 'is set');
  return unset(variable, `Set it to the ${what} of the source.`);
}

function unset(variable: string, advice: string): Diagnosis {
  const toys = 'chukwa toys starts the toy services and prints the line to set it; chukwa park needs none.';
  return missing(variable, 'is not set, but sources need it', isToy(variable) ? toys : advice);
}

function isToy(variable: string): boolean {
  return variable.startsWith('CHUKWA_TOY_');
}

/** @param may_be_command a source with this variable may start a program in place of calling a URL */
async function diagnoseVariable(
  { lookUp, examineOrigin }: ServiceSurroundings,
  variable: string,
  may_be_command: boolean,
): Promise<Diagnosis> {
  const value = lookUp(variable);
  const place = `Set it to the URL of the service, such as ${SERVICE_EXAMPLE}`;
  if (value === undefined)
    return unset(variable, `${place}${may_be_command ? ', or to the command that starts it' : ''}.`);
  const search_path = may_be_command ? (lookUp('PATH') ?? '') : undefined;
  const found = await examineOrigin(variable, value, SERVICE_EXAMPLE, search_path);
  return found.ok ? good(variable, found.origin) : broken(variable, found.message, found.repair);
}

function good(subject: string, message: string): Diagnosis {
  return { subject, state: 'good', message };
}

function missing(subject: string, message: string, repair: string): Diagnosis {
  return { subject, state: 'missing', message, repair };
}

function broken(subject: string, message: string, repair: string): Diagnosis {
  return { subject, state: 'broken', message, repair };
}
