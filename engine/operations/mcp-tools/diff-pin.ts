import { readFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { Json, JsonObject } from '../../contract/json.js';
import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import { present } from '../../contract/present.js';
import { canonicalText } from '../../core/content/canonical.js';
import { isObject, toPointer } from '../../core/content/json-pointer.js';
import { rewriteJson } from '../../core/content/rewrite-json.js';
import type { Composition } from '../composition.js';
import type { Place } from '../documents/index.js';
import { findTriedSource } from '../model-try/index.js';
import { replaceFiles } from '../write-files.js';
import { findListing } from './find-server.js';
import { listServerTools } from './list-tools.js';
import { toPin } from './server-tool.js';

/** A place in both definitions; the one that lacks it is left out. */
interface Difference {
  readonly pointer: string;
  readonly pinned?: Json;
  readonly served?: Json;
}

/** How the definition of a tool that a source has pinned differs from the one that its server serves. */
export interface PinDrift {
  readonly server_env: string;
  readonly tool_name: string;
  /** Null where the source has none. */
  readonly pin: string | null;
  /** The pin of what is served; null where the server lists no such tool. */
  readonly served: string | null;
  readonly differences: readonly Difference[];
  /** The source now has the pin of what is served. */
  readonly is_written: boolean;
}

interface DiffRequest {
  readonly place: Place;
  readonly connection?: string | undefined;
  readonly write: boolean;
}

/**
 * Asks the server of a source for its tools, and compares the one that the source names.
 * @param file of the source; or the hash of a stored one, which cannot be written
 * @param connection the id of the one that its requests get
 * @param write pins what is served
 */
export async function diffPin(
  composition: Pick<Composition, 'openArchive' | 'openAuthoring' | 'withSources'>,
  file: string,
  { place, connection, write }: DiffRequest,
): Promise<Outcome<PinDrift>> {
  const authoring = await composition.openAuthoring();
  const found = await findTriedSource(composition, authoring, file, place);
  if (!found.ok) return found;
  const settings = found.value.interface as unknown as JsonObject;
  const plugin = findListing(authoring.catalogue);
  const [server_env, tool_name] = [plugin?.origin_field, plugin?.tool_list.tool_field].map(
    (name = '') => settings[name],
  );
  const { name } = found.value.interface;
  if (name !== plugin?.name || typeof server_env !== 'string' || typeof tool_name !== 'string')
    return refuse(problem('SOURCE_IS_NO_SERVER', { label: found.value.label, plugin: name }));
  const wanted = { server_env, variables: {} };
  const listed = await composition.withSources((sources) => listServerTools(sources, wanted, connection), wanted);
  if (!listed.ok) return listed;
  const tool = listed.value.tools.find((each) => each.name === tool_name);
  const { pin = null, pinned = {} } = settings as { readonly pin?: string; readonly pinned?: JsonObject };
  const served = tool && toPin(tool.definition);
  const shown = { server_env, tool_name, pin, served: served?.pin ?? null };
  if (served === undefined) return succeed({ ...shown, differences: [], is_written: false });
  const is_written = write && served.pin !== pin;
  const written = is_written ? await writePin(resolve(place.working_folder, file), served) : succeed(undefined);
  return written.ok ? succeed({ ...shown, differences: listDifferences(pinned, served.pinned), is_written }) : written;
}

async function writePin(path: string, served: JsonObject): Promise<Outcome<undefined>> {
  const text = await readFile(path, 'utf8');
  const source = JSON.parse(text) as JsonObject & { readonly interface: JsonObject };
  const changed = rewriteJson(text, { ...source, interface: { ...source.interface, ...served } });
  return replaceFiles(dirname(path), [{ path: basename(path), text: changed }]);
}

/** The places at which two values differ. */
function listDifferences(
  pinned: Json | undefined,
  served: Json | undefined,
  path: readonly string[] = [],
): readonly Difference[] {
  if (pinned !== undefined && served !== undefined && isObject(pinned) && isObject(served)) {
    const names = new Set([...Object.keys(pinned), ...Object.keys(served)]);
    return [...names].flatMap((name) =>
      listDifferences(memberOf(pinned, name), memberOf(served, name), [...path, name]),
    );
  }
  if (
    canonicalText(pinned ?? null) === canonicalText(served ?? null) &&
    (pinned === undefined) === (served === undefined)
  )
    return [];
  return [{ pointer: toPointer(path), ...present({ pinned, served }) }];
}

function memberOf(value: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
