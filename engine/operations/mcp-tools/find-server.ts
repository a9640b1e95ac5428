import { readFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import type { Composition } from '../composition.js';
import type { Place } from '../documents/index.js';
import type { PluginCatalogue, PluginDescription } from '../../ports/sources.js';
import { findTriedSource } from '../model-try/index.js';

/** A server: the variable of its address, and overrides of the environment. */
export interface WantedServer {
  readonly server_env: string;
  /** Holds the URL or command where that was given in place of a variable. */
  readonly variables: Readonly<Record<string, string>>;
}

const VARIABLE = /^CHUKWA_MCP_[A-Z0-9_]{1,116}$/;

/**
 * Finds a server.
 * @param said a variable, the file of a source, a URL, or a command
 * @param name the name of a server that is given by its URL or command
 */
export async function findServer(
  composition: Pick<Composition, 'openArchive' | 'openAuthoring'>,
  said: string,
  { name, place }: { readonly name: string; readonly place: Place },
): Promise<Outcome<WantedServer>> {
  if (VARIABLE.test(said)) return succeed({ server_env: said, variables: {} });
  const file = resolve(place.working_folder, said);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text !== undefined && (extname(file) === '.json' || /^\s*\{/.test(text)))
    return findInSource(composition, said, place);
  const server_env = `CHUKWA_MCP_${name.toUpperCase().replaceAll('-', '_')}`;
  // A file that is no document is the program itself, also where its name has spaces.
  const value = text === undefined ? said : JSON.stringify([file]);
  if (VARIABLE.test(server_env)) return succeed({ server_env, variables: { [server_env]: value } });
  return refuse(problem('MCP_SERVER_NAME_INVALID', { name }));
}

async function findInSource(
  composition: Pick<Composition, 'openArchive' | 'openAuthoring'>,
  file: string,
  place: Place,
): Promise<Outcome<WantedServer>> {
  const authoring = await composition.openAuthoring();
  const found = await findTriedSource(composition, authoring, file, place);
  if (!found.ok) return found;
  const { interface: settings } = found.value;
  const plugin = findListing(authoring.catalogue);
  const server_env = settings.name === plugin?.name ? settings[plugin.origin_field] : undefined;
  if (typeof server_env === 'string') return succeed({ server_env, variables: {} });
  return refuse(problem('SOURCE_IS_NO_SERVER', { label: found.value.label, plugin: settings.name }));
}

/** The plugin whose sources can list the tools of their servers. */
export interface ListingPlugin {
  readonly name: string;
  readonly origin_field: string;
  readonly tool_prefix: string;
  readonly tool_list: NonNullable<PluginDescription['manifest']['tool_list']>;
}

/** Finds it; undefined where there is none. */
export function findListing({ plugins }: PluginCatalogue): ListingPlugin | undefined {
  const [found] = plugins.flatMap(({ name, manifest: { origin, tool_prefix, tool_list } }) =>
    origin?.interface_field === undefined || tool_prefix === undefined || tool_list === undefined
      ? []
      : [{ name, origin_field: origin.interface_field, tool_prefix, tool_list }],
  );
  return found;
}
