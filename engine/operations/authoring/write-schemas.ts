import { type Outcome, refuse, succeed } from '../../contract/problem.js';
import type { Json, JsonObject } from '../../contract/json.js';
import { isList } from '../../core/content/json-pointer.js';
import type { PluginDescription } from '../../ports/sources.js';
import type { Scenario } from '../../generated/scenario.js';
import type { CognitionWorkflow } from '../../generated/workflow.js';
import type { Paths } from './author.js';
import { loadDocuments } from '../documents/index.js';
import type { Authoring } from '../engine.js';
import { replaceFiles } from '../write-files.js';

export interface WrittenSchemas {
  readonly folder: string;
  readonly files: readonly string[];
  /** The plugins whose interfaces are in the schema of sources. */
  readonly plugins: readonly string[];
}

const SOURCE_SCHEMA = 'response-source.schema.json';

/** The members of documents that hold an id of the project, and the kind of id. */
const ID_MEMBERS = {
  entity_id: 'entity',
  subject: 'entity',
  subjects: 'entity',
  environment: 'environment',
  environment_label: 'environment',
  node: 'node',
  from: 'final',
} as const;

type ProjectIds = Readonly<Record<(typeof ID_MEMBERS)[keyof typeof ID_MEMBERS], readonly string[]>>;

/**
 * Writes the schema of every document into a folder. That of sources has the interface of each plugin, and editors
 * suggest the ids of the project's entities, environments and nodes. Files of an earlier call are replaced.
 * @param folder absolute
 * @returns a refusal of a path that does not exist, and of a folder that cannot be written
 */
export async function writeSchemas(
  { catalogue: { plugins }, shippedSchemas }: Pick<Authoring, 'catalogue' | 'shippedSchemas'>,
  folder: string,
  { paths, place }: Paths,
): Promise<Outcome<WrittenSchemas>> {
  const loaded = await loadDocuments(paths, place, shippedSchemas);
  // A document may be half written, but a path that does not exist is a mistake.
  const missing = loaded.files.flatMap(({ problems }) => problems).filter(({ code }) => code === 'FILE_MISSING');
  if (missing.length > 0) return refuse(...missing);
  const ids = listIds(loaded.files);
  const files = [...shippedSchemas].map(([path, schema]) => {
    const written = offering(path === SOURCE_SCHEMA ? withInterfaces(schema, plugins) : schema, ids);
    return { path, text: `${JSON.stringify(written, null, 2)}\n` };
  });
  const replaced = await replaceFiles(folder, files);
  if (!replaced.ok) return replaced;
  const names = files.map(({ path }) => path).sort();
  return succeed({ folder, files: names, plugins: plugins.map(({ name }) => name).sort() });
}

/**
 * The schema of sources, where each `interface` has to fit the schema of its plugin.
 * @param source the shipped schema, which knows an interface's `name` alone
 */
function withInterfaces(
  source: JsonObject,
  plugins: readonly Pick<PluginDescription, 'name' | 'interface_schema'>[],
): JsonObject {
  const { properties, $defs } = source as { readonly properties: JsonObject; readonly $defs: JsonObject };
  const wire = properties['interface'] as JsonObject & { readonly properties: JsonObject };
  const name = { ...(wire.properties['name'] as JsonObject), enum: plugins.map((plugin) => plugin.name) };
  const chosen = plugins.map((plugin) => ({
    if: { required: ['name'], properties: { name: { const: plugin.name } } },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema, and never a function
    then: { $ref: `#/$defs/interface_of_${plugin.name}` },
  }));
  const definitions = plugins.map((plugin) => {
    const definition = `interface_of_${plugin.name}`;
    const { $id: _id, $schema: _dialect, ...schema } = plugin.interface_schema;
    return [definition, moveReferences(schema, `#/$defs/${definition}`)] as const;
  });
  return {
    ...source,
    properties: { ...properties, interface: { ...wire, properties: { ...wire.properties, name }, allOf: chosen } },
    $defs: { ...$defs, ...Object.fromEntries(definitions) },
  };
}

/** Makes a schema part of another: its references point within itself. */
function moveReferences(schema: Json, root: string): Json {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (isList(schema)) return schema.map((item) => moveReferences(item, root));
  const members = Object.entries(schema).map(([member, value]) =>
    member === '$ref' && typeof value === 'string' && value.startsWith('#')
      ? [member, root + value.slice(1)]
      : [member, moveReferences(value, root)],
  );
  return Object.fromEntries(members) as JsonObject;
}

function listIds(files: Awaited<ReturnType<typeof loadDocuments>>['files']): ProjectIds {
  const valuesOf = (wanted: string): readonly Json[] =>
    files.flatMap(({ kind, source }) => (kind === wanted && source !== undefined ? [source.value] : []));
  const scenarios = valuesOf('scenario') as unknown as readonly Partial<Scenario>[];
  const workflows = valuesOf('cognition_workflow') as unknown as readonly Partial<CognitionWorkflow>[];
  const node = sortIds(workflows.flatMap(({ nodes }) => inList(nodes).map(({ id }) => id)));
  return {
    entity: sortIds(scenarios.flatMap(({ entities }) => inList(entities).map(({ id }) => id))),
    environment: sortIds(scenarios.flatMap(({ environments }) => inList(environments).map(({ label }) => label))),
    node,
    final: node.map((id) => `${id}.final`),
  };
}

/** A document may be half written. */
function inList<Item>(items: readonly Item[] | undefined): readonly Item[] {
  return Array.isArray(items)
    ? (items as readonly Item[]).filter((item) => typeof item === 'object' && item !== null)
    : [];
}

function sortIds(ids: readonly unknown[]): readonly string[] {
  return [...new Set(ids.filter((id) => typeof id === 'string'))].sort();
}

/** A schema with ids as examples: editors suggest them, and validators ignore them. */
function offering<Schema extends Json>(schema: Schema, ids: ProjectIds): Schema {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (isList(schema)) return schema.map((item) => offering(item, ids)) as unknown as Schema;
  const members = Object.entries(schema).map(([member, value]) => [
    member,
    member === 'properties' ? withIds(offering(value as JsonObject, ids), ids) : offering(value, ids),
  ]);
  return Object.fromEntries(members) as Schema;
}

function withIds(properties: JsonObject, ids: ProjectIds): JsonObject {
  const members = Object.entries(properties).map(([member, schema]) => {
    const examples = Object.hasOwn(ID_MEMBERS, member) ? ids[ID_MEMBERS[member as keyof typeof ID_MEMBERS]] : [];
    if (examples.length === 0) return [member, schema];
    const { items } = schema as JsonObject;
    // Editors prefer the referred schema to its siblings.
    const offered = items === undefined ? { allOf: [schema], examples } : { allOf: [schema], items: { examples } };
    return [member, offered];
  });
  return Object.fromEntries(members) as JsonObject;
}
