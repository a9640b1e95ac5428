import type { JsonObject } from '../../contract/json.js';
import { present } from '../../contract/present.js';
import type { SourceProgram } from '../../core/protocol/program.js';
import type { FindModel, ModelPlace } from '../../ports/sources.js';
import type { LookUpVariable } from '../origin.js';
import {
  findNamedSecrets,
  findSecretHeaders,
  listNames,
  resolveFolder,
  resolveModel,
  resolveOrigin,
} from '../origin.js';
import { type Asked, halt, type Route, type Routed, type Stage } from '../passage.js';
import type { Broker } from '../connections/broker.js';
import type { DescribedPlugin } from '../registry.js';
import { findShortSecret, findUnseenSecret } from '../secrets.js';
import type { SecretsParts } from './read-secrets.js';

export interface ResolveParts {
  readonly plugins: readonly DescribedPlugin[];
  readonly lookUp: LookUpVariable;
  readonly model?: string;
  readonly model_at?: ModelPlace;
}

/**
 * Finds the plugin that knows the source, and where the operator lets it connect. A source's route is kept as long as
 * the engine is open, as its secrets and its connections are.
 */
export function resolve(parts: ResolveParts): Stage<Asked, Routed> {
  const known = new WeakMap<SourceProgram, Route>();
  return (asked) => {
    const { source } = asked.command.call;
    const found = known.get(source) ?? findRoute(source, parts);
    const refused = typeof found === 'string' ? found : findMisfit(asked, found);
    if (typeof found === 'string' || refused !== undefined)
      return halt(asked, 'unavailable', `the source ${source.label}: ${refused}`);
    known.set(source, found);
    return { ...asked, route: found };
  };
}

/** Which plugin knows a source, and where it leads. @returns a sentence where there is none */
export function findRoute(source: AskedSource, parts: ResolveParts): Route | string {
  const plugin = parts.plugins.find((loaded) => loaded.name === source.plugin);
  if (!plugin) return `no plugin named ${source.plugin} is loaded`;
  const problems = plugin.validateInterface(source.interface).filter((problem) => problem.severity !== 'note');
  if (problems.length > 0)
    return `its interface is not one of ${plugin.name}: ${problems.map(({ message }) => message).join('; ')}`;
  const route = toRoute(plugin, source.interface, parts);
  // A real key never goes to a model that replaces others, nor anywhere in a dry run.
  const isReplaced = plugin.is_dry === true || (plugin.speaks === 'chat' && parts.model_at !== undefined);
  if (typeof route === 'string' || isReplaced) return route;
  return { ...route, ...present({ connection: source.connection }) };
}

type AskedSource = Parameters<FindModel>[0];

/**
 * What an operator has to set before a source can be called: a sentence, or undefined where nothing is missing. Each source
 * of a program is asked about before the first call: from then on no record holds its keys.
 */
export async function findObstacle(
  source: AskedSource,
  parts: ResolveParts & Pick<SecretsParts, 'opened'> & { readonly broker: Pick<Broker, 'open'> },
): Promise<string | undefined> {
  const route = findRoute(source, parts);
  if (typeof route === 'string') return route;
  const { connection, origin } = route;
  const connected = connection === undefined ? undefined : await parts.broker.open(connection, origin);
  parts.opened.secretsOf(route);
  if (connected !== undefined && 'message' in connected) return connected.message;
  const { manifest, speaks } = route.plugin;
  // A model that replaces others has a key of its own.
  if (speaks === 'chat' && parts.model_at !== undefined) return undefined;
  const named = (manifest.secret_variable_fields ?? []).flatMap((field) => listNames(source.interface, field));
  const unset = named.find(({ name }) => parts.lookUp(name) === undefined);
  return unset && `${unset.name} is not set: set it to the secret that ${unset.pointer} of its interface names`;
}

/** The model that a source asks, and where; neither while a variable is missing. */
export function findModel(source: Parameters<FindModel>[0], parts: ResolveParts): ReturnType<FindModel> {
  const route = findRoute(source, parts);
  if (typeof route === 'string') return { model: null, endpoint_origin: null };
  return { model: route.model ?? null, endpoint_origin: route.origin ? new URL(route.origin.url).origin : null };
}

/** The route to a source, by the operator's variables. @returns a sentence where something is missing */
export function toRoute(
  plugin: DescribedPlugin,
  definition: JsonObject,
  { lookUp, model: chosen, model_at }: Omit<ResolveParts, 'plugins'>,
): Route | string {
  const instead = plugin.speaks === 'chat' ? model_at : undefined;
  const found = resolveOrigin(plugin.manifest, definition, instead ? () => instead.url : lookUp);
  if (!found.ok) return found.message;
  const asked = resolveModel(plugin.manifest, definition, lookUp, chosen);
  if (!asked.ok) return asked.message;
  const folder = resolveFolder(plugin.manifest, definition, lookUp);
  if (typeof folder === 'string') return folder;
  const { origin, command } = found;
  const { model } = asked;
  const secrets = findNamedSecrets(plugin.manifest, definition, instead ? () => instead.key : lookUp);
  const refused = findShortSecret(secrets) ?? findUnseenSecret(secrets);
  if (refused !== undefined) return refused;
  const headers = findSecretHeaders(plugin.manifest, definition, lookUp);
  if (typeof headers === 'string') return headers;
  return {
    plugin,
    origin: origin && { ...origin, ...present({ headers }) },
    secrets,
    ...present({ command, folder, model }),
  };
}

function findMisfit({ command }: Asked, { plugin }: Route): string | undefined {
  const wanted = command.generation ? 'chat' : 'json';
  if (plugin.speaks === wanted) return undefined;
  return `the plugin ${plugin.name} speaks ${plugin.speaks}, and this call needs ${wanted}`;
}
