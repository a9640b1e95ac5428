import { type Outcome, problem, type Problem, refuse } from '../contract/problem.js';
import { isObject } from '../core/content/json-pointer.js';
import { basename, dirname, join } from 'node:path';
import type { Json, JsonObject } from '../contract/json.js';
import { isEngineVariable } from '../contract/engine-variables.js';
import type { BrokenManifest } from '../contract/problems/plugins.js';
import type { FactsOf } from '../contract/problems/index.js';
import { canonicalText, contentHash } from '../core/content/canonical.js';
import { sha256 } from '../core/content/sha256.js';
import type { Validate } from '../core/protocol/program.js';
import type { PluginManifest } from '../generated/plugin-manifest.js';
import type { PluginDescription } from '../ports/sources.js';
import type { CompileSchema } from '../ports/validation.js';
import { entryFailed, findEntryProblem, findInside } from './import-entry.js';
import { listNames } from './origin.js';
import { type FoundPlugin, hashCode, readJsonFile } from './plugin-files.js';
import { listPluginFolders, type PluginPlaces } from './plugin-places.js';

/** A plugin as its files describe it. */
export interface DescribedPlugin extends PluginDescription, FoundPlugin {
  /** A stand-in answers in its place, and nothing is kept. */
  readonly is_dry?: true;
}

/** The outcome for several plugins: the good ones, and the problems of the others. */
export interface Several<Kind> {
  readonly plugins: readonly Kind[];
  readonly problems: readonly Problem[];
}

/**
 * Reads the manifest of each plugin folder. Runs none of their code.
 * Broken manifests are problems; of plugins with one name none is taken, and the problem names them all.
 */
export async function findPlugins(places: PluginPlaces, validateManifest: Validate): Promise<Several<FoundPlugin>> {
  const listed = await listPluginFolders(places);
  const outcomes = await Promise.all(listed.folders.map((folder) => findPlugin(folder, validateManifest)));
  const found = sortOut(outcomes);
  const shared = findSharedNames(found.plugins);
  const named = found.plugins.filter(
    (plugin) => !shared.some((problem) => problem.details?.['name'] === plugin.manifest.name),
  );
  return {
    plugins: named.map((plugin) => ({
      ...plugin,
      is_of_working_folder: listed.of_working_folder.has(plugin.folder),
    })),
    problems: [...listed.problems, ...found.problems, ...shared],
  };
}

/** The digest that a person has confirmed of the plugin in a folder; undefined where nobody has. */
export type FindConfirmed = (folder: string) => Promise<string | undefined>;

/**
 * Describes found plugins by their files: manifest, interface schema, and a hash of their code. Runs none of it. A broken
 * one is a problem and is left out. One of the working folder may not run unless a person has confirmed its digest.
 */
export async function describePlugins(
  found: readonly FoundPlugin[],
  compileSchema: CompileSchema,
  findConfirmed: FindConfirmed = async () => undefined,
): Promise<Several<DescribedPlugin>> {
  const owned = found.flatMap(({ manifest }) => listOwned(manifest));
  const described = sortOut(await Promise.all(found.map((plugin) => describePlugin(plugin, compileSchema, owned))));
  const judged = described.plugins.map(async (plugin): Promise<DescribedPlugin> => {
    if (plugin.is_of_working_folder !== true) return plugin;
    const confirmed = await findConfirmed(plugin.folder);
    return confirmed === plugin.digest ? plugin : { ...plugin, unconfirmed: toUnconfirmed(plugin, confirmed) };
  });
  return { ...described, plugins: await Promise.all(judged) };
}

function toUnconfirmed({ name, folder }: DescribedPlugin, confirmed: string | undefined): Problem {
  const kind = confirmed === undefined ? 'new' : 'changed';
  const details = { folder, name };
  return problem('PLUGIN_UNCONFIRMED', { kind, ...details, parent: dirname(folder) }, { details });
}

export async function findPlugin(folder: string, validateManifest: Validate): Promise<Outcome<FoundPlugin>> {
  const file = join(folder, 'plugin.json');
  const manifest = await readJsonFile(file);
  const left = { folder, name: basename(folder) };
  const refuseManifest = (kind: BrokenManifest['kind'], reason: string): Outcome<never> =>
    refuse(problem('PLUGIN_MANIFEST_INVALID', { file, kind, reason }, { details: left }));
  if (!manifest.ok) return refuseManifest(manifest.is_missing ? 'missing' : 'unreadable', manifest.reason);
  const problems = validateManifest(manifest.value).filter((problem) => problem.severity !== 'note');
  if (problems.length > 0) {
    const reasons = problems.map((problem) => `${problem.message} (at ${problem.pointer || 'the top'})`).join('; ');
    return refuseManifest('no_manifest', reasons);
  }
  return { ok: true, value: { folder, manifest: manifest.value as unknown as PluginManifest } };
}

function findSharedNames(found: readonly FoundPlugin[]): readonly Problem[] {
  const names = new Set(found.map((plugin) => plugin.manifest.name));
  return [...names].flatMap((name) => {
    const folders = found.filter((plugin) => plugin.manifest.name === name).map((plugin) => plugin.folder);
    if (folders.length < 2) return [];
    return [problem('PLUGIN_NAME_TAKEN', { name, folders }, { details: { name, folders } })];
  });
}

async function describePlugin(
  found: FoundPlugin,
  compileSchema: CompileSchema,
  owned: readonly Owned[],
): Promise<Outcome<DescribedPlugin>> {
  const { folder, manifest } = found;
  const compiled = await compileInterface(found, compileSchema);
  if (!compiled.ok) return compiled;
  const problem = await findEntryProblem(found);
  if (problem !== undefined) return refuse(problem);
  const code = await hashCode(folder);
  if ('reason' in code) return refuse(entryFailed(found, code.reason));
  const { folder: read_from, secret_variable_fields = [] } = manifest;
  const held = [...(read_from === undefined ? [] : [read_from.interface_field]), ...secret_variable_fields];
  const digest = digestOf(manifest, compiled.value.schema, code.hash);
  return {
    ok: true,
    value: {
      ...found,
      name: manifest.name,
      description: manifest.description,
      speaks: manifest.speaks,
      digest,
      // An attempt continues only with the code that it began with.
      version: `${manifest.contract_version}-${digest.slice(0, 12)}`,
      listVariables: (definition) => held.flatMap((field) => listNames(definition, field)).map(({ name }) => name),
      validateInterface: checkNames(compiled.value.validate, manifest, owned),
      interface_schema: compiled.value.schema,
    },
  };
}

/** The interface members in which an author names a variable of the environment. */
function listVariableFields({ origin, folder, model, secret_variable_fields = [] }: PluginManifest): readonly string[] {
  return [origin?.interface_field, folder?.interface_field, model?.variable_field, ...secret_variable_fields].filter(
    (field) => field !== undefined,
  );
}

/** The prefix of variables that documents may name: none that the operator has set for another program. */
const VARIABLE_PREFIX = 'CHUKWA_';

/** A variable that a manifest itself reads, and for what. */
interface Owned {
  readonly plugin: string;
  readonly name: string;
  readonly use: 'origin' | 'secret' | 'other';
}

function listOwned({ name: plugin, origin, variables = [], secret_variables = [] }: PluginManifest): readonly Owned[] {
  const origins = origin !== undefined && 'variables' in origin ? origin.variables : [];
  return [
    ...origins.map((name) => ({ plugin, name, use: 'origin' as const })),
    ...secret_variables.map((name) => ({ plugin, name, use: 'secret' as const })),
    ...variables.map((name) => ({ plugin, name, use: 'other' as const })),
  ];
}

/** Adds to the check of an interface that it may name the variables that it names. */
function checkNames(validate: Validate, manifest: PluginManifest, owned: readonly Owned[]): Validate {
  const { name: plugin, origin, secret_variable_fields = [] } = manifest;
  const useOf = (field: string): Owned['use'] =>
    field === origin?.interface_field ? 'origin' : secret_variable_fields.includes(field) ? 'secret' : 'other';
  const isOwn = (name: unknown, use: Owned['use']): boolean =>
    owned.some((own) => own.name === name && own.plugin === plugin && own.use === use);
  // A source may say which of its plugin's keys it means. A key goes to no other member, plugin or endpoint.
  const isReserved = (name: string, field: string, endpoint: Json | undefined): boolean => {
    if (isEngineVariable(name)) return true;
    const use = useOf(field);
    const isMeant = isOwn(name, use) && (use !== 'secret' || endpoint === undefined || isOwn(endpoint, 'origin'));
    return owned.some((own) => own.name === name) && !isMeant;
  };
  return (definition) => {
    const problems = validate(definition);
    const known = new Set(problems.map(({ pointer }) => pointer));
    if (!isObject(definition)) return problems;
    const endpoint = definition[origin?.interface_field ?? ''];
    const named = listVariableFields(manifest).flatMap((field) =>
      listNames(definition, field).map((one) => ({ ...one, isReserved: isReserved(one.name, field, endpoint) })),
    );
    return [
      ...problems,
      ...named
        .filter(({ pointer }) => !known.has(pointer))
        .flatMap(
          (one) =>
            findForeignName(one) ??
            (one.isReserved ? [problem('VARIABLE_NAME_RESERVED', { name: one.name }, { pointer: one.pointer })] : []),
        ),
    ];
  };
}

type Named = ReturnType<typeof listNames>[number];

function findForeignName({ name, pointer }: Named): readonly Problem[] | undefined {
  if (name.startsWith(VARIABLE_PREFIX)) return undefined;
  return [problem('VARIABLE_NAME_FOREIGN', { name, prefix: VARIABLE_PREFIX }, { pointer })];
}

/** A hash of manifest, interface and code. */
function digestOf(manifest: PluginManifest, schema: JsonObject, code: string): string {
  return sha256(canonicalText(manifest as unknown as Json) + canonicalText(schema) + code);
}

async function compileInterface(
  { folder, manifest }: FoundPlugin,
  compileSchema: CompileSchema,
): Promise<Outcome<{ readonly schema: JsonObject; readonly validate: Validate }>> {
  const refuseSchema = (broken: FactsOf<'PLUGIN_INTERFACE_SCHEMA_INVALID'>): Outcome<never> =>
    refuse(problem('PLUGIN_INTERFACE_SCHEMA_INVALID', broken, { details: { folder, name: manifest.name } }));
  const file = findInside(folder, manifest.interface_schema);
  if (!file) return refuseSchema({ kind: 'outside', file: manifest.interface_schema, folder });
  const read = await readJsonFile(file);
  if (!read.ok) return refuseSchema({ kind: 'unreadable', file, reason: read.reason });
  const schema = read.value;
  if (!isObject(schema)) return refuseSchema({ kind: 'no_schema', file });
  const missing = findMissingField(manifest, schema);
  if (missing) return refuseSchema({ kind: 'lacks', file, property: missing });
  const compiled = compileSchema(contentHash(schema), schema);
  if (!compiled.ok)
    return refuseSchema({
      kind: 'unreadable',
      file,
      reason: compiled.problems.map(({ message }) => message).join('; '),
    });
  return { ok: true, value: { schema, validate: compiled.value } };
}

/** The first interface member that the manifest names and the schema does not know. */
function findMissingField(manifest: PluginManifest, { properties }: JsonObject): string | undefined {
  const { model, acting, timeout, schema_delivery, tool_calling, not_yet = {} } = manifest;
  const named = [model, acting, timeout, schema_delivery, tool_calling].map((member) => member?.interface_field);
  const fields = [...listVariableFields(manifest), ...named, ...Object.keys(not_yet)];
  return fields.find((field) => field !== undefined && !(isObject(properties) && Object.hasOwn(properties, field)));
}

function sortOut<Kind>(outcomes: readonly Outcome<Kind>[]): Several<Kind> {
  return {
    plugins: outcomes.flatMap((outcome) => (outcome.ok ? [outcome.value] : [])),
    problems: outcomes.flatMap((outcome) => (outcome.ok ? [] : outcome.problems)),
  };
}
